"""The use case that asks a model for names of proposals: asked by theme, kept, checked, shown as a model's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from issuebook.app.machine_asking import Desk, Spent, first_usable, stop_if_unfit
from issuebook.app.proposals import save_drafts, state_of
from issuebook.app.services import Services
from issuebook.app.study_files import load_study
from issuebook.codebook.proposals.drafts import Drafts, Siblings, siblings_to_name
from issuebook.codebook.proposals.values import Draft
from issuebook.errors import MachineError
from issuebook.sources.trackers.privacy import masked
from issuebook.text.chat import Question, Unusable


@dataclass(frozen=True, slots=True)
class NotNamed:
    """A theme whose proposals keep the names that terms give them, and why."""

    theme: str
    why: str


@dataclass(slots=True)
class NamingRun:
    """What a run did.

    Attributes:
        scope: the proposals that were asked about.
        named: proposals that got a name in this run; ``before`` counts those that had one of the model.
        set_aside: themes without a usable answer.
        missing: themes that a replay has no kept answer of.
        left: themes that were not asked about, since the endpoint could not be used.
        spent: answers and tokens.
        stopped: why the endpoint could not be used; None where it could.
    """

    scope: str
    named: int = 0
    before: int = 0
    set_aside: list[NotNamed] = field(default_factory=list)
    missing: int = 0
    left: int = 0
    spent: Spent = field(default_factory=Spent)
    stopped: MachineError | None = None


@dataclass(frozen=True, slots=True)
class NamingPlan:
    """What a run would ask: how many themes and proposals, how many characters in all, and the first question."""

    scope: str
    themes: int
    proposals: int
    characters: int
    first: Question | None


def plan_names(services: Services, model: str, scope: str | None) -> NamingPlan:
    """Return what a run would ask; nothing is sent or stored.

    Raises:
        InputError: there are no proposals, or several scopes and none is named.
        EditError: the log of decisions does not fit what was found.
    """
    name, asked, _ = _asked(services, model, scope)
    seed = load_study(services.workspace).study.seed
    questions = [one.question(model, seed) for one in asked]
    return NamingPlan(
        scope=name,
        themes=len(asked),
        proposals=sum(len(one.asked) for one in asked),
        characters=sum(len(one.body.decode()) for one in questions),
        first=questions[0] if questions else None,
    )


def name_proposals(services: Services, desk: Desk, model: str, scope: str | None) -> NamingRun:
    """Ask a model for names and criteria of the proposals of a scope, a theme at a time.

    Each answer is kept before it is read, and what it gives is saved before the next question is asked; an answer that
    was kept is never asked for again. Where no answer can be used, the names that terms give stay. Proposals keep their
    reports, and names that persons gave are not asked about.

    Raises:
        InputError, EditError: as for ``plan_names``.
        OutputError: what was drafted cannot be saved.
    """
    name, asked, before = _asked(services, model, scope)
    seed = load_study(services.workspace).study.seed
    run = NamingRun(name, before=before)
    for done, one in enumerate(asked, start=1):
        try:
            _name(services, desk, one, partial(one.question, model, seed), model, run)
        except MachineError as error:
            run.stopped, run.left = error, len(asked) - done
            break
        services.progress.step("names", done, len(asked))
    return run


def _name(
    services: Services, desk: Desk, one: Siblings, question: partial[Question], model: str, run: NamingRun
) -> None:
    try:
        said, _ = first_usable(desk, question, partial(one.read, model=model), run.spent)
    except MachineError as error:
        run.set_aside.append(NotNamed(one.theme, str(error.faults[0].what)))
        raise
    if isinstance(said, Drafts):
        _save(services, run.scope, said.drafts)
        run.named += len(said.drafts)
    elif isinstance(said, Unusable):
        run.set_aside.append(NotNamed(one.theme, said.why))
        stop_if_unfit(desk, run.spent, "themes", said.why)
    else:
        run.missing += 1


def _save(services: Services, scope: str, drafts: Mapping[str, Draft]) -> None:
    """Save what was drafted; the study is held only for that, for an answer may take minutes."""
    with services.workspace.lock():
        save_drafts(services.workspace, scope, drafts)


def _asked(services: Services, model: str, scope: str | None) -> tuple[str, tuple[Siblings, ...], int]:
    """Return the scope, the themes to ask about with people masked, and how many proposals have the model's name."""
    state = state_of(services, scope)
    asked, before = siblings_to_name(state, model)
    return state.found.scope.name, tuple(map(_veiled, asked)), before


def _veiled(one: Siblings) -> Siblings:
    shown = (replace(each, titles=tuple(masked(title, _nobody) for title in each.titles)) for each in one.asked)
    return Siblings(one.theme, tuple(shown), one.named)


def _nobody(_: str) -> str:
    return "someone"
