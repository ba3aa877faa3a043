"""People: who takes part, what each may do, and their passwords."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from issuebook.annotation.events import Role
from issuebook.app.annotate import people as use_cases
from issuebook.app.annotate.people import Person
from issuebook.errors import ChoiceError
from issuebook.web.access import Caller, Coordinator
from issuebook.web.frame import page
from issuebook.web.site import site_of

router = APIRouter()

ROLES: tuple[Role, ...] = ("coordinator", "annotator", "adjudicator", "reader")
Field = Annotated[str, Form(max_length=1_000)]
Roles = Annotated[tuple[Role, ...], Form(max_length=len(ROLES))]


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """Everybody with roles, and why the last change failed. ``own_first`` asks for the own password before others'."""

    people: tuple[Person, ...]
    roles: tuple[Role, ...]
    me: str
    own_first: bool
    fault: str


@router.get("/people")
def people(request: Request, caller: Coordinator) -> HTMLResponse:
    """Return everybody."""
    return _page(request, caller, "")


@router.post("/people")
def add(request: Request, caller: Coordinator, new: Field, name: Field = "", role: Roles = ()) -> Response:
    """Add somebody."""
    try:
        use_cases.add_person(site_of(request).bench, caller.person, new.strip(), name.strip() or new.strip(), role)
    except ChoiceError as error:
        return _page(request, caller, str(error))
    return RedirectResponse("/people", 303)


@router.post("/people/roles")
def change_roles(request: Request, caller: Coordinator, whom: Field, role: Roles = ()) -> Response:
    """Give somebody other roles."""
    try:
        use_cases.change_roles(site_of(request).bench, caller.person, whom, role)
    except ChoiceError as error:
        return _page(request, caller, str(error))
    return RedirectResponse("/people", 303)


@router.post("/people/password")
def set_password(request: Request, caller: Coordinator, whom: Field, password: Field) -> Response:
    """Set somebody's password; while nobody has one, a coordinator's comes first."""
    try:
        use_cases.set_password(site_of(request).bench, caller.person, whom, password)
    except ChoiceError as error:
        return _page(request, caller, str(error))
    return RedirectResponse("/people", 303)


def _page(request: Request, caller: Caller, fault: str) -> HTMLResponse:
    everybody = use_cases.people(site_of(request).bench, caller.person)
    shown = PeoplePage(everybody, ROLES, caller.person, caller.local, fault)
    return page(request, caller, "people.html.j2", shown, 422 if fault else 200)
