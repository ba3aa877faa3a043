"""Clusters of vectors of length 1: a Ward tree, its cuts, their refinement, and how far they can be relied on."""
