"""The proposals of a study: where they are, and what holds after the decisions of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from issuebook.app.codebook import CodebookServices, history_of
from issuebook.app.ports import Workspace
from issuebook.app.services import Services
from issuebook.codebook.proposals.carried import carried
from issuebook.codebook.proposals.decisions import DECISION, Choice, Undo
from issuebook.codebook.proposals.drafts import with_drafts
from issuebook.codebook.proposals.replay import followed, replay
from issuebook.codebook.proposals.state import State
from issuebook.codebook.proposals.values import Draft, DraftSet, ProposalSet, Scope
from issuebook.errors import Fault, InputError
from issuebook.model.validation import nearest

FOLDER = "proposals"
LOG = "proposals.jsonl"
"""The study's file of decisions: a line each, in order. What people decided belongs to the study, not to its data."""


def set_name(scope: str) -> str:
    """Return the name that the proposals of a scope are saved under."""
    return f"{FOLDER}/{scope}.json"


def load_set(workspace: Workspace, scope: str) -> ProposalSet | None:
    """Return what was last found in a scope; None when nothing was, or another version wrote it.

    Another version's text is no loss: what people decided is in the log.
    """
    text = workspace.load(set_name(scope))
    try:
        return ProposalSet.model_validate_json(text) if text is not None else None
    except ValidationError:
        return None


def save_set(workspace: Workspace, found: ProposalSet) -> None:
    """Replace the proposals of a scope.

    Raises:
        OutputError: the place is read-only or full; the former proposals stay.
    """
    workspace.save(set_name(found.scope.name), found.model_dump_json(exclude_defaults=True).encode())


def read_log(workspace: Workspace) -> tuple[Choice | Undo, ...]:
    """Return all decisions, in order.

    Raises:
        InputError: a line is none; every such line is named.
    """
    return _parsed(_log_text(workspace))


def _log_text(workspace: Workspace) -> str:
    return workspace.study_file(LOG) if workspace.has_study_file(LOG) else ""


def _parsed(text: str) -> tuple[Choice | Undo, ...]:
    found: list[Choice | Undo] = []
    faults = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append(DECISION.validate_json(line))
        except ValidationError as error:
            what = f"this is no decision: {error.errors()[0]['msg']}."
            faults.append(Fault(f"{LOG}, line {number}", what, "Restore the line, or delete it."))
    if faults:
        raise InputError(faults)
    return tuple(found)


def append(workspace: Workspace, *made: Choice | Undo) -> None:
    """Add decisions to the log, all or none. The study must be held (``Workspace.lock``).

    Raises:
        OutputError: the place is read-only or full; the log stays as it was.
    """
    before = _log_text(workspace)
    lines = [f'{{"kind":"{one.kind}",{one.model_dump_json(exclude_defaults=True)[1:]}\n' for one in made]
    workspace.write_study_file(LOG, before + ("" if not before or before.endswith("\n") else "\n") + "".join(lines))


def known_log(services: Services) -> tuple[Choice | Undo, ...]:
    """Return all decisions, in order; read again only when the log has changed.

    Raises:
        InputError: as for ``read_log``.
    """
    text = _log_text(services.workspace)
    return services.kept.of("decisions", text, lambda: _parsed(text))


def known_set(services: Services, scope: str) -> ProposalSet | None:
    """Return what was last found in a scope, as ``load_set`` does; read again only when its content has changed."""
    made = services.workspace.saved_hash(set_name(scope))
    return services.kept.of(("proposals", scope), made, lambda: load_set(services.workspace, scope))


def known_state(services: Services, scope: str) -> State | None:
    """Return what holds in a scope now, without what models drafted; None where nothing was found that can be read.

    Raises:
        InputError, EditError: as for ``state_of``.
    """
    found = known_set(services, scope)
    if found is None:
        return None
    content = _content(services, scope)
    return services.kept.of(("state", scope), content, lambda: replay(found, known_log(services)))


def decide(services: Services, scope: str, made: Sequence[Choice]) -> None:
    """Append decisions that fit, all or none. The study must be held.

    Raises:
        EditError: one does not fit.
        OutputError: the place is read-only or full.
    """
    before, log = known_state(services, scope), known_log(services)
    after = followed(before, made) if before is not None else None
    append(services.workspace, *made)
    services.kept.put("decisions", _log_text(services.workspace), (*log, *made))
    services.kept.put(("state", scope), _content(services, scope), after)


def _content(services: Services, scope: str) -> tuple[str | None, str]:
    """Return what decides the state of a scope: the hash of what was found, and the text of the log."""
    return services.workspace.saved_hash(set_name(scope)), _log_text(services.workspace)


def drafts_name(scope: str) -> str:
    """Return the name that models' names for the proposals of a scope are saved under."""
    return f"{FOLDER}/drafts/{scope}.json"


def load_drafts(workspace: Workspace, scope: str) -> Mapping[str, Draft]:
    """Return what models drafted for the proposals of a scope; nothing when nothing was, or it cannot be read.

    A text that cannot be read is no loss: the answers that it was made of are kept.
    """
    text = workspace.load(drafts_name(scope))
    try:
        return DraftSet.model_validate_json(text).drafts if text is not None else {}
    except ValidationError:
        return {}


def save_drafts(workspace: Workspace, scope: str, drafts: Mapping[str, Draft]) -> None:
    """Add what a model drafted to what is there. The study must be held (``Workspace.lock``).

    Raises:
        OutputError: the place is read-only or full; what was there stays.
    """
    every = DraftSet(drafts={**load_drafts(workspace, scope), **drafts})
    workspace.save(drafts_name(scope), every.model_dump_json(indent=1).encode())


def holding(workspace: Workspace, found: ProposalSet, log: Sequence[Choice | Undo]) -> State:
    """Return what holds after a log of decisions, with what models drafted.

    Raises:
        EditError: the log does not fit what was found.
    """
    return with_drafts(replay(found, log), load_drafts(workspace, found.scope.name))


def scopes(workspace: Workspace) -> tuple[str, ...]:
    """Return the names of all scopes that have proposals, sorted."""
    found = workspace.find(f"data/{FOLDER}/*.json")
    return tuple(sorted(name.rpartition("/")[2].removesuffix(".json") for name in found))


def state_of(services: CodebookServices, scope: str | None = None) -> State:
    """Return what holds in a scope under the codebook as it is now; in the only scope when None.

    Raises:
        InputError: there are no proposals, or several scopes and none is named, or the log cannot be read.
        EditError: the log does not fit what was found.
    """
    workspace = services.workspace
    name = _chosen(scopes(workspace), scope)
    found = load_set(workspace, name) or ProposalSet(scope=Scope(name=name))
    return carried(holding(workspace, found, read_log(workspace)), history_of(services))


def states(services: CodebookServices) -> tuple[State, ...]:
    """Return what holds in every scope, by name."""
    return tuple(state_of(services, name) for name in scopes(services.workspace))


def _chosen(known: Sequence[str], scope: str | None) -> str:
    if not known:
        raise InputError(Fault("proposals", "the study has none yet.", "Run: issuebook cluster STUDY"))
    if scope is None and len(known) == 1:
        return known[0]
    if scope is None:
        raise InputError(Fault("--scope", f"there are {len(known)}.", f"Name one: {', '.join(known)}."))
    if scope not in known:
        raise InputError(Fault("--scope", f"no proposals of {scope!r}.", nearest(scope, known)))
    return scope
