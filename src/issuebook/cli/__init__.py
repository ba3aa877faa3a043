"""The command line: parse, one use case, render. One module a command group; heavy imports happen inside commands."""

from issuebook.cli.main import main

__all__ = ["main"]
