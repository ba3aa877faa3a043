"""What surrounds every page: where the caller may go, who he or she is; and how a page is rendered."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import HTMLResponse

from issuebook.annotation.events import Role
from issuebook.web.access import Caller
from issuebook.web.site import site_of

_PLACES: tuple[tuple[str, str, frozenset[Role]], ...] = (
    ("/label", "Label", frozenset({"annotator"})),
    ("/adjudicate", "Adjudicate", frozenset({"adjudicator", "coordinator"})),
    ("/dashboard", "Dashboard", frozenset({"coordinator", "adjudicator", "reader"})),
    ("/rounds", "Rounds", frozenset({"coordinator"})),
    ("/people", "People", frozenset({"coordinator"})),
    ("/codebook", "Codebook", frozenset({"coordinator", "annotator", "adjudicator", "reader"})),
    ("/search", "Search", frozenset({"coordinator", "annotator", "adjudicator", "reader"})),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A page to go to, and whether the caller is there."""

    path: str
    name: str
    here: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds a page.

    Attributes:
        study: title of the study.
        places: the pages that the caller may open.
        person, name: who the caller is; empty for nobody.
        local: whether the caller needed no password.
        csrf: the token of forms.
    """

    study: str
    places: tuple[Place, ...]
    person: str
    name: str
    local: bool
    csrf: str


def places_of(roles: frozenset[Role], path: str = "") -> tuple[Place, ...]:
    """Return the pages that somebody with these roles may open, in order."""
    return tuple(Place(where, name, path.startswith(where)) for where, name, allowed in _PLACES if allowed & roles)


def page(request: Request, caller: Caller, template: str, context: object, status: int = 200) -> HTMLResponse:
    """Return a page: a template filled with its context."""
    site = site_of(request)
    frame = Frame(
        study=site.bench.study.study.title,
        places=places_of(caller.roles, request.url.path),
        person=caller.person,
        name=caller.name,
        local=caller.local,
        csrf=caller.csrf,
    )
    return HTMLResponse(site.templates.get_template(template).render(page=context, frame=frame), status)
