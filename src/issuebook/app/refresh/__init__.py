"""The use case that says what changed since a version of a study's codebook."""
