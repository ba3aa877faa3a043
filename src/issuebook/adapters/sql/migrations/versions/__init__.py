"""The changes, in order of their numbers."""
