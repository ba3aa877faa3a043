"""Walking the proposals tree: what may become codes, as far as decided; only the coordinator walks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from issuebook.annotation.visibility import visible_to
from issuebook.app.proposals import drafts_name, known_log, known_set, known_state, load_drafts, scopes, set_name
from issuebook.app.services import Services
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.codebook.proposals.carried import carried
from issuebook.codebook.proposals.decisions import Choice, Undo, in_force
from issuebook.codebook.proposals.drafts import with_drafts
from issuebook.codebook.proposals.state import State
from issuebook.codebook.proposals.values import Placed, ProposalSet, Scope
from issuebook.errors import Fault, NotFoundError


@dataclass(frozen=True)
class Walk:
    """The proposals of one scope as they stand.

    Attributes:
        state: what holds.
        log: every decision about this scope, oldest first.
        holding: ids of those that hold.
    """

    state: State
    log: tuple[Choice | Undo, ...]
    holding: frozenset[str]

    @cached_property
    def reports(self) -> Mapping[str, Placed]:
        """Every report, by id."""
        return {report.id: report for report in self.state.found.reports}

    @cached_property
    def members(self) -> Mapping[str, tuple[Placed, ...]]:
        """The reports of each proposal, those that fit best first."""
        found: dict[str, list[Placed]] = {}
        for report, proposal in self.state.place.items():
            found.setdefault(proposal, []).append(self.reports[report])
        return {name: tuple(sorted(few, key=lambda one: (-one.fit, one.id))) for name, few in found.items()}

    @cached_property
    def unclear(self) -> tuple[Placed, ...]:
        """The reports that a person should look at and has not given a code."""
        return tuple(one for one in self.state.found.unclear if one.id not in self.state.coded)

    @cached_property
    def suggested(self) -> Mapping[tuple[str, str], tuple[int, int]]:
        """How many reports are suggested for each (facet, code): all, and those of them that a person chose."""
        told = self.state.suggested()
        every = Counter((goal.facet, goal.code) for _, goal, _ in told)
        chosen = Counter((goal.facet, goal.code) for _, goal, by in told if by == "person")
        return {goal: (count, chosen[goal]) for goal, count in every.items()}


def scopes_of(desk: CodebookDesk, person: str) -> tuple[str, ...]:
    """Return the names of the scopes whose proposals a person may walk.

    A scope that was chosen by ratings tells of them, so who labels in an open blind round does not see it.

    Raises:
        NotPermittedError: the person is no coordinator.
    """
    desk.require(person, "coordinator")
    with desk.bench.reading() as state:
        veiled = bool(visible_to(state, person).veils)
    services = desk.bench.services.study
    names = scopes(services.workspace)
    if not veiled:
        return names
    found = (known_set(services, name) for name in names)
    return tuple(
        one.scope.name for one in found if one is not None and not one.scope.codes and not one.scope.unlabelled
    )


def walk(desk: CodebookDesk, person: str, scope: str = "") -> Walk | None:
    """Return the proposals of a scope, of the first when none is named; None when nothing was clustered yet.

    Raises:
        NotPermittedError: the person is no coordinator.
        NotFoundError: there is no such scope, or the person may not see it now.
        InputError: the decisions cannot be read.
        EditError: the decisions do not fit what was found.
    """
    known = scopes_of(desk, person)
    if not known and not scope:
        return None
    name = scope or known[0]
    if name not in known:
        raise NotFoundError(Fault(name, "there are no such proposals, or you may not see them while you label blind."))
    services, history = desk.bench.services.study, desk.history
    state = known_state(services, name) or State(found=ProposalSet(scope=Scope(name=name)))
    every = known_log(services)

    def make() -> Walk:
        log = tuple(one for one in every if one.scope == name)
        present = carried(with_drafts(state, load_drafts(services.workspace, name)), history)
        return Walk(present, log, frozenset(one.id for one in in_force(log)))

    files = tuple(services.workspace.saved_hash(one) for one in (set_name(name), drafts_name(name)))
    content = (files, tuple(one.id for one in every), len(history.entries))
    return services.kept.of(("walk", name), content, make)


def acting(desk: CodebookDesk, person: str, scope: str) -> Services:
    """Return the study for a person who may decide about the proposals of a scope.

    Raises:
        NotPermittedError, NotFoundError: as for ``walk``.
    """
    if scope not in scopes_of(desk, person):
        raise NotFoundError(Fault(scope, "there are no such proposals, or you may not see them while you label blind."))
    return desk.bench.services.study
