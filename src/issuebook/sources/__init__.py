"""From the raw bytes of a file to a table of text, or to issue reports. Nothing here opens a file."""
