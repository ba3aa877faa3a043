"""From tables of text to ratings. Nothing here opens a file."""
