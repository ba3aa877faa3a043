"""What is labelled: a report (or an interview segment) with what an annotator may want to know of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A place where a keyword of the study's lists stands: ``title`` or ``body``, half-open character range."""

    keyword: str
    field: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit.

    Attributes:
        id: the same for all spellings of one report, e.g. ``github:owner/name#123``.
        title: its title; may be empty.
        body: its text as written, Markdown, hostile until shown as text.
        project: owner/name, or empty.
        url: canonical address, or empty.
        labels: the tracker's labels.
        state: open, closed ...; empty where unknown.
        created_at: ISO 8601, or empty.
        comments: how many; None where unknown.
        hits: where keywords stand, by field and place.
    """

    id: str
    title: str
    body: str = ""
    project: str = ""
    url: str = ""
    labels: tuple[str, ...] = ()
    state: str = ""
    created_at: str = ""
    comments: int | None = None
    hits: tuple[KeywordHit, ...] = ()

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords that stand in it, each once, sorted."""
        return tuple(sorted({hit.keyword for hit in self.hits}))
