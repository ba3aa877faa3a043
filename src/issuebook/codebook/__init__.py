"""The codebook as it changes: edits, history, versions, migration of ratings, checks, exchange."""
