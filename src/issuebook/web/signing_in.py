"""Signing in and out, joining by an invitation, and one's own password."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from issuebook.app.annotate import people
from issuebook.app.annotate.invitations import join as join_study
from issuebook.errors import ChoiceError, Fault, SignInError, UserError
from issuebook.web.access import Caller, Everybody, Member, client_of, cookie_name, signed
from issuebook.web.frame import page, places_of
from issuebook.web.site import site_of

router = APIRouter()

_Field = Annotated[str, Form(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class SignInPage:
    """The form; ``next`` is where it leads. ``fault`` says why the last attempt failed, or is empty."""

    next: str
    fault: str
    name: str


@dataclass(frozen=True, slots=True)
class JoinPage:
    """The form of who follows an invitation; ``token`` is what was sent last, when that attempt failed."""

    fault: str
    name: str
    token: str


@dataclass(frozen=True, slots=True)
class AccountPage:
    """One's own account; ``done`` when the password was just changed."""

    roles: tuple[str, ...]
    has_password: bool
    fault: str


@router.get("/")
def home(caller: Member) -> Response:
    """Lead to the first page that the caller may open."""
    return RedirectResponse(places_of(caller.roles)[0].path, 303)


@router.get("/sign-in")
def sign_in_form(request: Request, caller: Everybody, next: str = "/") -> Response:  # noqa: A002 - the field's name
    """Return the form, or lead on who has signed in already."""
    if caller.person:
        return RedirectResponse(own_path(next), 303)
    return _form(request, "sign_in.html.j2", SignInPage(own_path(next), "", ""), 200)


@router.post("/sign-in")
def sign_in(
    request: Request,
    _: Everybody,
    name: _Field,
    password: _Field,
    next: _Field = "/",  # noqa: A002 - the field's name
) -> Response:
    """Sign somebody in, and lead to the page that was asked for."""
    try:
        session = people.sign_in(site_of(request).bench, name, password, client_of(request))
    except SignInError as error:
        return _form(request, "sign_in.html.j2", SignInPage(own_path(next), str(error.faults[0].what), name), 401)
    answer = RedirectResponse(own_path(next), 303)
    _set_cookie(request, answer, cookie_name(request), session.token)
    return answer


@router.get("/join")
def join_form(request: Request, caller: Everybody) -> Response:
    """Return the form; the secret stands behind ``#`` in the link, which browsers send to nobody."""
    if caller.person:
        return RedirectResponse("/", 303)
    return _form(request, "join.html.j2", JoinPage("", "", ""), 200)


@router.post("/join")
def join(request: Request, _: Everybody, token: _Field, name: _Field, password: _Field, again: _Field) -> Response:
    """Let somebody join, and in."""
    secret = token.rpartition("#")[2].strip()
    try:
        if password != again:
            raise ChoiceError(Fault("password", "the two are not the same."))
        session = join_study(site_of(request).bench, secret, name.strip(), password, client_of(request))
    except SignInError as error:
        return _form(request, "join.html.j2", JoinPage(str(error), name, ""), 401)
    except ChoiceError as error:
        return _form(request, "join.html.j2", JoinPage(str(error), name, secret), 422)
    answer = RedirectResponse("/", 303)
    _set_cookie(request, answer, cookie_name(request), session.token)
    return answer


@router.post("/sign-out")
def sign_out(request: Request, caller: Member) -> Response:
    """End the caller's session."""
    if caller.token:
        people.sign_out(site_of(request).bench, caller.token)
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(cookie_name(request), path="/", httponly=True, samesite="strict")
    return answer


@router.get("/account")
def account(request: Request, caller: Member) -> HTMLResponse:
    """Return the page of one's own account."""
    return _account(request, caller, "")


@router.post("/account/password")
def change_password(request: Request, caller: Member, password: _Field, again: _Field) -> Response:
    """Set one's own password; all sessions end."""
    if password != again:
        return _account(request, caller, "The two passwords are not the same.", 422)
    try:
        people.set_password(site_of(request).bench, caller.person, caller.person, password)
    except UserError as error:
        return _account(request, caller, str(error), 422)
    return RedirectResponse("/sign-in", 303)


def own_path(target: str) -> str:
    """Return a path of this site; anything that could lead elsewhere becomes the first page."""
    is_own = target.startswith("/") and not target.startswith(("//", "/\\"))
    return target if is_own and target.isprintable() else "/"


def _account(request: Request, caller: Caller, fault: str, status: int = 200) -> HTMLResponse:
    me = people.me(site_of(request).bench, caller.person)
    shown = AccountPage(tuple(sorted(caller.roles)), me.has_password, fault)
    return page(request, caller, "account.html.j2", shown, status)


def _form(request: Request, template: str, shown: SignInPage | JoinPage, status: int) -> HTMLResponse:
    """Return the form with a token that is bound to a cookie of this visit."""
    visit = secrets.token_urlsafe(24)
    visitor = Caller("", "", frozenset(), signed(site_of(request), f"visit {visit}"))
    answer = page(request, visitor, template, shown, status)
    _set_cookie(request, answer, cookie_name(request, "visit"), visit)
    return answer


def _set_cookie(request: Request, answer: Response, name: str, value: str) -> None:
    secure = request.url.scheme == "https"
    answer.set_cookie(name, value, path="/", httponly=True, samesite="strict", secure=secure)
