"""Frozen values that every part of issuebook shares. Nothing here reads, writes or computes statistics."""
