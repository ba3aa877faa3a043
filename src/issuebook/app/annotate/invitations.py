"""Invitations: links by which people join a study with the roles and the team that a coordinator chose.

The secret of a link is shown once and stored nowhere; the history holds its hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from issuebook.annotation.events import AnyEvent, InvitationEnded, Invited, PersonAdded, Role
from issuebook.annotation.membership import Invitation
from issuebook.annotation.state import State
from issuebook.app.annotate.people import (
    Session,
    begin_session,
    coordinators,
    count_attempt,
    name_faults,
    password_faults,
)
from issuebook.app.annotate.workbench import ALL_ROLES, Workbench, require
from issuebook.errors import ChoiceError, Fault, NotFoundError, SignInError

MOST_USES, MOST_DAYS = 500, 90

InvitationState = Literal["open", "used up", "expired", "taken back"]


@dataclass(frozen=True, slots=True)
class InvitationView:
    """An invitation as coordinators see it; nothing in it opens anything.

    Attributes:
        id: its id.
        roles, team: what who joins by it gets.
        uses: how many may join.
        joined: ids of who did.
        until: ISO 8601.
        by: id of who made it.
        state: whether somebody may still join, or why not.
    """

    id: str
    roles: tuple[Role, ...]
    team: str
    uses: int
    joined: tuple[str, ...]
    until: str
    by: str
    state: InvitationState


def invitations(bench: Workbench, person: str) -> tuple[InvitationView, ...]:
    """Return all invitations, the newest first.

    Raises:
        NotPermittedError: the person is no coordinator.
    """
    with bench.reading() as state:
        require(state, person, "coordinator")
        known = list(state.invitations.values())
    return tuple(_view(bench, one) for one in reversed(known))


def invite(
    bench: Workbench, person: str, roles: Collection[Role], team: str = "", *, uses: int = 1, days: int = 7
) -> str:
    """Make an invitation and return its secret, which is shown this once.

    Args:
        bench: the study.
        person: who invites, a coordinator.
        roles: what who joins may do.
        team: the team that they join; empty for none.
        uses: how many people may join.
        days: after how many days it ends.

    Raises:
        NotPermittedError: the person is no coordinator.
        ChoiceError: there is no role, the team's name cannot be one, a number is out of range, or no coordinator has
            a password yet: from the first password on everybody signs in.
    """
    token, having = bench.services.passwords.secret(), bench.services.accounts.with_password()

    def decide(state: State) -> list[AnyEvent]:
        require(state, person, "coordinator")
        given = tuple(role for role in ALL_ROLES if role in roles)
        faults = [] if given else [Fault("role", "an invitation gives at least one.")]
        faults += name_faults("team", team) if team else []
        for what, number, most in (("people", uses, MOST_USES), ("days", days, MOST_DAYS)):
            faults += [] if 1 <= number <= most else [Fault(what, f"{number} is not between 1 and {most}.")]
        if having.isdisjoint(coordinators(state)):
            faults.append(Fault("password", "a coordinator's comes first.", "Set your own, then invite others."))
        if faults:
            raise ChoiceError(faults)
        now = bench.now()
        made = Invited(
            at=now,
            who=person,
            invitation=str(len(state.invitations) + 1),
            token_hash=_hash(token),
            roles=given,
            team=team,
            uses=uses,
            until=now + timedelta(days=days),
        )
        return [made]

    bench.write(person, "", decide)
    return token


def end_invitation(bench: Workbench, person: str, invitation: str) -> None:
    """Take an invitation back; who joined by it stays.

    Raises:
        NotPermittedError: the person is no coordinator.
        NotFoundError: there is no such invitation.
    """

    def decide(state: State) -> list[AnyEvent]:
        require(state, person, "coordinator")
        known = state.invitations.get(invitation)
        if known is None:
            raise NotFoundError(Fault(invitation, "there is no such invitation."))
        return [] if known.ended else [InvitationEnded(at=bench.now(), who=person, invitation=invitation)]

    bench.write(person, "", decide)


def join(bench: Workbench, token: str, name: str, password: str, client: str) -> Session:
    """Add the person who follows an invitation, under a name of the own choice, and return a session.

    Attempts with a secret that opens nothing are counted as those to sign in with a wrong password are.

    Raises:
        SignInError: no invitation that is open has this secret (the text does not say why), or too many attempts.
        ChoiceError: the name is taken or cannot be one, or the password is too short or too long.
    """
    forget = count_attempt(bench, f"invitation:{_hash(token)}", client)
    with bench.reading() as state:
        _find(bench, state, token)
        faults = [*_taken(state, name), *name_faults("name", name), *password_faults(password)]
    forget()
    if faults:
        raise ChoiceError(faults)
    hashed = bench.services.passwords.hash(password)  # takes its time, so it is made before the turn and for few

    def decide(state: State) -> list[AnyEvent]:
        made = _find(bench, state, token).made
        if taken := _taken(state, name):
            raise ChoiceError(taken)
        joined = PersonAdded(
            at=bench.now(),
            who=name,
            person=name,
            name=name,
            roles=made.roles,
            team=made.team,
            invitation=made.invitation,
        )
        return [joined]

    bench.write(name, "", decide)
    bench.services.accounts.set_password(name, hashed)
    return begin_session(bench, name)


def _taken(state: State, name: str) -> list[Fault]:
    """Return a fault where somebody has a name: also one met in an import, whose ratings nobody may take over."""
    return [Fault("name", "somebody is called so already.", "Choose another one.")] if name in state.people else []


def _find(bench: Workbench, state: State, token: str) -> Invitation:
    """Return the open invitation of a secret; comparing hashes tells nothing of a secret by the time it takes."""
    hashed, now = _hash(token), bench.now()
    for one in state.invitations.values():
        if one.made.token_hash == hashed and one.is_open(now):
            return one
    what = "this invitation is not valid, was used up or taken back, or has ended."
    raise SignInError(Fault("invitation", what, "Ask the coordinator for a new link."))


def _view(bench: Workbench, one: Invitation) -> InvitationView:
    made, now = one.made, bench.now()
    state: InvitationState = "open"
    if one.ended:
        state = "taken back"
    elif len(one.joined) >= made.uses:
        state = "used up"
    elif not one.is_open(now):
        state = "expired"
    until = made.until.isoformat()
    return InvitationView(made.invitation, made.roles, made.team, made.uses, one.joined, until, made.who, state)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
