"""What was last made of something, known by its content: read again only when that has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")


class Kept:
    """Holds one value a name, the newest; safe to use from several threads."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._values: dict[Hashable, tuple[Hashable, Any]] = {}
        self._lock = RLock()

    def of(self, name: Hashable, content: Hashable, make: Callable[[], T]) -> T:
        """Return what was made under a name of this very content, else make it now.

        Args:
            name: what is asked for.
            content: what decides the value: a hash, or the text itself.
            make: makes the value, which nobody changes afterwards; what it raises is not kept.
        """
        with self._lock:
            found = self._values.get(name)
            if found is None or found[0] != content:
                self._values.pop(name, None)  # the old one need not be in memory while the new one is made
                found = self._values[name] = (content, make())
            value: T = found[1]
            return value

    def put(self, name: Hashable, content: Hashable, value: object) -> None:
        """Keep a value that is known without reading."""
        with self._lock:
            self._values[name] = (content, value)
