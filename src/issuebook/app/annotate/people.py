"""People, their roles, passwords and sessions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from issuebook.annotation.events import Role
from issuebook.app.annotate.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Person:
    """A person: id, name for people, roles (none: may not enter), whether a password is set, origin of an import."""

    id: str
    name: str
    roles: frozenset[Role]
    has_password: bool
    origin: str


@dataclass(frozen=True, slots=True)
class Session:
    """A person who has signed in.

    Attributes:
        token: the secret for the cookie; only its hash is stored.
        person: id of the person.
        csrf: the secret that forms carry.
        expires: ISO 8601.
    """

    token: str
    person: str
    csrf: str
    expires: str


def people(bench: Workbench, person: str) -> tuple[Person, ...]:
    """Return everybody, by name.

    Raises:
        NotPermittedError: the person is no coordinator.
    """
    raise NotImplementedError


def me(bench: Workbench, person: str) -> Person:
    """Return the person who asks.

    Raises:
        NotFoundError: there is no such person.
    """
    raise NotImplementedError


def local_person(bench: Workbench) -> str:
    """Return the id of the one person of a study that nobody set a password in: coordinator, annotator, adjudicator.

    For use on loopback only.

    Raises:
        NotPermittedError: somebody has a password, so everybody signs in.
    """
    raise NotImplementedError


def add_person(bench: Workbench, person: str, new: str, name: str, roles: Collection[Role]) -> None:
    """Add somebody.

    Raises:
        NotPermittedError: the person is no coordinator.
        ChoiceError: the id is taken, empty, longer than 100 characters, or not printable.
    """
    raise NotImplementedError


def change_roles(bench: Workbench, person: str, whom: str, roles: Collection[Role]) -> None:
    """Give somebody other roles; without any, he or she may no longer enter and open sessions end.

    Raises:
        NotPermittedError: the person is no coordinator.
        NotFoundError: there is no such person.
        ChoiceError: no coordinator would be left.
    """
    raise NotImplementedError


def set_password(bench: Workbench, person: str, whom: str, password: str) -> None:
    """Set somebody's password; all sessions of that person end.

    Raises:
        NotPermittedError: the person is neither a coordinator nor ``whom``.
        ChoiceError: the password is shorter than 10 or longer than 500 characters.
    """
    raise NotImplementedError


def sign_in(bench: Workbench, name: str, password: str, client: str) -> Session:
    """Return a new session.

    Wrong passwords take as long as unknown people, and are counted: after 10 in 15 minutes for a person or 30 for a
    client address, no attempt is looked at until they have passed.

    Raises:
        SignInError: name and password do not fit, or too many attempts; the text does not say which part is wrong.
    """
    raise NotImplementedError


def session(bench: Workbench, token: str) -> Session | None:
    """Return the session of a cookie, or None when it is unknown, has expired, or its person may no longer enter."""
    raise NotImplementedError


def sign_out(bench: Workbench, token: str) -> None:
    """End a session."""
    raise NotImplementedError
