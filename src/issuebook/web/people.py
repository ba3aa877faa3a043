"""People: who takes part, what each may do, their teams and passwords, and invitations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from issuebook.annotation.events import Role
from issuebook.app.annotate import invitations
from issuebook.app.annotate import people as use_cases
from issuebook.app.annotate.invitations import InvitationView
from issuebook.app.annotate.people import Person
from issuebook.errors import ChoiceError
from issuebook.web.access import Caller, Coordinator
from issuebook.web.frame import page
from issuebook.web.site import site_of

router = APIRouter()

ROLES: tuple[Role, ...] = ("coordinator", "annotator", "adjudicator", "reader")
Field = Annotated[str, Form(max_length=1_000)]
Number = Annotated[int, Form()]
Roles = Annotated[tuple[Role, ...], Form(max_length=len(ROLES))]


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """Everybody with roles and team, invitations, and why the last change failed.

    ``own_first`` asks for the own password before others'. ``link`` is the invitation just made, shown this once.
    """

    people: tuple[Person, ...]
    roles: tuple[Role, ...]
    me: str
    own_first: bool
    fault: str
    teams: tuple[str, ...]
    invitations: tuple[InvitationView, ...]
    most_uses: int
    most_days: int
    link: str


@router.get("/people")
def people(request: Request, caller: Coordinator) -> HTMLResponse:
    """Return everybody."""
    return _page(request, caller, "")


@router.post("/people")
def add(
    request: Request, caller: Coordinator, new: Field, name: Field = "", team: Field = "", role: Roles = ()
) -> Response:
    """Add somebody."""
    bench, named = site_of(request).bench, name.strip() or new.strip()
    try:
        use_cases.add_person(bench, caller.person, new.strip(), named, role, team.strip())
    except ChoiceError as error:
        return _page(request, caller, str(error))
    return RedirectResponse("/people", 303)


@router.post("/people/roles")
def change_roles(
    request: Request, caller: Coordinator, whom: Field, role: Roles = (), team: Field | None = None
) -> Response:
    """Give somebody other roles, and another team where one is sent."""
    bench = site_of(request).bench
    try:
        use_cases.change_roles(bench, caller.person, whom, role, None if team is None else team.strip())
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


@router.post("/people/invitations")
def invite(
    request: Request, caller: Coordinator, role: Roles = (), team: Field = "", uses: Number = 1, days: Number = 7
) -> Response:
    """Make an invitation and show its link, this once: a redirect would have to carry the secret."""
    try:
        token = invitations.invite(site_of(request).bench, caller.person, role, team.strip(), uses=uses, days=days)
    except ChoiceError as error:
        return _page(request, caller, str(error))
    return _page(request, caller, "", link=f"{request.base_url}join#{token}")


@router.post("/people/invitations/end")
def end_invitation(request: Request, caller: Coordinator, invitation: Field) -> Response:
    """Take an invitation back."""
    invitations.end_invitation(site_of(request).bench, caller.person, invitation)
    return RedirectResponse("/people", 303)


def _page(request: Request, caller: Caller, fault: str, link: str = "") -> HTMLResponse:
    bench = site_of(request).bench
    everybody, made = use_cases.people(bench, caller.person), invitations.invitations(bench, caller.person)
    shown = PeoplePage(
        people=everybody,
        roles=ROLES,
        me=caller.person,
        own_first=caller.local,
        fault=fault,
        teams=tuple(sorted(({one.team for one in everybody} | {one.team for one in made}) - {""})),
        invitations=made,
        most_uses=invitations.MOST_USES,
        most_days=invitations.MOST_DAYS,
        link=link,
    )
    return page(request, caller, "people.html.j2", shown, 422 if fault else 200)
