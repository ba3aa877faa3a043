"""Comparing how codes are distributed in two groups of units."""
