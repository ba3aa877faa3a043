"""From an issue tracker to a tested taxonomy, with every number checked."""

__version__ = "0.1.0"
