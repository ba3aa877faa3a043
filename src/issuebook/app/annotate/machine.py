"""A machine labels the units of a round: asked, kept, written down beside what people say, never among it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from issuebook.annotation.events import AnyEvent, MachineRated
from issuebook.annotation.machine import Questionnaire, Reply, Titled, read_reply
from issuebook.annotation.state import Round, State
from issuebook.app.annotate.unit_pages import find_round
from issuebook.app.annotate.workbench import Workbench
from issuebook.app.machine_asking import Desk, Spent, first_usable, stop_if_unfit
from issuebook.corpus.identity import identity_of
from issuebook.errors import Fault, InputError
from issuebook.model.unit import Unit
from issuebook.text.chat import Question, Tokens, Unusable


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine annotator: its name in the study, the model that answers, and how much of a report it is shown."""

    name: str
    model: str
    longest: int = 20_000


@dataclass(frozen=True, slots=True)
class SetAside:
    """A unit without a usable answer, and why."""

    unit: str
    why: str


@dataclass(slots=True)
class MachineRun:
    """What a run did.

    Attributes:
        round: the round.
        labelled: units that were written down in this run.
        before: units that had been before.
        set_aside: units without a usable answer.
        missing: units that a replay has no kept answer of.
        spent: answers and tokens.
    """

    round: str
    labelled: int = 0
    before: int = 0
    set_aside: list[SetAside] = field(default_factory=list)
    missing: int = 0
    spent: Spent = field(default_factory=Spent)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would ask: how many units, how many characters in all, and the first question."""

    round: str
    units: int
    characters: int
    left_out: int
    first: Question | None


def plan(bench: Workbench, machine: Machine, round_id: str | None, limit: int | None) -> Plan:
    """Return what a run would ask; nothing is sent or stored.

    Raises:
        InputError: no round is named and there is not exactly one.
        NotFoundError: there is no such round.
    """
    current, asking = _begin(bench, machine, round_id)
    found = Plan(current.id, units=0, characters=0, left_out=0, first=None)
    for _, request in _questions(bench, machine, asking, current, limit):
        found = Plan(
            round=current.id,
            units=found.units + 1,
            characters=found.characters + len(request.body.decode()),
            left_out=found.left_out + (request.left_out > 0),
            first=found.first or request,
        )
    return found


def label(bench: Workbench, machine: Machine, desk: Desk, round_id: str | None, limit: int | None) -> MachineRun:
    """Let a machine label the units of a round that it has not labelled under the present codebook.

    While an endpoint is asked nobody else asks about the round: two runs at once would pay twice for an answer.

    Each answer is kept before it is read, and written down before the next question is asked; an answer that was kept
    is never asked for again, so a run that was killed goes on where it was.

    Raises:
        MachineError: the endpoint cannot be used; what came is kept and written down.
        StudyBusyError: another run asks about the round; it says which.
        InputError, NotFoundError: as for ``plan``.
    """
    current, asking = _begin(bench, machine, round_id)
    if desk.endpoint is None:
        return _label(bench, machine, desk, (current, asking), limit)
    by = f"{machine.name} ({machine.model}), since {bench.now().isoformat(timespec='seconds')}"
    with desk.workspace.hold(f"machine labels of round {current.id}", by):
        return _label(bench, machine, desk, (current, asking), limit)


def _label(
    bench: Workbench, machine: Machine, desk: Desk, begun: tuple[Round, Questionnaire], limit: int | None
) -> MachineRun:
    current, asking = begun
    run = MachineRun(current.id, before=sum(name == machine.name for _, name in _rated(bench, current.id)))
    total = len(current.opened.units) if limit is None else limit
    for done, (unit, first) in enumerate(_questions(bench, machine, asking, current, limit), start=1):
        ask, read = partial(asking.request, unit), partial(read_reply, facets=asking.facets, gate=asking.gate)
        said, tokens = first_usable(desk, ask, read, run.spent)
        if isinstance(said, Reply):
            _write(bench, machine, current.id, first, said, tokens)
            run.labelled += 1
        elif isinstance(said, Unusable):
            run.set_aside.append(SetAside(unit.id, said.why))
        else:
            run.missing += 1
        bench.services.progress.step("machine", done, total)
        if isinstance(said, Unusable):
            stop_if_unfit(desk, run.spent, "units", said.why)
    return run


def _begin(bench: Workbench, machine: Machine, round_id: str | None) -> tuple[Round, Questionnaire]:
    with bench.reading() as state:
        current = find_round(state, round_id or _only(state))
        facets = tuple(bench.facet(name) for name in current.opened.facets)
    examples = {each.unit for facet in facets for node in facet.nodes.values() for each in node.code.examples}
    names = {unit: found.id if (found := identity_of(unit)) else unit for unit in examples}
    titles = bench.services.units.headings(sorted(set(names.values())))
    known = {unit: Titled(name, titles[name][0]) for unit, name in names.items() if name in titles}
    gate = bench.settings.gate
    return current, Questionnaire(facets, gate, known, machine.model, machine.longest, bench.study.seed)


def _only(state: State) -> str:
    names = [one.id for one in state.rounds.values() if not one.closed] or list(state.rounds)
    if len(names) != 1:
        told = f"Rounds: {', '.join(names)}." if names else "Open one: issuebook annotate STUDY, then Rounds."
        raise InputError(Fault("--round", f"{len(names)} rounds could be meant.", told))
    return names[0]


def _rated(bench: Workbench, round_id: str) -> dict[tuple[str, str], MachineRated]:
    with bench.reading() as state:
        return dict(state.machines.get(round_id, {}))


def _questions(
    bench: Workbench, machine: Machine, asking: Questionnaire, current: Round, limit: int | None
) -> Iterator[tuple[Unit, Question]]:
    """Yield the units that the machine has not labelled by this very question, with it, in the round's order."""
    before = _rated(bench, current.id)
    left = len(current.opened.units) if limit is None else limit
    for name in current.opened.units:
        unit = bench.services.units.get(name) if left > 0 else None
        if unit is None:
            continue
        request = asking.request(unit)
        known = before.get((unit.id, machine.name))
        if known is None or known.request != request.digest:
            left -= 1
            yield unit, request


def _write(bench: Workbench, machine: Machine, round_id: str, request: Question, said: Reply, tokens: Tokens) -> None:
    event = MachineRated(
        at=bench.now(),
        who="",
        key=f"machine {request.digest} {machine.name}"[:200],
        round=round_id,
        unit=request.about,
        machine=machine.name,
        model=machine.model,
        answers=said.answers,
        cannot_say=said.cannot_say,
        reason=said.reason,
        codebook=bench.codebook.version,
        request=request.digest,
        left_out=request.left_out,
        tokens_read=tokens.read,
        tokens_written=tokens.written,
    )

    def decide(_: State) -> list[AnyEvent]:
        return [event]

    bench.write("", event.key, decide)
