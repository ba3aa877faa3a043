"""What happens in the workbench, as events: each says who, when, and in which place of the history.

An event is never changed or removed. What holds at present is a fold over all of them (``annotation.state``); a rating
is superseded by a later one of the same annotator, and undone by an event that names it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter

Role = Literal["coordinator", "annotator", "adjudicator", "reader"]
"""What a person may do: see everything and direct; label; decide; read results."""

RoundKind = Literal["calibration", "blind"]
"""Whether annotators see each other's ratings (calibration) or not until the round is closed (blind)."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Answer(_Value):
    """One annotator's codes for one unit in one facet."""

    facet: str
    code: str
    secondary: tuple[str, ...] = ()


class Event(_Value):
    """Base of all events.

    Attributes:
        seq: place in the history, from 1; 0 before the event is appended.
        at: when.
        who: id of the person who acted.
        key: chosen by the client, so that what is sent twice happens once; empty for what cannot be sent twice.
    """

    seq: int = 0
    at: AwareDatetime
    who: str
    key: str = ""


class PersonAdded(Event):
    """A person joined.

    Attributes:
        person: id of the person.
        name: name for people.
        roles: what the person may do.
        origin: the file that a person who was only met in an import came from.
        team: the team that the person belongs to; empty for none.
        invitation: the invitation that the person followed; empty for one whom a coordinator added.
    """

    kind: Literal["person added"] = "person added"
    person: str
    name: str
    roles: tuple[Role, ...]
    origin: str = ""
    team: str = ""
    invitation: str = ""


class RolesChanged(Event):
    """A person's roles are now these; without any, the person may no longer enter."""

    kind: Literal["roles changed"] = "roles changed"
    person: str
    roles: tuple[Role, ...]


class TeamChanged(Event):
    """A person now belongs to this team, or to none when it is empty."""

    kind: Literal["team changed"] = "team changed"
    person: str
    team: str


class Invited(Event):
    """A link was made by which people join; its secret is in nobody's hands but theirs.

    Attributes:
        invitation: id of the invitation, which is no secret.
        token_hash: SHA-256 of the secret.
        roles, team: what who joins by it gets.
        uses: how many people may join.
        until: when it ends.
    """

    kind: Literal["invited"] = "invited"
    invitation: str
    token_hash: str
    roles: tuple[Role, ...]
    team: str = ""
    uses: int = Field(ge=1)
    until: AwareDatetime


class InvitationEnded(Event):
    """An invitation was taken back; who joined by it stays."""

    kind: Literal["invitation ended"] = "invitation ended"
    invitation: str


class RoundOpened(Event):
    """A round of labelling began; everything that decides who labels what is in this event.

    Attributes:
        round: id of the round.
        mode: calibration or blind.
        facets: what is asked, in this order.
        units: ids of the units in the order in which they are handed out. The order is fixed here, before any rating
            of the round, so that it cannot tell anything about one.
        per_unit: how many annotators label each unit.
        annotators: who may take part; empty for everyone with the role.
        teams: whose members may take part, whoever belongs to them at the time; empty for all teams and nobody's.
        lease_minutes: how long a unit waits for the annotator it was handed to.
        sample: where units are chosen because they tell most, the units that are a random sample of all, also of rounds
            before; empty where the round's units are one.
    """

    kind: Literal["round opened"] = "round opened"
    round: str
    mode: RoundKind
    facets: tuple[str, ...]
    units: tuple[str, ...]
    per_unit: int = Field(ge=1)
    annotators: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    lease_minutes: int = Field(default=60, ge=1)
    sample: tuple[str, ...] = ()


class RoundClosed(Event):
    """A round ended: what counts in it is fixed, and later ratings are evidence for decisions only."""

    kind: Literal["round closed"] = "round closed"
    round: str


class UnitEvent(Event):
    """Base of what happens to one unit in one round."""

    round: str
    unit: str


class Leased(UnitEvent):
    """A unit was handed to ``who``, whose place is kept until a time."""

    kind: Literal["leased"] = "leased"
    until: AwareDatetime


class Released(UnitEvent):
    """``who`` gave a unit back without labelling it."""

    kind: Literal["released"] = "released"


class Rated(UnitEvent):
    """``who`` labelled a unit.

    Attributes:
        answers: one a facet asked for; facets behind a gate that was shut are left out.
        memo: a note for adjudication.
        unsure: whether the annotator doubts.
        flag: whether the annotator asks for the coordinator's attention.
        seconds: active time spent.
        codebook: version of the codebook that was shown.
        origin: the file that an imported rating came from; empty for one made here.
        is_evidence_only: whether an imported rating did not count where it came from, and does not here.
        dated: whether ``at`` is when it was said; False for an imported one that does not tell, whose ``at`` is when it
            was imported.
        revises: place of the own rating that this one carries to a newer version of the codebook; it counts where that
            one did, also after its round was closed. 0 for a rating that is not of that kind.
    """

    kind: Literal["rated"] = "rated"
    answers: tuple[Answer, ...] = Field(min_length=1)
    memo: str = ""
    unsure: bool = False
    flag: bool = False
    seconds: float = Field(default=0.0, ge=0.0)
    codebook: str = ""
    origin: str = ""
    is_evidence_only: bool = False
    dated: bool = True
    revises: int = 0


class Skipped(UnitEvent):
    """``who`` will not label a unit, and why; the place goes to somebody else. Fields as those of ``Rated``."""

    kind: Literal["skipped"] = "skipped"
    reason: str
    seconds: float = Field(default=0.0, ge=0.0)
    origin: str = ""
    is_evidence_only: bool = False
    dated: bool = True


class Undone(UnitEvent):
    """``who`` took back an own rating or skip, the one with the place ``target``; what it superseded holds again."""

    kind: Literal["undone"] = "undone"
    target: int


class Adjudicated(UnitEvent):
    """A decision on a unit in one facet; ratings stay as they are.

    Attributes:
        answer: the decision.
        reason: why.
        seen: place of the newest event that the adjudicator had seen; later ratings are new evidence.
        codebook: version of the codebook that was shown; empty for decisions made before this was written down.
        origin: the file that an imported decision came from; empty for one made here.
        dated: as that of ``Rated``.
    """

    kind: Literal["adjudicated"] = "adjudicated"
    answer: Answer
    reason: str
    seen: int
    codebook: str = ""
    origin: str = ""
    dated: bool = True


class MachineRated(UnitEvent):
    """A machine labelled a unit. It takes no place, counts in nothing and stands beside what people say.

    Attributes:
        machine: name of the machine annotator.
        model: the model that answered.
        answers: one a facet of which it could say; ``cannot_say`` names the others.
        reason: what it gave as its reason.
        codebook: version of the codebook that it was shown.
        request: name of the question, under which its answer is kept.
        left_out: characters of the report that it was not shown.
        tokens_read, tokens_written: what the answer took, of all attempts; None where the endpoint did not tell.
    """

    kind: Literal["machine rated"] = "machine rated"
    machine: str
    model: str
    answers: tuple[Answer, ...] = ()
    cannot_say: tuple[str, ...] = ()
    reason: str = ""
    codebook: str = ""
    request: str = ""
    left_out: int = 0
    tokens_read: int | None = None
    tokens_written: int | None = None


AnyEvent = Annotated[
    PersonAdded
    | RolesChanged
    | TeamChanged
    | Invited
    | InvitationEnded
    | RoundOpened
    | RoundClosed
    | Leased
    | Released
    | Rated
    | Skipped
    | Undone
    | Adjudicated
    | MachineRated,
    Field(discriminator="kind"),
]

_EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)
_ENVELOPE = {"seq", "at", "who", "key", "kind"}


def payload(event: AnyEvent) -> str:
    """Return what an event says beside its envelope (seq, at, who, key, kind), as JSON."""
    return event.model_dump_json(exclude=_ENVELOPE, exclude_defaults=True)


def read_event(data: dict[str, object]) -> AnyEvent:
    """Return the event of plain data: envelope and payload in one mapping.

    Raises:
        ValueError: the data are no event.
    """
    return _EVENT.validate_python(data)


def numbered(events: Iterable[AnyEvent], first: int) -> list[AnyEvent]:
    """Return events with their places in the history, beginning at ``first``."""
    return [event.model_copy(update={"seq": first + place}) for place, event in enumerate(events)]
