"""Features and tree as bytes, so that another number of groups or a split needs no reading of reports again."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray
from scipy.sparse import csr_array

from issuebook.codebook.proposals.features import Features, Report
from issuebook.codebook.proposals.propose import Grouped
from issuebook.stats.clustering.partition import Tree
from issuebook.text.terms import TermCounts

_SCALE = 1e6
"""Vectors are rounded to six digits, so whole millionths hold them exactly."""


def to_bytes(key: str, reports: Sequence[Report], grouped: Grouped) -> bytes:
    """Return features and tree as one NumPy archive without pickled objects, under a key that says of what."""
    known = grouped.features
    prose = [report.text.encode("utf-8", "replace") for report in reports]
    about = {
        "key": key,
        "reports": [report[:-1] for report in reports],
        "terms": known.counted.terms,
        "project_words": sorted(known.project_words),
    }
    buffer = io.BytesIO()
    np.savez(
        buffer,
        about=np.frombuffer(json.dumps(about, ensure_ascii=False).encode("utf-8", "replace"), np.uint8),
        prose=np.frombuffer(b"".join(prose), np.uint8),
        ends=np.cumsum([0, *map(len, prose)]),
        rows=known.rows,
        vectors=np.round(known.vectors * _SCALE).astype(np.int32),
        counts=known.counted.counts.data.astype(np.int32),
        indices=known.counted.counts.indices,
        indptr=known.counted.counts.indptr,
        placed=grouped.placed,
        leaves=grouped.tree.leaves,
        merges=grouped.tree.merges,
    )
    return buffer.getvalue()


def from_bytes(content: bytes | None, key: str) -> tuple[tuple[Report, ...], Grouped] | None:
    """Return reports, features and tree; None when there are none, of another key, or damaged."""
    try:
        with _opened(content, key) as (held, about):
            reports = _reports(held, about, range(len(about["reports"])))
            known = _features(held, about, held["rows"], np.arange(len(held["indptr"]) - 1))
            return reports, Grouped(known, held["placed"], Tree(held["leaves"], held["merges"]))
    except _DAMAGED:
        return None


def members_from_bytes(
    content: bytes | None, key: str, members: AbstractSet[str]
) -> tuple[tuple[Report, ...], Features] | None:
    """Return some of the reports and their features, as if there were no others; None as for ``from_bytes``.

    What a split needs: of many reports that is a hundredth of the memory.
    """
    try:
        with _opened(content, key) as (held, about):
            wanted = np.array([at for at, report in enumerate(about["reports"]) if report[0] in members], np.int64)
            texts, rows = np.unique(held["rows"][wanted], return_inverse=True)
            return _reports(held, about, wanted.tolist()), _features(held, about, rows, texts)
    except _DAMAGED:
        return None


_DAMAGED = (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile)


@contextmanager
def _opened(content: bytes | None, key: str) -> Iterator[tuple[NpzFile, dict[str, Any]]]:
    """Open an archive.

    Raises:
        KeyError: there is none, or it is of another key.
    """
    if content is None:
        raise KeyError(key)
    with np.load(io.BytesIO(content), allow_pickle=False) as held:
        about = json.loads(held["about"].tobytes().decode())
        if about["key"] != key:
            raise KeyError(key)
        yield held, about


def _reports(held: NpzFile, about: dict[str, Any], wanted: Sequence[int]) -> tuple[Report, ...]:
    prose, ends = held["prose"], held["ends"]
    texts = (prose[ends[at] : ends[at + 1]].tobytes().decode() for at in wanted)
    return tuple(Report(*[*about["reports"][at], text]) for at, text in zip(wanted, texts, strict=True))


def _features(held: NpzFile, about: dict[str, Any], rows: NDArray[np.int64], texts: NDArray[np.int64]) -> Features:
    vectors = np.round(held["vectors"][texts] / _SCALE, 6) + 0.0
    shape = (len(held["indptr"]) - 1, len(about["terms"]))
    counts = csr_array((held["counts"], held["indices"], held["indptr"]), shape=shape)[texts].astype(np.float64)
    return Features(rows, vectors, TermCounts(tuple(about["terms"]), counts), frozenset(about["project_words"]))
