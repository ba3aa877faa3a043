"""Case K-T9: whatever people and machine do in turn, what a person gave a code keeps it, and no report is lost."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planted_reports import grouped, planted, written

from issuebook.codebook.proposals.decisions import DECISION, AnyDecision
from issuebook.codebook.proposals.features import Report
from issuebook.codebook.proposals.join import Earlier
from issuebook.codebook.proposals.propose import Grouped, propose
from issuebook.codebook.proposals.state import State, replay
from issuebook.codebook.proposals.values import ProposalSet, Scope
from issuebook.errors import EditError
from issuebook.stats.clustering.partition import ClusterSettings

NUMBERS = (40, 50, 60)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["accept", "send", "reject", "merge", "split", "move", "undo", "join", "afresh"]),
        st.integers(0, 1000),
        st.integers(0, 1000),
    ),
    max_size=12,
)


@cache
def corpus(number: int) -> tuple[list[Report], Grouped]:
    reports = written(planted(60, words=8))[:number]
    return reports, grouped(reports)


def clustered(number: int, earlier: Earlier | None) -> ProposalSet:
    reports, known = corpus(number)
    return propose(reports, known, Scope(name="all"), ClusterSettings(number=6, subsamples=0), earlier)


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
        "reject": {"proposal": one},
        "merge": {"proposals": [one, other]},
        "split": {"proposal": one, "parts": [{"id": own, "name": own, "reports": some} for own, some in parts]},
        "move": {"report": state.found.reports[a % len(state.found.reports)].id, "proposal": other},
    }
    return {"kind": kind, **about[kind]}


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_no_machine_step_changes_what_a_person_did_and_no_report_is_lost(
    steps: list[tuple[str, int, int]],
) -> None:
    log: list[AnyDecision] = []
    size = 0
    state = replay(clustered(NUMBERS[0], None), log)
    for number, (kind, a, b) in enumerate(steps):
        before = state
        if kind in ("join", "afresh"):
            size = min(size + 1, len(NUMBERS) - 1)
            state = replay(clustered(NUMBERS[size], before.earlier(kept=kind == "join")), log)
            assert state.coded == before.coded
            assert state.rejected == before.rejected
            assert {name: state.place[name] for name in state.pinned} == state.pinned
            if kind == "join":
                assert all(state.place[name] == where for name, where in before.place.items())
        else:
            about = {"id": f"d{number}", "who": "ann", "when": "2026", "scope": "all", "run": state.found.run}
            made = DECISION.validate_python({**about, **said(kind, a, b, state, log)})
            try:
                state = replay(state.found, [*log, made])
            except EditError:
                continue
            log.append(made)
        ids = {report.id for report in state.found.reports}
        assert set(state.place) | set(state.coded) <= ids
        assert not set(state.place) & set(state.coded)
        assert set(state.place.values()) <= set(state.proposals)
        assert replay(state.found, log).hash == state.hash
