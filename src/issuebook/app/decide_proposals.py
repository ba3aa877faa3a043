"""What a person does with proposals: accept as a code, send to one, merge, split, reject, move a report, take back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from issuebook.app.cluster import kept_features
from issuebook.app.codebook import Author, edit, facet_in, history_of
from issuebook.app.judged_reports import id_of
from issuebook.app.proposals import append, decide, known_log, known_state, load_drafts, scopes, set_name
from issuebook.app.services import Services
from issuebook.codebook.proposals.decisions import DECISION, Accept, Choice, Undo, in_force
from issuebook.codebook.proposals.divide import named_parts, sub_cut
from issuebook.codebook.proposals.drafts import plain, with_drafts
from issuebook.codebook.proposals.features import Report
from issuebook.codebook.proposals.new_code import NewCode, code_of
from issuebook.codebook.proposals.replay import refuse_overlap, replay
from issuebook.codebook.proposals.state import State
from issuebook.errors import EditError, Fault, InputError
from issuebook.model.validation import nearest
from issuebook.stats.clustering.partition import ClusterSettings
from issuebook.text.terms import words


@dataclass(frozen=True, slots=True)
class Division:
    """How a proposal is split: into ``groups`` of its own, or by a ``keyword``, or by a list of ``reports``.

    With none of them it is split into as many parts as fit best.
    """

    groups: int | None = None
    keyword: str | None = None
    reports: tuple[str, ...] = ()


def accept(services: Services, proposal: str, code: NewCode, author: Author) -> Choice:
    """Make a proposal a code: an edit of the codebook's history, on the evidence of its exemplars.

    Its reports become suggestions for that code, never ratings.

    Raises:
        EditError: there is no such proposal, or the codebook does not take the code.
    """
    with services.workspace.lock():
        state = _state_with(services, proposal)
        chosen = state.open(proposal)
        facet = facet_in(history_of(services).head, code.facet).id
        urls = {report.id: report.url or report.id for report in state.found.reports}
        members = state.members(proposal)
        shown = [urls[one.report] for one in chosen.exemplars if one.report in members]
        evidence = tuple(dict.fromkeys([*author.evidence, *(shown or [urls[name] for name in members[:5]])]))
        new = code_of(chosen, code, shown)
        why = author.why or f"accepted proposal {proposal}: {chosen.name}"
        said: dict[str, Any] = {"kind": "add", "facet": facet, "new": new, "parent": code.parent}
        added = edit(services, said, Author(author.who, why, evidence))
        about: dict[str, Any] = {"proposal": proposal, "facet": facet, "code": code.id, "reports": members}
        about |= {"entry": added.entry.id, "on": added.number}
        return _decide(services, state, [{"kind": "accept", **about}], author)[0]


def rename(services: Services, proposal: str, name: str, author: Author) -> Choice:
    """Name a proposal; neither a later clustering nor a model calls it otherwise.

    Raises:
        EditError: there is no such proposal, or the name is empty.
    """
    if not plain(name):
        raise EditError(Fault(proposal, "a name has something in it."))
    with services.workspace.lock():
        state = _state_with(services, proposal)
        about = {"kind": "rename", "proposal": proposal, "name": plain(name), "reports": state.members(proposal)}
        return _decide(services, state, [about], author)[0]


def send(services: Services, proposal: str, code: str, facet: str | None, author: Author) -> Choice:
    """Suggest the reports of a proposal for a code that there is.

    Raises:
        EditError: there is no such proposal or code.
    """
    with services.workspace.lock():
        state = _state_with(services, proposal)
        found = _code(services, code, facet)
        about: dict[str, Any] = {"proposal": proposal, "facet": found, "code": code, "on": _number(services)}
        about["reports"] = state.members(proposal)
        return _decide(services, state, [{"kind": "send", **about}], author)[0]


def reject(services: Services, proposals: Sequence[str], author: Author) -> tuple[Choice, ...]:
    """Say that proposals are no codes; they are not offered again.

    Raises:
        EditError: there is no such proposal; then none is rejected.
    """
    with services.workspace.lock():
        for name in proposals:
            _state_with(services, name).open(name)
        made: list[Choice] = []
        for name in proposals:
            state = _state_with(services, name)
            about = {"kind": "reject", "proposal": name, "reports": state.members(name)}
            made += _decide(services, state, [about], author)
        return tuple(made)


def merge(services: Services, groups: Sequence[Sequence[str]], author: Author) -> tuple[Choice, ...]:
    """Merge proposals, each group into its first.

    Raises:
        EditError: groups share a proposal, have fewer than two, or name one that is not open; then none is merged.
    """
    with services.workspace.lock():
        distinct = [tuple(dict.fromkeys(group)) for group in groups]
        refuse_overlap(distinct)
        for group in distinct:
            if len(group) < 2:
                raise EditError(Fault(", ".join(group), "a merge needs two proposals.", "Join ids by commas: p1,p2"))
            state = _state_with(services, group[0])
            for name in group:
                state.open(name)
        made: list[Choice] = []
        for group in distinct:
            state = _state_with(services, group[0])
            reports = [report for name in group for report in state.members(name)]
            made += _decide(services, state, [{"kind": "merge", "proposals": group, "reports": reports}], author)
        return tuple(made)


def split(services: Services, proposal: str, division: Division, author: Author) -> Choice:
    """Split a proposal.

    Raises:
        EditError: there is no such proposal, or all of its reports would go to one part.
        InputError: the features of its clustering are gone.
    """
    with services.workspace.lock():
        state = _state_with(services, proposal)
        state.open(proposal)
        members = state.members(proposal)
        reports, known = kept_features(services, state.found, set(members))
        ids = [report.id for report in reports]
        if division.keyword is not None or division.reports:
            chosen = _chosen(reports, members, division)
            parts = [[name for name in members if name in chosen], [name for name in members if name not in chosen]]
        else:
            parts = sub_cut(ids, known, set(members), division.groups, ClusterSettings())
        taken = {*state.proposals, *state.gone}
        named = named_parts(ids, known, parts, state.found.scope.name, taken)
        told = [part.model_dump() for part in named]
        return _decide(services, state, [{"kind": "split", "proposal": proposal, "parts": told}], author)[0]


def move(
    services: Services,
    reports: Sequence[str],
    to: str,
    author: Author,
    *,
    facet: str | None = None,
    scope: str | None = None,
) -> tuple[Choice, ...]:
    """Put reports of one scope into another proposal, or suggest them for a code; no later clustering moves them.

    Raises:
        EditError: there is no such report, or neither a proposal nor a code of that id; then none is moved.
    """
    with services.workspace.lock():
        names = [id_of(report) for report in reports]
        states = [one for one in _states(services) if scope in (None, one.found.scope.name)]
        having = [one for one in states if _knows(one, names)]
        if not having:
            told = ", ".join(reports)
            raise EditError(Fault(told, "no proposals know this report.", "Name it by its address or id."))
        state = next((one for one in having if to in one.proposals), None)
        goal: dict[str, Any] = {"proposal": to}
        if state is None:
            goal = {"facet": _code(services, to, facet), "code": to, "on": _number(services)}
        abouts = [{"kind": "move", "report": name, **goal} for name in names]
        return _decide(services, state or having[0], abouts, author)


def _knows(state: State, reports: Sequence[str]) -> bool:
    return {one.id for one in state.found.reports}.issuperset(reports)


def undo(services: Services, decision: str | None, author: Author) -> Undo:
    """Take a decision back, the last one when None; an accepted code leaves the codebook again.

    Raises:
        EditError: there is no such decision, or others stand on it.
    """
    with services.workspace.lock():
        log = known_log(services)
        target = _target(log, decision)
        state = _replayed(services, target.scope)
        about: dict[str, Any] = {"kind": "undo", "decision": target.id}
        if target.kind in ("merge", "split") and target.run != state.found.run:
            what = "reports were clustered since, and began with it."
            raise EditError(Fault(target.id, what, "Split or merge the proposals as they are now."))
        entry = _entry(services, state, about, author)
        _refuse_if_others_stand_on_it(state, (*log, entry))
        if isinstance(target, Accept) and target.entry in {one.id for one in _edits(services)}:
            edit(services, {"kind": "undo", "edit": target.entry}, Author(author.who, author.why))
        append(services.workspace, entry)
    if not isinstance(entry, Undo):
        raise TypeError(f"an undo became {entry.kind}")
    return entry


def _edits(services: Services) -> tuple[Any, ...]:
    history = history_of(services)
    return history.in_force(len(history.entries))


def _target(log: Sequence[Choice | Undo], decision: str | None) -> Choice | Undo:
    if decision is not None:
        found = next((one for one in log if one.id == decision), None)
        if found is None:
            raise EditError(Fault(decision, "there is no such decision.", nearest(decision, [one.id for one in log])))
        return found
    standing = in_force(log)
    if not standing:
        raise EditError(Fault("undo", "no decision holds that could be taken back."))
    return standing[-1]


def _refuse_if_others_stand_on_it(state: State, log: Sequence[Choice | Undo]) -> None:
    try:
        replay(state.found, log)
    except EditError as error:
        what = f"later decisions stand on it: {error.faults[0]}"
        raise EditError(Fault("undo", what, "Take those back first: issuebook proposals log")) from None


def _chosen(reports: Sequence[Report], members: Sequence[str], division: Division) -> set[str]:
    """Return the reports that go to the first part."""
    if division.keyword is not None:
        asked = [word for word in words(division.keyword) if word]
        inside = set(members)
        return {one.id for one in reports if one.id in inside and _holds(one.text, asked)}
    named = {id_of(report) for report in division.reports}
    strange = sorted(named - set(members))
    if strange:
        raise EditError([Fault(name, "it is not in this proposal.") for name in strange])
    return named


def _holds(text: str, asked: Sequence[str]) -> bool:
    """Return whether a text has the words one after the other, as terms are read."""
    found = [word for word in words(text) if word]
    number = len(asked)
    return any(found[at : at + number] == list(asked) for at in range(len(found) - number + 1)) if asked else False


def _code(services: Services, code: str, facet: str | None) -> str:
    """Return the facet of a code that the codebook has."""
    head = history_of(services).head
    chosen = facet_in(head, facet)
    node = chosen.nodes.get(code)
    if node is None or node.code.status == "retired":
        raise EditError(Fault(code, f"{chosen.id} has no such code.", nearest(code, list(chosen.nodes))))
    return chosen.id


def _number(services: Services) -> int:
    """Return how many entries the codebook's history has."""
    return len(history_of(services).entries)


def _states(services: Services) -> list[State]:
    return [_replayed(services, name) for name in scopes(services.workspace)]


def _replayed(services: Services, scope: str) -> State:
    found = known_state(services, scope)
    if found is None:
        raise InputError(Fault(set_name(scope), "these proposals cannot be read.", "Run: issuebook cluster STUDY"))
    return with_drafts(found, load_drafts(services.workspace, scope))


def _state_with(services: Services, proposal: str) -> State:
    """Return the state of the scope that has, or had, a proposal."""
    states = _states(services)
    if not states:
        raise InputError(Fault("proposals", "the study has none yet.", "Run: issuebook cluster STUDY"))
    state = next((one for one in states if proposal in one.proposals or proposal in one.gone), None)
    if state is None:
        known = [name for one in states for name in one.proposals]
        raise EditError(Fault(proposal, "there is no such proposal.", nearest(proposal, known)))
    return state


def _decide(
    services: Services, state: State, abouts: Sequence[Mapping[str, Any]], author: Author
) -> tuple[Choice, ...]:
    """Append decisions that fit, all or none; the study is held."""
    entries = [_entry(services, state, about, author, at) for at, about in enumerate(abouts)]
    made = tuple(one for one in entries if not isinstance(one, Undo))
    decide(services, state.found.scope.name, made)
    return made


def _entry(services: Services, state: State, about: Mapping[str, Any], author: Author, at: int = 0) -> Choice | Undo:
    """Return a decision about a scope; ``at`` is its place among those that are made together."""
    when, number = services.clock.now(), len(known_log(services)) + at
    own = hashlib.sha256(json.dumps([number, author.who, when, about], default=list).encode()).hexdigest()[:8]
    who = {"id": own, "who": author.who, "when": when, "why": author.why}
    return DECISION.validate_python({**who, "scope": state.found.scope.name, "run": state.found.run, **about})
