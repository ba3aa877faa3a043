"""Ratings with their units and codebook as files of other programs, and back: bytes and frames, no file is touched."""
