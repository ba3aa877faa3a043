"""What changed since a version of a codebook, as values and as one page."""
