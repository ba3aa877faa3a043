"""JSON of other programs: elements read one by one, and values of whatever type taken as what they should be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from issuebook.errors import Fault, InputError


def elements(content: bytes, name: str, remedy: str) -> Iterator[tuple[int, object]]:
    """Yield the elements of a JSON list with their places from 1; the list does not stand in memory as objects.

    Raises:
        InputError: the content is no JSON, or no list.
    """
    try:
        parts = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"), type=list[msgspec.Raw])
        for place, part in enumerate(parts, start=1):
            yield place, msgspec.json.decode(part)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(Fault(name, f"cannot be read as JSON: {error}.", remedy)) from None


def text_of(value: object) -> str:
    """Return a text as it is, nothing for null and truth values, and other values as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None or isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def object_of(value: object) -> Mapping[str, Any]:
    """Return an object, also one that stands as JSON in a text; an empty one for everything else."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a list; an empty one for everything else."""
    return value if isinstance(value, list) else []
