"""Features and tree as bytes, so that another number of groups or a split needs no reading of reports again."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence

import numpy as np
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
    texts = {
        "key": key,
        "reports": reports,
        "terms": known.counted.terms,
        "project_words": sorted(known.project_words),
    }
    buffer = io.BytesIO()
    np.savez(
        buffer,
        texts=np.frombuffer(json.dumps(texts, ensure_ascii=False).encode("utf-8", "replace"), np.uint8),
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
    if content is None:
        return None
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as held:
            texts = json.loads(held["texts"].tobytes().decode())
            if texts["key"] != key:
                return None
            vectors = np.round(held["vectors"] / _SCALE, 6) + 0.0
            shape = (len(vectors), len(texts["terms"]))
            counts = csr_array((held["counts"].astype(np.float64), held["indices"], held["indptr"]), shape=shape)
            counted = TermCounts(tuple(texts["terms"]), counts)
            known = Features(held["rows"], vectors, counted, frozenset(texts["project_words"]))
            grouped = Grouped(known, held["placed"], Tree(held["leaves"], held["merges"]))
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        return None
    return tuple(Report(*one) for one in texts["reports"]), grouped
