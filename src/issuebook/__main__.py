"""``python -m issuebook``."""

from issuebook.cli import main

main()
