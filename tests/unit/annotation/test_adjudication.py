"""Decisions: on what differs or is in doubt, with a reason; they outlive late ratings and overwrite none."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workbench_study import MovedClock, bench_of, choice, label, opened, team, write_study

from issuebook.annotation.events import Answer
from issuebook.app.annotate.adjudication import adjudication_queue, decide, dispute_page
from issuebook.app.annotate.dashboard import dashboard
from issuebook.app.annotate.labelling import next_unit, submit
from issuebook.app.annotate.people import change_roles
from issuebook.app.annotate.rounds import close_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench
from issuebook.errors import ChoiceError, NotFoundError, NotPermittedError

THEME = Answer(facet="theme", code="A.2")


@pytest.fixture
def bench(tmp_path: Path, database: str | None) -> Iterator[Workbench]:
    write_study(tmp_path, units=6)
    bench = bench_of(tmp_path, MovedClock(), database)
    opened(bench, team(bench, "ada", "ben", "cy"))
    yield bench
    bench.close()


def test_units_that_differ_or_are_in_doubt_wait_the_most_disputed_first(bench: Workbench) -> None:
    agreed, _ = label(bench, "ada", "A.1")
    label(bench, "ben", "A.1")
    differing, _ = label(bench, "ada", "A.1", memo="the log says so")
    label(bench, "ben", "B.1")
    page = next_unit(bench, "ada")
    assert isinstance(page, UnitPage)
    submit(bench, "ada", "main", page.unit.id, replace(choice("A.1"), unsure=True), "doubt")
    assert page.unit.id not in [one.unit for one in adjudication_queue(bench, "me").disputes]  # one rating is missing
    label(bench, "ben", "A.1")
    queue = adjudication_queue(bench, "me")
    assert [(one.unit, one.facet, one.disagreement, one.doubt) for one in queue.disputes] == [
        (differing, "theme", 1.0, 0.0),
        (page.unit.id, "relevance", 0.0, 0.5),
        (page.unit.id, "theme", 0.0, 0.5),
    ]
    assert (queue.total, queue.decided, queue.hidden) == (3, 0, ())
    assert len(adjudication_queue(bench, "me", limit=1).disputes) == 1
    assert adjudication_queue(bench, "me", facet="relevance").total == 1
    assert agreed not in [one.unit for one in queue.disputes]
    shown = dispute_page(bench, "me", "main", differing, "theme")
    assert [(one.name, one.memo) for one in shown.ratings] == [("Ada", "the log says so"), ("Ben", "")]


def test_a_decision_outlives_late_ratings_and_is_flagged(bench: Workbench) -> None:
    """T11."""
    unit, _ = label(bench, "ada", "A.1")
    label(bench, "ben", "B.1")
    shown = dispute_page(bench, "me", "main", unit, "theme")
    decide(bench, "me", "main", unit, THEME, "a question after all", shown.seen, "d1")
    assert adjudication_queue(bench, "me").total == 0
    submit(bench, "ada", "main", unit, choice("B.1", memo="I was wrong"), "edit")
    queue = adjudication_queue(bench, "me")
    assert [(one.unit, one.decided, one.new_evidence) for one in queue.disputes] == [(unit, "A.2", True)]
    shown = dispute_page(bench, "me", "main", unit, "theme")
    assert [(one.answer.code, one.reason, one.new_evidence) for one in shown.decisions] == [
        ("A.2", "a question after all", True)
    ]
    assert [one.answers[1].code for one in shown.superseded] == ["A.1"]
    assert sorted(one.answers[1].code for one in shown.ratings) == ["B.1", "B.1"]
    before = bench.services.history
    dashboard(bench, "me", "main")
    assert [one.answer.code for one in dispute_page(bench, "me", "main", unit, "theme").decisions] == ["A.2"]
    decide(bench, "me", "main", unit, Answer(facet="theme", code="B.1"), "all agree now", shown.seen, "d2")
    shown = dispute_page(bench, "me", "main", unit, "theme")
    assert [one.answer.code for one in shown.decisions] == ["B.1", "A.2"]
    assert adjudication_queue(bench, "me").total == 0
    assert sum(event.kind == "adjudicated" for event in before.since(0)) == 2


def test_a_rating_that_came_between_the_page_and_the_decision_is_new_evidence(bench: Workbench) -> None:
    unit, _ = label(bench, "ada", "A.1")
    label(bench, "ben", "B.1")
    shown = dispute_page(bench, "me", "main", unit, "theme")
    submit(bench, "ben", "main", unit, choice("A.1"), "edit")
    decide(bench, "me", "main", unit, THEME, "decided without that", shown.seen, "d1")
    assert adjudication_queue(bench, "me").disputes[0].new_evidence


def test_a_late_rating_after_the_round_is_evidence_and_does_not_count(bench: Workbench) -> None:
    unit, _ = label(bench, "ada", "A.1")
    label(bench, "ben", "B.1")
    close_round(bench, "me", "main")
    decide(bench, "me", "main", unit, THEME, "reason", dispute_page(bench, "me", "main", unit, "theme").seen, "d1")
    submit(bench, "ada", "main", unit, choice("B.1"), "late")
    page = dispute_page(bench, "me", "main", unit, "theme")
    assert sorted(one.answers[1].code for one in page.ratings) == ["A.1", "B.1"]
    assert page.dispute.new_evidence


def test_who_labels_in_an_open_blind_round_does_not_adjudicate_it(bench: Workbench) -> None:
    unit, _ = label(bench, "ada", "A.1")
    label(bench, "ben", "B.1")
    change_roles(bench, "me", "cy", ["annotator", "adjudicator"])
    queue = adjudication_queue(bench, "cy")
    assert (queue.disputes, queue.total, queue.hidden) == ((), 0, ("main",))
    with pytest.raises(NotPermittedError):
        dispute_page(bench, "cy", "main", unit, "theme")
    with pytest.raises(NotPermittedError):
        decide(bench, "cy", "main", unit, THEME, "reason", 0, "d1")
    close_round(bench, "me", "main")
    assert adjudication_queue(bench, "cy").total == 1


def test_a_decision_needs_a_code_a_reason_and_a_right(bench: Workbench) -> None:
    unit, _ = label(bench, "ada", "A.1")
    for answer, reason, key in (
        (Answer(facet="theme", code="Z"), "reason", "d"),
        (Answer(facet="theme", code="B.2"), "reason", "d"),
        (THEME, " ", "d"),
        (THEME, "reason", ""),
    ):
        with pytest.raises(ChoiceError):
            decide(bench, "me", "main", unit, answer, reason, 0, key)
    with pytest.raises(NotPermittedError):
        decide(bench, "ada", "main", unit, THEME, "reason", 0, "d")
    with pytest.raises(NotFoundError):
        decide(bench, "me", "main", "nowhere", THEME, "reason", 0, "d")
    first = decide(bench, "me", "main", unit, THEME, "reason", 0, "d")
    assert decide(bench, "me", "main", unit, Answer(facet="theme", code="B.1"), "other", 0, "d") == first


def test_the_dashboard_tells_progress_agreement_and_confusion(bench: Workbench) -> None:
    for code in ("A.1", "A.1", "B.1", "A.2", "A.2"):
        label(bench, "ada", code)
        label(bench, "ben", "A.1" if code == "A.2" else code)
    label(bench, "cy", "A.1")
    found = dashboard(bench, "me", "main")
    assert (found.counts.complete, found.counts.begun, found.counts.untouched) == (5, 1, 0)
    assert (found.counts.ratings, found.counts.needed) == (11, 12)
    assert [(one.name, one.done, one.seconds, one.an_hour) for one in found.annotators] == [
        ("Ada", 5, 3.0, 1200.0),
        ("Ben", 5, 3.0, 1200.0),
        ("Cy", 1, 3.0, 1200.0),
    ]
    assert found.agreement is not None
    themes = next(one for one in found.agreement if (one.facet, one.level) == ("theme", "theme"))
    types = next(one for one in found.agreement if (one.facet, one.level) == ("theme", "type"))
    assert themes.units == 5
    assert themes.coefficients["percent"].value == pytest.approx(0.6)
    assert types.coefficients["percent"].value == 1.0
    assert [(one.first, one.second, one.pairs) for one in themes.confusion] == [("A.1", "A.2", 2)]
    assert {one.code: one.ratings for one in themes.codes} == {"A.1": 6, "A.2": 2, "B.1": 2}


def test_the_dashboard_of_who_labels_shows_no_codes_before_the_round_is_closed(bench: Workbench) -> None:
    label(bench, "ada", "A.1")
    label(bench, "ben", "B.1")
    change_roles(bench, "me", "cy", ["annotator", "coordinator"])
    hidden = dashboard(bench, "cy", "main")
    assert (hidden.agreement, hidden.agreement_at) == (None, "")
    with pytest.raises(NotPermittedError):
        dashboard(bench, "ada", "main")
    close_round(bench, "me", "main")
    assert dashboard(bench, "cy", "main").agreement is not None
