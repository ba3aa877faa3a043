"""A unit as pages show it: title, tracker facts in one line, body, and the ratings that the person may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from issuebook.app.annotate.unit_pages import SeenRating
from issuebook.model.codebook import Facet
from issuebook.model.unit import Unit
from issuebook.text.regions import Span
from issuebook.web.report_body import Passage, passages, title_html
from issuebook.web.sanitise import web_address

_SHOWN_KEYWORDS = 12


@dataclass(frozen=True, slots=True)
class UnitView:
    """A unit on a page.

    Attributes:
        id: the unit.
        title: its title with keyword hits marked.
        project, state, created, comments: tracker facts; empty where unknown.
        labels: the tracker's labels.
        address: where it is on the web; empty where unknown.
        keywords: keywords that stand in it, the first few; ``more_keywords`` counts the rest.
        body: its passages.
    """

    id: str
    title: Markup
    project: str
    state: str
    created: str
    comments: str
    labels: tuple[str, ...]
    address: str
    keywords: tuple[str, ...]
    more_keywords: int
    body: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class CodeView:
    """A code as people see it: id and the names on its path."""

    facet: str
    code: str
    path: str


@dataclass(frozen=True, slots=True)
class RatingView:
    """A rating that the person may see."""

    person: str
    name: str
    codes: tuple[CodeView, ...]
    secondary: tuple[CodeView, ...]
    memo: str
    unsure: bool
    flag: bool
    at: str


def unit_view(unit: Unit, regions: Sequence[Span]) -> UnitView:
    """Return a unit as pages show it; its texts are hostile, so all HTML in it is made here or escaped."""
    keywords = unit.keywords
    comments = "" if unit.comments is None else f"{unit.comments:,} comment{'' if unit.comments == 1 else 's'}"
    return UnitView(
        id=unit.id,
        title=title_html(unit.title, unit.hits) if unit.title.strip() else Markup("(no title)"),
        project=unit.project,
        state=unit.state,
        created=unit.created_at[:10],
        comments=comments,
        labels=unit.labels,
        address=web_address(unit.url),
        keywords=keywords[:_SHOWN_KEYWORDS],
        more_keywords=max(0, len(keywords) - _SHOWN_KEYWORDS),
        body=passages(unit.body, regions, unit.hits),
    )


def code_view(facet: Facet, code: str) -> CodeView:
    """Return a code with the names on its path; one that the facet no longer has is shown by its id."""
    node = facet.nodes.get(code)
    path = "" if node is None else " › ".join(facet.nodes[part].code.name for part in node.path)
    return CodeView(facet.id, code, path)


def rating_view(rating: SeenRating, facets: Sequence[Facet]) -> RatingView:
    """Return a rating as pages show it, in the order of the facets; facets that are not given are left out."""
    answers = {answer.facet: answer for answer in rating.answers}
    asked = [(facet, answers[facet.id]) for facet in facets if facet.id in answers]
    return RatingView(
        person=rating.person,
        name=rating.name,
        codes=tuple(code_view(facet, answer.code) for facet, answer in asked),
        secondary=tuple(code_view(facet, code) for facet, answer in asked for code in answer.secondary),
        memo=rating.memo,
        unsure=rating.unsure,
        flag=rating.flag,
        at=moment(rating.at),
    )


def moment(at: str) -> str:
    """Return an ISO 8601 time to the minute, for people."""
    return at[:16].replace("T", " ")
