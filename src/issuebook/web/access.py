"""Who may use a route: the caller of each request, and the rules that route signatures name.

A route takes its caller as a parameter annotated with one of the rules below; a route without one fails the test that
walks the route table. A request that changes something must carry the caller's form token.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated

from fastapi import Depends, Request

from issuebook.annotation.events import Role
from issuebook.app.annotate import people
from issuebook.errors import Fault, NotPermittedError, SignInError
from issuebook.web.site import Site, site_of

SAFE_METHODS = frozenset({"GET", "HEAD"})
TOKEN_HEADER = "x-csrf-token"  # noqa: S105 - the name of a header
TOKEN_FIELD = "csrf"  # noqa: S105 - the name of a form field


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request.

    Attributes:
        person: id of the person; empty for somebody who has not signed in.
        name: name for people.
        roles: what the person may do.
        csrf: the token that this caller's forms carry.
        local: whether the person needed no password.
        token: the session's secret; empty without a session.
    """

    person: str
    name: str
    roles: frozenset[Role]
    csrf: str
    local: bool = False
    token: str = ""


def cookie_name(request: Request, kind: str = "session") -> str:
    """Return the name of a cookie; browsers share cookies among the ports of a host, so the port is part of it."""
    return f"issuebook-{kind}-{request.url.port or request.url.scheme}"


def signed(site: Site, text: str) -> str:
    """Return the form token that belongs to a text; nobody else can make it."""
    return hmac.new(site.secret, text.encode(), hashlib.sha256).hexdigest()


def client_of(request: Request) -> str:
    """Return the address that a request came from."""
    return request.client.host if request.client else ""


def caller_of(request: Request) -> Caller:
    """Return who makes a request: by session cookie, or on loopback the person of a study without passwords."""
    site = site_of(request)
    token = request.cookies.get(cookie_name(request), "")
    session = people.session(site.bench, token) if token else None
    if session is not None:
        person = people.me(site.bench, session.person)
        return Caller(person.id, person.name, person.roles, session.csrf, token=token)
    if site.settings.loopback and _is_direct(request):
        try:
            person = people.me(site.bench, people.local_person(site.bench))
        except NotPermittedError:
            pass  # somebody has a password, so everybody signs in
        else:
            return Caller(person.id, person.name, person.roles, signed(site, f"local {person.id}"), local=True)
    visit = request.cookies.get(cookie_name(request, "visit"), "")
    return Caller("", "", frozenset(), signed(site, f"visit {visit}") if visit else "")


def _is_direct(request: Request) -> bool:
    """Return whether a request came from this machine, asked for it by a local name, and went through no proxy."""
    forwarded = {"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"}
    if forwarded & set(request.headers.keys()):
        return False
    host = request.url.hostname or ""
    return all(_is_local(name) for name in (client_of(request), host))


def _is_local(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


async def sent_token(request: Request) -> str:
    """Return the form token that came with a request that changes something."""
    if request.method in SAFE_METHODS:
        return ""
    if header := request.headers.get(TOKEN_HEADER):
        return header
    kind = request.headers.get("content-type", "")
    if not kind.startswith(("application/x-www-form-urlencoded", "multipart/form-data")):
        return ""
    token = (await request.form()).get(TOKEN_FIELD, "")
    return token if isinstance(token, str) else ""


@dataclass(frozen=True, slots=True)
class Rule:
    """Lets a caller through who has one of some roles; None lets everybody through, also without signing in."""

    roles: frozenset[Role] | None

    def __call__(self, request: Request, sent: Annotated[str, Depends(sent_token)]) -> Caller:
        """Return the caller.

        Raises:
            SignInError: the route is for people, and nobody has signed in.
            NotPermittedError: the person lacks the role, or the form token is missing or belongs to somebody else.
        """
        caller = caller_of(request)
        if self.roles is not None and not caller.person:
            raise SignInError(Fault("this page", "is for people who have signed in."))
        if self.roles is not None and not self.roles & caller.roles:
            needed = " or ".join(sorted(self.roles))
            raise NotPermittedError(Fault("this page", f"is for the role {needed}.", "Ask the study's coordinator."))
        if request.method not in SAFE_METHODS and not (caller.csrf and hmac.compare_digest(sent, caller.csrf)):
            raise NotPermittedError(Fault("this form", "is too old, or is not from here.", "Load the page again."))
        return caller


def anybody() -> None:
    """Let everybody read what tells nothing of the study, without asking who it is."""


ALL_ROLES: frozenset[Role] = frozenset({"coordinator", "annotator", "adjudicator", "reader"})

Everybody = Annotated[Caller, Depends(Rule(None))]
Member = Annotated[Caller, Depends(Rule(ALL_ROLES))]
Annotator = Annotated[Caller, Depends(Rule(frozenset({"annotator"})))]
Adjudicator = Annotated[Caller, Depends(Rule(frozenset({"adjudicator", "coordinator"})))]
Observer = Annotated[Caller, Depends(Rule(frozenset({"coordinator", "adjudicator", "reader"})))]
Coordinator = Annotated[Caller, Depends(Rule(frozenset({"coordinator"})))]
