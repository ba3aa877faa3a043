"""What a corpus was made from and what became of every row: the same files give the same manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class FileAccount:
    """A file that was read, and its rows: ``read`` = ``kept`` + ``excluded`` + ``quarantined``.

    Attributes:
        name: as given.
        sha256: of the file as it is on disk.
        bytes: its size there.
    """

    name: str
    sha256: str
    bytes: int
    read: int
    kept: int
    excluded: int
    quarantined: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The account of a corpus.

    Attributes:
        issuebook: the version that made it.
        mapping: how the fields were named, as far as the user said so.
        files: what was read, in order.
        read: rows met; ``kept``, ``excluded`` and ``quarantined`` rows add up to it.
        reasons: how many rows, and cells of rows that are kept, were ``excluded``, ``quarantined`` or ``mended``, by
            reason; without what a reason says of the single row after a colon.
        projects: reports kept, by project.
        same_texts: ids of reports that have exactly the same text.
        outputs: SHA-256 of the corpus' files, by name.
    """

    issuebook: str
    mapping: Mapping[str, object]
    files: tuple[FileAccount, ...]
    read: int
    kept: int
    excluded: int
    quarantined: int
    reasons: Mapping[str, Mapping[str, int]]
    projects: Mapping[str, int]
    same_texts: tuple[tuple[str, ...], ...]
    outputs: Mapping[str, str]


def counts_by_reason(set_aside: pl.DataFrame) -> dict[str, int]:
    """Return how many entries of ``schemas.EXCLUDED`` or its kin have each reason, the most frequent first."""
    reasons = set_aside.select(reason=pl.col("reason").str.split(": ").list.first())
    counted = reasons.group_by("reason").len("count").sort(["count", "reason"], descending=[True, False])
    return dict(counted.iter_rows())
