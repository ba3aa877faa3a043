"""People, their roles, passwords and sessions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from issuebook.annotation import membership
from issuebook.annotation.events import AnyEvent, PersonAdded, Role, RolesChanged, TeamChanged
from issuebook.annotation.state import State
from issuebook.app.annotate.workbench import ALL_ROLES, Workbench, require
from issuebook.app.ports import StoredSession
from issuebook.errors import ChoiceError, Fault, NotFoundError, NotPermittedError, SignInError

LOCAL = "me"
"""Id of the person who works alone, where study.toml names nobody."""

SESSION = timedelta(hours=12)
WINDOW = timedelta(minutes=15)
ATTEMPTS_A_PERSON, ATTEMPTS_A_CLIENT = 10, 30
SHORTEST_PASSWORD, LONGEST_PASSWORD, LONGEST_NAME = 10, 500, 100


@dataclass(frozen=True, slots=True)
class Person:
    """A person.

    Attributes:
        id: as it stands in exports.
        name: for people.
        roles: without any, he or she may not enter.
        has_password: whether a password is set.
        origin: the file that a person who was only met in an import came from.
        team: empty for none.
    """

    id: str
    name: str
    roles: frozenset[Role]
    has_password: bool
    origin: str
    team: str = ""


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
    with bench.reading() as state:
        require(state, person, "coordinator")
        known = list(state.people.values())
    having = bench.services.accounts.with_password()
    return tuple(sorted((_person(one, having) for one in known), key=lambda one: (one.name, one.id)))


def me(bench: Workbench, person: str) -> Person:
    """Return the person who asks.

    Raises:
        NotFoundError: there is no such person.
    """
    with bench.reading() as state:
        known = _find(state, person)
    return _person(known, bench.services.accounts.with_password())


def local_person(bench: Workbench) -> str:
    """Return the id of the one person of a study that nobody set a password in: coordinator, annotator, adjudicator.

    For use on loopback only.

    Raises:
        NotPermittedError: somebody has a password, so everybody signs in.
    """
    if bench.services.accounts.with_password():
        raise NotPermittedError(Fault("sign in", "people of this study have passwords, so everybody signs in."))

    def add(state: State) -> list[AnyEvent]:
        if coordinators(state):
            return []
        roles = ALL_ROLES if not state.people else ("coordinator", "adjudicator", "reader")
        if LOCAL in state.people:
            return [RolesChanged(at=bench.now(), who="", person=LOCAL, roles=roles)]
        return [PersonAdded(at=bench.now(), who="", person=LOCAL, name=LOCAL, roles=roles)]

    with bench.reading() as state:
        found = coordinators(state)
    if not found:
        bench.write("", "", add)
        with bench.reading() as state:
            found = coordinators(state)
    return found[0]


def add_person(bench: Workbench, person: str, new: str, name: str, roles: Collection[Role], team: str = "") -> None:
    """Add somebody, to a team if one is named.

    Raises:
        NotPermittedError: the person is no coordinator.
        ChoiceError: the id is taken, empty, longer than 100 characters, or not printable.
    """

    def decide(state: State) -> list[AnyEvent]:
        require(state, person, "coordinator")
        named = [("id", new), ("name", name), *([("team", team)] if team else [])]
        faults = [fault for what, text in named for fault in name_faults(what, text)]
        if new in state.people:
            faults.append(Fault(new, "somebody has this id already."))
        if faults:
            raise ChoiceError(faults)
        given = tuple(role for role in ALL_ROLES if role in roles)
        return [PersonAdded(at=bench.now(), who=person, person=new, name=name, roles=given, team=team)]

    bench.write(person, "", decide)


def change_roles(bench: Workbench, person: str, whom: str, roles: Collection[Role], team: str | None = None) -> None:
    """Give somebody other roles, and another team where one is named, at once.

    Without any role he or she may no longer enter, and open sessions end. In open rounds of teams a change of team
    holds at once: who leaves gets no further unit, and stays blind where he or she has labelled.

    Args:
        bench: the study.
        person: who changes it, a coordinator.
        whom: whose they are.
        roles: all roles from now on.
        team: the team; empty for none, None for the one that there is.

    Raises:
        NotPermittedError: the person is no coordinator.
        NotFoundError: there is no such person.
        ChoiceError: no coordinator would be left, or none who can sign in, or the team's name cannot be one.
    """
    having = bench.services.accounts.with_password()

    def decide(state: State) -> list[AnyEvent]:
        require(state, person, "coordinator")
        known = _find(state, whom)
        left = [one for one in coordinators(state) if one != whom or "coordinator" in roles]
        faults = name_faults("team", team) if team else []
        if not left:
            faults.append(Fault(whom, "is the only coordinator.", "Make somebody else one first."))
        elif having and having.isdisjoint(left):
            faults.append(Fault(whom, "is the only coordinator with a password.", "Give another one a password."))
        if faults:
            raise ChoiceError(faults)
        given = tuple(role for role in ALL_ROLES if role in roles)
        made: list[AnyEvent] = [RolesChanged(at=bench.now(), who=person, person=whom, roles=given)]
        if team is not None and team != known.team:
            made.append(TeamChanged(at=bench.now(), who=person, person=whom, team=team))
        return made

    bench.write(person, "", decide)
    if not roles:
        bench.services.accounts.end_sessions_of(whom)


def set_password(bench: Workbench, person: str, whom: str, password: str) -> None:
    """Set somebody's password; all sessions of that person end.

    Raises:
        NotPermittedError: the person is neither a coordinator nor ``whom``.
        ChoiceError: the password is shorter than 10 or longer than 500 characters, or no coordinator would have one.
    """
    with bench.reading() as state:
        if person != whom:
            require(state, person, "coordinator")
        _find(state, whom)
        can_enter = {whom, *bench.services.accounts.with_password()}
        locked_out = can_enter.isdisjoint(coordinators(state))
    faults = []
    if locked_out:  # from the first password on everybody signs in, and then nobody could direct the study
        faults.append(Fault("password", "a coordinator's comes first.", "Set your own, then those of others."))
    faults += password_faults(password)
    if faults:
        raise ChoiceError(faults)
    bench.services.accounts.set_password(whom, bench.services.passwords.hash(password))


def sign_in(bench: Workbench, name: str, password: str, client: str) -> Session:
    """Return a new session.

    Wrong passwords take as long as unknown people, and are counted: after 10 in 15 minutes for a person or 30 for a
    client address, no attempt is looked at until they have passed. Who signs in is not counted, and frees nobody else:
    what the address got wrong with other names stays counted.

    Raises:
        SignInError: name and password do not fit, or too many attempts; the text does not say which part is wrong.
    """
    accounts = bench.services.accounts
    forget = count_attempt(bench, f"person:{name[:LONGEST_NAME]}", client)
    with bench.reading() as state:
        known = state.people.get(name)
        may_enter = known is not None and bool(known.roles)
    stored = accounts.password(name) if may_enter and len(password) <= LONGEST_PASSWORD else None
    if not bench.services.passwords.fits(stored, password[:LONGEST_PASSWORD]):
        raise SignInError(Fault("sign in", "name and password do not fit together."))
    forget()
    return begin_session(bench, name)


def count_attempt(bench: Workbench, of: str, client: str) -> Callable[[], None]:
    """Count an attempt to come in, under a name and a client address; return what forgets it once it succeeded.

    Raises:
        SignInError: too many failed in the last minutes.
    """
    now, accounts, by_client = bench.now(), bench.services.accounts, f"client:{client[:LONGEST_NAME]}"
    counts = accounts.count_attempt((of, by_client), _text(now), _text(now - WINDOW))
    if counts[of] > ATTEMPTS_A_PERSON or counts[by_client] > ATTEMPTS_A_CLIENT:
        raise SignInError(Fault("sign in", "too many attempts.", f"Try again in {WINDOW.seconds // 60} minutes."))
    return lambda: accounts.forget_attempts(of, one_of=by_client)


def begin_session(bench: Workbench, person: str) -> Session:
    """Return a new session of somebody who has shown who he or she is."""
    now, passwords = bench.now(), bench.services.passwords
    token, csrf, expires = passwords.secret(), passwords.secret(), _text(now + SESSION)
    bench.services.accounts.begin_session(token, StoredSession(person, csrf, expires), _text(now))
    return Session(token, person, csrf, expires)


def session(bench: Workbench, token: str) -> Session | None:
    """Return the session of a cookie, or None when it is unknown, has expired, or its person may no longer enter."""
    found = bench.services.accounts.session(token, _text(bench.now()))
    if found is None:
        return None
    with bench.reading() as state:
        known = state.people.get(found.person)
    if known is None or not known.roles:
        return None
    return Session(token, found.person, found.csrf, found.expires)


def sign_out(bench: Workbench, token: str) -> None:
    """End a session."""
    bench.services.accounts.end_session(token)


def _find(state: State, person: str) -> membership.Person:
    known = state.people.get(person)
    if known is None:
        raise NotFoundError(Fault(person or "nobody", "there is no such person."))
    return known


def coordinators(state: State) -> list[str]:
    """Return the ids of all coordinators."""
    return [one.id for one in state.people.values() if "coordinator" in one.roles]


def _person(known: membership.Person, having: frozenset[str]) -> Person:
    return Person(known.id, known.name, known.roles, known.id in having, known.origin, known.team)


def password_faults(password: str) -> list[Fault]:
    """Return what is wrong with a password; nothing if it can be one."""
    if SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        return []
    return [Fault("password", f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.")]


def name_faults(what: str, text: str) -> list[Fault]:
    """Return what is wrong with an id or a name; nothing if it can be one."""
    if not text.strip() or len(text) > LONGEST_NAME or not text.isprintable() or text != text.strip():
        return [
            Fault(what, f"{text[:LONGEST_NAME]!r}: 1 to {LONGEST_NAME} printable characters, no space around them.")
        ]
    return []


def _text(time: datetime) -> str:
    return time.isoformat()
