"""From an issue tracker to a tested taxonomy, with every number checked."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from issuebook.api import aggregate, agreement, audit, cluster, compare, screen

__version__ = "0.1.0"

__all__ = ["aggregate", "agreement", "audit", "cluster", "compare", "screen"]


if not TYPE_CHECKING:  # a type checker sees the imports above, and that there is nothing else

    def __getattr__(name: str) -> object:
        """Return a public function; the statistics load when one is first asked for, so that commands start fast."""
        if name in __all__:
            return getattr(import_module("issuebook.api"), name)
        raise AttributeError(f"module 'issuebook' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
