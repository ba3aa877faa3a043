"""Whether a file holds reports as the kernel takes them: no wrapping, the fields by the names of GitHub's REST API."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import polars as pl

from issuebook.model.field_mapping import FieldMapping

_WRAPPERS = frozenset({"issue", "payload", "data", "backend_name"})
_URL = FieldMapping().names("url")


def is_plain_lines(head: bytes) -> bool:
    """Return whether a file is JSON lines whose first object has a title and a body of its own.

    Args:
        head: its beginning, with the whole of its first line. Lines of one file have one shape.
    """
    try:
        first = msgspec.json.decode(head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0])
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(first, dict) and _is_plain(first.keys())


def plain_columns(schema: pl.Schema) -> list[pl.Expr] | None:
    """Return ``title``, ``body``, ``url`` and ``pull_request`` (true or false) of a table; None if it is not plain."""
    texts = [schema.get(name) for name in ("title", "body", "html_url")]
    pull = schema.get("pull_request", pl.Null())
    if not _is_plain(schema.keys()) or any(dtype not in (pl.String, pl.Null, None) for dtype in texts):
        return None
    if pull != pl.Null and not isinstance(pull, pl.Struct):
        return None  # how a table without types says "none" is for the reader to tell
    url = pl.col("html_url") if "html_url" in schema else pl.lit(None)
    is_pull = pl.col("pull_request").is_not_null() if "pull_request" in schema else pl.lit(value=False)
    return [
        pl.col("title").cast(pl.String),
        pl.col("body").cast(pl.String),
        url.cast(pl.String).alias("url"),
        is_pull.alias("pull_request"),
    ]


def _is_plain(names: Iterable[str]) -> bool:
    known = frozenset(names)
    has_url = "html_url" in known or known.isdisjoint(_URL)
    return {"title", "body"} <= known and known.isdisjoint(_WRAPPERS) and has_url
