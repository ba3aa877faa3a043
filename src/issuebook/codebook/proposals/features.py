"""Reports as vectors: what people wrote in them, each text once."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from issuebook.text.lexical_features import LexicalSettings, lexical_space, unit_rows
from issuebook.text.prose import bare_title, prose
from issuebook.text.templates import TemplateLines
from issuebook.text.terms import TermCounts, count_terms, project_words, terms

LEXICAL_WEIGHT = 0.5
"""What the lexical vector counts beside an embedding; docs/explanation/proposals.md has what was measured."""
_SMALL = 50
"""Below so many texts a term of two of them counts."""


class Report(NamedTuple):
    """A report as far as proposals are concerned; ``text`` is its prose."""

    id: str
    url: str
    title: str
    project: str
    text: str


def report_of(row: Sequence[str | None], templates: TemplateLines) -> Report:
    """Return a report of its id, address, title, body, project and time of creation (ISO 8601)."""
    name, url, title, body, project, created = row
    text = prose(title, body, templates.at(project or "", created or ""))
    return Report(name or "", url or "", bare_title(title or ""), project or "", text)


@dataclass(frozen=True, slots=True)
class Features:
    """Distinct texts as vectors.

    Attributes:
        rows: the text of each report, an index into the others; reports with the same text share it.
        vectors: shape (texts, dimensions): length 1, or zeros where a text shares nothing with others.
        counted: the terms of the texts.
        project_words: words of the projects' names.
    """

    rows: NDArray[np.int64]
    vectors: NDArray[np.float64]
    counted: TermCounts
    project_words: AbstractSet[str]


def features(
    reports: Sequence[Report],
    dense: NDArray[np.float32] | None = None,
    settings: LexicalSettings | None = None,
    *,
    lexical_weight: float = LEXICAL_WEIGHT,
) -> Features:
    """Return the features of reports that are sorted by id.

    Args:
        reports: each id once, ascending, so that the order of files makes no difference.
        dense: an embedding of each report's text, shape (reports, dimensions), rows of length 1 or zeros; the lexical
            vector then counts half beside it. None leaves the lexical vector alone.
        settings: None for the defaults; of fewer than 50 texts, a term of two of them counts.
        lexical_weight: what the lexical vector counts beside ``dense``.

    Raises:
        ValueError: the reports are not sorted, or ``dense`` has another number of rows.
    """
    if any(one.id >= other.id for one, other in pairwise(reports)):
        raise ValueError("reports are not sorted by id, or an id stands twice")
    if dense is not None and len(dense) != len(reports):
        raise ValueError(f"{len(dense)} embeddings do not fit {len(reports)} reports")
    first: dict[str, int] = {}
    firsts: list[int] = []
    rows = np.zeros(len(reports), np.int64)
    for at, report in enumerate(reports):
        key = " ".join(report.text.casefold().split())
        rows[at] = first.setdefault(key, len(first))
        if rows[at] == len(firsts):
            firsts.append(at)
    names = {report.project: project_words(report.project) for report in reports}
    chosen = settings or LexicalSettings(least=3 if len(firsts) >= _SMALL else 2)
    texts = (terms(reports[at].text, names[reports[at].project]) for at in firsts)
    counted = count_terms(texts, least=chosen.least, most=chosen.most)
    _, vectors = lexical_space(counted, chosen)
    if dense is not None:
        vectors = unit_rows(np.hstack([dense[firsts].astype(np.float64), lexical_weight * vectors]))
    return Features(rows, vectors, counted, frozenset[str]().union(*names.values()))
