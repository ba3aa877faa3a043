"""stub to be replaced by branch report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from issuebook.report.book import Book
from issuebook.report.claims import Verdict


@dataclass(frozen=True)
class RunInfo:
    version: str
    finished: str
    seed: int


def build(
    book: Book,
    verdicts: Sequence[Verdict],
    info: RunInfo,
    render: Callable[[Mapping[str, object]], str],
    png: Callable[[str], bytes],
) -> dict[str, bytes]:
    return {"index.html": "\n".join(str(v) for v in verdicts).encode()}
