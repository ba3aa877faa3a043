"""Search over titles, bodies, memos, codes, projects and keywords: of memos and codes only what the person may see."""

from __future__ import annotations

from dataclasses import dataclass

from issuebook.app.annotate.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Found:
    """A unit that was found.

    Attributes:
        unit, title, project: what it is.
        where: the fields that hit: title, body, memo, code, project, keyword.
        excerpt: text around the first hit, plain text, hostile until escaped.
        round: id of the round in which the person may open it to label, or empty.
    """

    unit: str
    title: str
    project: str
    where: tuple[str, ...]
    excerpt: str
    round: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Units found, best first; ``more`` when there are others beyond the limit; ``fault`` tells a bad query."""

    found: tuple[Found, ...]
    more: bool
    fault: str


def search(bench: Workbench, person: str, query: str, limit: int = 50) -> SearchResult:
    """Return units that hit every word of a query.

    Words hit titles, bodies, projects and keywords, and memos that the person may see; ``"several words"`` a phrase;
    ``project:vllm``, ``keyword:oom``, ``code:C.6``, ``memo:flaky``, ``title:`` and ``body:`` one field only.

    Raises:
        NotPermittedError: the person has no role.
    """
    raise NotImplementedError
