"""Cases K-T7 and K-T9: whatever people and machine do in turn, what people decided stays, and no report is lost."""

from __future__ import annotations

import re
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planted_reports import grouped, planted, written

from issuebook.codebook.proposals.decisions import DECISION, AnyDecision, Undo
from issuebook.codebook.proposals.features import Report
from issuebook.codebook.proposals.join import Earlier
from issuebook.codebook.proposals.propose import Grouped, propose
from issuebook.codebook.proposals.replay import followed, replay
from issuebook.codebook.proposals.state import State
from issuebook.codebook.proposals.values import Placed, ProposalSet, Scope
from issuebook.errors import EditError
from issuebook.stats.clustering.partition import ClusterSettings

NUMBERS = (40, 50, 60)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["accept", "send", "reject", "rename", "merge", "split", "move", "undo", "join", "afresh", "groups", "lost"]
        ),
        st.integers(0, 1000),
        st.integers(0, 1000),
    ),
    max_size=12,
)


@cache
def corpus(number: int) -> tuple[list[Report], Grouped]:
    reports = written(planted(60, words=8))[:number]
    return reports, grouped(reports)


def clustered(number: int, earlier: Earlier | None, groups: int = 6) -> ProposalSet:
    reports, known = corpus(number)
    return propose(reports, known, Scope(name="all"), ClusterSettings(number=groups, subsamples=0), earlier)


def said(kind: str, a: int, b: int, state: State, log: list[AnyDecision]) -> dict[str, object]:
    """What a person says, whether it fits or not."""
    names = [name for name in state.proposals if name not in state.rejected] or ["none"]
    one, other = names[a % len(names)], names[b % len(names)]
    members = state.members(one)
    half = len(members) // 2
    parts = [(f"n{len(log)}a", members[:half]), (f"n{len(log)}b", members[half:])]
    code: dict[str, object] = {"proposal": one, "facet": "theme", "code": f"C.{b % 5}", "reports": members}
    about: dict[str, dict[str, object]] = {
        "undo": {"decision": log[a % len(log)].id if log else "none"},
        "accept": {**code, "entry": "e"},
        "send": code,
        "reject": {"proposal": one, "reports": members},
        "rename": {"proposal": one, "name": f"Said {len(log)}", "reports": members},
        "merge": {"proposals": [one, other], "reports": [*members, *state.members(other)]},
        "split": {"proposal": one, "parts": [{"id": own, "name": own, "reports": some} for own, some in parts]},
        "move": {"report": state.found.reports[a % len(state.found.reports)].id, "proposal": other},
    }
    return {"kind": kind, **about[kind]}


def run_again(kind: str, number: int, state: State, log: list[AnyDecision], groups: int) -> State:
    """What holds after the machine ran again: new reports joined, all were clustered, or the last result was lost."""
    if kind == "lost":
        nothing = ProposalSet(scope=state.found.scope, reports=tuple(Placed(id=one.id) for one in corpus(number)[0]))
        state = replay(nothing, log)
    earlier = state.earlier(kept=kind == "join")
    return replay(clustered(number, earlier, groups if kind == "groups" else 6), log)


def decided(state: State) -> dict[str, object]:
    """What a person said of reports, one by one: the proposal that was shaped, judged or named, or the code."""
    shaped = {name: where for name, where in state.place.items() if where in state.held or name in state.pinned}
    names = {name: state.proposals[name].name for name in state.named & set(state.place.values())}
    return {"coded": state.coded, "rejected": state.rejected, "pinned": state.pinned, "shaped": shaped, "names": names}


@settings(max_examples=80, deadline=None)
@given(STEPS)
def test_no_machine_step_changes_what_a_person_did_and_no_report_is_lost(
    steps: list[tuple[str, int, int]],
) -> None:
    log: list[AnyDecision] = []
    size = 0
    state = replay(clustered(NUMBERS[0], None), log)
    for number, (kind, a, b) in enumerate(steps):
        before = state
        if kind in ("join", "afresh", "groups", "lost"):
            size = min(size + 1, len(NUMBERS) - 1)
            state = run_again(kind, NUMBERS[size], before, log, 2 + a % 9)
            after, said_before = decided(state), decided(before)
            shaped = said_before.pop("shaped")
            now_shaped = after.pop("shaped")
            assert after == said_before
            assert isinstance(shaped, dict)
            assert isinstance(now_shaped, dict)
            said_of = frozenset(re.findall(r"github:own/\w+#\d+", "\n".join(one.model_dump_json() for one in log)))
            kept = shaped if kind != "lost" else {name: at for name, at in shaped.items() if name in said_of}
            assert kept.items() <= now_shaped.items()
            if kind == "join":
                assert all(state.place[name] == where for name, where in before.place.items())
        else:
            about = {"id": f"d{number}", "who": "ann", "when": "2026", "scope": "all", "run": state.found.run}
            made = DECISION.validate_python({**about, **said(kind, a, b, state, log)})
            try:
                state = replay(state.found, [*log, made])
            except EditError:
                continue
            if not isinstance(made, Undo):
                assert followed(before, [made]).hash == state.hash
            log.append(made)
        ids = {report.id for report in state.found.reports}
        assert set(state.place) | set(state.coded) <= ids
        assert not set(state.place) & set(state.coded)
        assert set(state.place.values()) <= set(state.proposals)
        assert {one.theme for one in state.proposals.values()} <= {theme.id for theme in state.themes}
        assert replay(state.found, log).hash == state.hash
