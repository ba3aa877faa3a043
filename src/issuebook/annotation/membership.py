"""Who belongs to a study: people with roles and teams, and the invitations by which they join."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from issuebook.annotation.events import InvitationEnded, Invited, PersonAdded, Role, RolesChanged, TeamChanged


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the study; ``team`` is empty for who belongs to none."""

    id: str
    name: str
    roles: frozenset[Role]
    origin: str = ""
    team: str = ""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link by which people join: the event that made it, who joined by it, and whether it was taken back."""

    made: Invited
    joined: tuple[str, ...] = ()
    ended: bool = False

    def is_open(self, now: datetime) -> bool:
        """Return whether somebody may still join by it."""
        return not self.ended and len(self.joined) < self.made.uses and now < self.made.until


def take_up(
    people: dict[str, Person],
    invitations: dict[str, Invitation],
    event: PersonAdded | RolesChanged | TeamChanged | Invited | InvitationEnded,
) -> None:
    """Let people and invitations be what they are after an event."""
    match event:
        case PersonAdded():
            roles = frozenset(event.roles)
            people[event.person] = Person(event.person, event.name, roles, event.origin, event.team)
            if event.invitation in invitations:
                followed = invitations[event.invitation]
                invitations[event.invitation] = replace(followed, joined=(*followed.joined, event.person))
        case RolesChanged():
            people[event.person] = replace(people[event.person], roles=frozenset(event.roles))
        case TeamChanged():
            people[event.person] = replace(people[event.person], team=event.team)
        case Invited():
            invitations[event.invitation] = Invitation(event)
        case InvitationEnded():
            invitations[event.invitation] = replace(invitations[event.invitation], ended=True)
