"""Cases K-T5 and K-T6: what people decide about proposals is a log that is replayed, undone and survives clustering."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.planted_reports import Planted, planted

from issuebook.app.cluster import Clustered, ClusterRequest, cluster, scope_of
from issuebook.app.codebook import Author, history_of
from issuebook.app.decide_proposals import (
    Division,
    accept,
    merge,
    move,
    reject,
    rename,
    send,
    split,
    undo,
)
from issuebook.app.proposals import LOG, read_log, state_of
from issuebook.app.services import Services
from issuebook.bootstrap import open_study
from issuebook.cli.progress import StageLines
from issuebook.cli.proposals.lines import account
from issuebook.codebook.proposals.new_code import NewCode
from issuebook.codebook.proposals.state import State
from issuebook.errors import EditError, InputError
from issuebook.schemas import REPORTS

STUDY = '[study]\ntitle = "Planted"\n\n[[ratings]]\nfiles = "ratings/*.csv"\nunit = "url"\n'
CODEBOOK = """
name: planted
facets:
  - id: theme
    levels: [type, theme]
    codes:
      - {id: B, name: Bug, codes: [{id: B.1, name: Memory}]}
"""
MIRA = Author("mira", "seen")


def put(study: Path, reports: list[Planted]) -> None:
    """Write a corpus as the reports stage leaves it."""
    rows = [
        {
            "id": one.id,
            "tracker": "github",
            "project": one.project,
            "number": one.id.rpartition("#")[2],
            "url": f"https://github.com/{one.project}/issues/{int(one.id.rpartition('#')[2])}",
            "title": one.title,
            "body": one.body,
        }
        for one in reports
    ]
    (study / "data").mkdir(exist_ok=True)
    frame = pl.DataFrame(rows).select(
        pl.col(name).cast(kind) if name in rows[0] else pl.lit(None, kind).alias(name) for name, kind in REPORTS.items()
    )
    frame.with_columns(pl.col("labels").fill_null([])).write_parquet(study / "data" / "reports.parquet")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "codebook.yaml").write_text(CODEBOOK)
    put(tmp_path, numbered(120))
    return tmp_path


def numbered(number: int) -> list[Planted]:
    """Planted reports with the ids that their addresses give."""
    return [one._replace(id=f"github:{one.project}#{at + 1}") for at, one in enumerate(planted(number))]


@pytest.fixture
def services(study: Path) -> Services:
    return open_study(study, None, None, StageLines(quiet=True))


def clustered(services: Services, groups: int | None = None, *, afresh: bool = False) -> Clustered:
    return cluster(services, ClusterRequest(scope_of(), groups, afresh))


def whole(state: State) -> None:
    """Every report is in one proposal, has a code, or neither; and no place names what is no more."""
    ids = {report.id for report in state.found.reports}
    assert set(state.place) | set(state.coded) <= ids
    assert not set(state.place) & set(state.coded)
    assert set(state.place.values()) <= set(state.proposals)
    assert sum(len(state.members(name)) for name in state.proposals) == len(state.place)


def test_merges_that_share_a_proposal_are_refused_with_its_name(services: Services) -> None:
    one, two, three, four = list(clustered(services, 8).state.proposals)[:4]
    with pytest.raises(EditError) as refused:
        merge(services, [(one, two), (three, two), (four, one)], MIRA)
    assert [fault.where for fault in refused.value.faults] == [two, one]
    assert read_log(services.workspace) == ()


def test_after_a_merge_no_report_is_in_what_was_merged_and_undo_restores_every_byte(services: Services) -> None:
    before = clustered(services, 8).state
    one, two, three = list(before.proposals)[:3]
    made = merge(services, [(one, two, three)], MIRA)
    after = state_of(services)
    whole(after)
    assert {two, three}.isdisjoint(after.place.values())
    assert len(after.members(one)) == sum(len(before.members(name)) for name in (one, two, three))
    with pytest.raises(EditError, match=f"merged into {one}"):
        after.open(two)
    undo(services, made[0].id, MIRA)
    assert state_of(services).hash == before.hash
    undo(services, read_log(services.workspace)[-1].id, MIRA)
    assert state_of(services).hash == after.hash


def test_a_proposal_that_lost_all_reports_can_still_be_merged(services: Services) -> None:
    state = clustered(services, 20).state
    small, other = sorted(state.proposals, key=lambda name: len(state.members(name)))[:2]
    for report in state.members(small):
        move(services, [report], other, MIRA)
    assert state_of(services).members(small) == ()
    merge(services, [(other, small)], MIRA)
    whole(state_of(services))


def test_a_proposal_is_accepted_as_a_code_on_the_evidence_of_reports(services: Services) -> None:
    state = clustered(services, 8).state
    name = next(iter(state.proposals))
    members = state.members(name)
    accept(services, name, NewCode("B.2", parent="B", definition="It leaks."), MIRA)
    after = state_of(services)
    whole(after)
    code = history_of(services).head.facet("theme").nodes["B.2"]
    assert code.path == ("B", "B.2")
    assert code.code.name == state.proposals[name].name
    assert all(example.unit.startswith("https://github.com/own/") for example in code.code.examples)
    entry = history_of(services).entries[-1]
    assert entry.evidence
    assert set(entry.evidence) == {example.unit for example in code.code.examples}
    assert {report for report, goal, _ in after.suggested() if goal.code == "B.2"} == set(members)
    assert services.ratings.present("theme") is None
    undo(services, None, MIRA)
    assert "B.2" not in history_of(services).head.facet("theme").nodes
    assert state_of(services).hash == state.hash


def test_a_code_that_the_codebook_refuses_leaves_the_proposal_as_it_was(services: Services) -> None:
    state = clustered(services, 8).state
    with pytest.raises(EditError):
        accept(services, next(iter(state.proposals)), NewCode("B.1"), MIRA)
    assert read_log(services.workspace) == ()


def test_reports_are_sent_to_a_code_that_there_is(services: Services) -> None:
    state = clustered(services, 8).state
    name = next(iter(state.proposals))
    with pytest.raises(EditError, match="no such code"):
        send(services, name, "B.9", None, MIRA)
    send(services, name, "B.1", None, MIRA)
    after = state_of(services)
    assert {goal.code for goal in after.coded.values()} == {"B.1"}
    assert name not in after.proposals


def test_a_proposal_is_split_by_its_own_cut_by_a_word_and_by_a_list(services: Services) -> None:
    state = clustered(services, 2).state
    first, second = state.proposals
    split(services, first, Division(groups=3), MIRA)
    after = state_of(services)
    whole(after)
    parts = [name for name in after.proposals if name != second]
    assert len(parts) == 3
    assert sum(len(after.members(name)) for name in parts) == len(state.members(first))
    word = next(term for term in state.proposals[second].terms if " " not in term)
    split(services, second, Division(keyword=word), MIRA)
    part = parts[0]
    listed = state_of(services).members(part)[:2]
    made = split(services, part, Division(reports=listed), MIRA)
    assert sorted(state_of(services).members(made.parts[0].id)) == sorted(listed)  # type: ignore[union-attr]
    whole(state_of(services))
    with pytest.raises(EditError, match="all reports would go to one part"):
        split(services, parts[1], Division(keyword="zzyzx"), MIRA)


def test_what_a_person_moved_stays_through_joining_and_clustering_afresh(services: Services, study: Path) -> None:
    state = clustered(services, 8).state
    one, two = list(state.proposals)[:2]
    report = state.members(one)[0]
    move(services, [report], two, MIRA)
    put(study, numbered(150))
    joined = clustered(services).state
    assert joined.place[report] == two
    again = clustered(services, 8, afresh=True).state
    assert again.place[report] == two
    whole(again)


def test_what_was_accepted_and_rejected_stays_when_reports_are_added(services: Services, study: Path) -> None:
    state = clustered(services, 8).state
    one, two, three, four, *_ = state.proposals
    accept(services, one, NewCode("B.2", parent="B"), MIRA)
    reject(services, [two], MIRA)
    merge(services, [(three, four)], MIRA)
    before = state_of(services)
    put(study, numbered(150))
    found = clustered(services)
    after = found.state
    whole(after)
    assert (found.new, found.moved) == (30, 0)
    assert {name: goal.code for name, goal in after.coded.items()} == dict.fromkeys(state.members(one), "B.2")
    assert two in after.rejected
    assert four not in after.proposals
    assert all(after.place[name] == place for name, place in before.place.items())
    assert any(by == "nearness" for _, _, by in after.suggested())
    third = clustered(services)
    assert third.state.hash == after.hash
    with pytest.raises(EditError, match="clustered since"):
        undo(services, read_log(services.workspace)[-1].id, MIRA)


def shaped(services: Services) -> tuple[State, dict[str, str]]:
    """Proposals of which one is merged, one split, one named and one rejected; with the place of their reports."""
    one, two, three, four, five, *_ = clustered(services, 8).state.proposals
    merge(services, [(one, two)], MIRA)
    parts = split(services, three, Division(groups=2), MIRA).parts  # type: ignore[union-attr]
    rename(services, four, "Said by a person", MIRA)
    reject(services, [five], MIRA)
    state = state_of(services)
    held = {one, four, five, *(part.id for part in parts)}
    assert state.held == held
    return state, {report: name for report, name in state.place.items() if name in held}


@pytest.mark.parametrize("groups", [None, 2, 20])
def test_what_was_merged_split_named_and_rejected_keeps_its_reports_when_all_is_clustered_again(
    services: Services, study: Path, groups: int | None
) -> None:
    before, places = shaped(services)
    put(study, numbered(150))
    found = clustered(services, groups, afresh=True)
    after = found.state
    whole(after)
    assert found.held == 5
    assert after.held == before.held
    assert {report: after.place[report] for report in places} == places
    assert after.rejected == before.rejected
    assert [after.proposals[name].name for name in after.named] == ["Said by a person"]
    if groups is not None:
        assert len(after.proposals) == groups + 5


def test_decisions_hold_when_what_was_clustered_is_lost(services: Services, study: Path) -> None:
    before, places = shaped(services)
    put(study, numbered(150))
    (study / "data" / "proposals" / "all.json").write_bytes(b"damaged")
    after = clustered(services).state
    whole(after)
    assert (after.held, after.rejected) == (before.held, before.rejected)
    assert {report: after.place[report] for report in places} == places


def test_an_acceptance_that_is_taken_back_after_new_reports_joined_is_a_proposal_again(
    services: Services, study: Path
) -> None:
    state = clustered(services, 8).state
    one = next(iter(state.proposals))
    made = accept(services, one, NewCode("B.2", parent="B"), MIRA)
    put(study, numbered(150))
    assert one not in clustered(services).state.proposals
    undo(services, made.id, MIRA)
    again = state_of(services)
    whole(again)
    assert set(again.members(one)) == set(state.members(one))
    assert again.proposals[one].theme in {theme.id for theme in again.themes}
    reject(services, [one], MIRA)
    assert set(clustered(services).state.members(one)) >= set(state.members(one))


def test_reports_that_people_decided_about_and_that_are_no_more_are_counted(services: Services, study: Path) -> None:
    state = clustered(services, 8).state
    one, two, *_ = state.proposals
    accept(services, one, NewCode("B.2", parent="B"), MIRA)
    reject(services, [two], MIRA)
    gone = {state.members(one)[0], state.members(two)[0]}
    put(study, [each for each in numbered(120) if each.id not in gone])
    after = clustered(services).state
    assert after.absent == gone
    lines = list(account(after))
    assert lines[0].startswith("all: 118 reports")
    assert sum(int(part.split()[0]) for part in lines[1].split(" + ")) == 118
    assert lines[-1] == "Reports that people decided about and that are no longer here: 2; see proposals.jsonl"


def test_an_undo_that_others_stand_on_is_refused_and_changes_nothing(services: Services) -> None:
    state = clustered(services, 4).state
    made = split(services, next(iter(state.proposals)), Division(groups=2), MIRA)
    part = made.parts[0].id  # type: ignore[union-attr]
    reject(services, [part], MIRA)
    before = (services.workspace.study_file(LOG), state_of(services).hash)
    with pytest.raises(EditError, match="later decisions stand on it"):
        undo(services, made.id, MIRA)
    assert (services.workspace.study_file(LOG), state_of(services).hash) == before


def test_another_number_of_groups_needs_no_reading_of_reports(services: Services) -> None:
    assert clustered(services).read
    found = clustered(services, 5)
    assert not found.read
    assert len(found.state.proposals) == 5


def test_a_damaged_log_is_named_by_its_lines(services: Services, study: Path) -> None:
    clustered(services, 4)
    (study / LOG).write_text('{"kind": "nonsense"}\n\nno json\n')
    with pytest.raises(InputError) as refused:
        state_of(services)
    assert [fault.where for fault in refused.value.faults] == [f"{LOG}, line 1", f"{LOG}, line 3"]


def test_damaged_features_and_proposals_are_made_again(services: Services, study: Path) -> None:
    first = clustered(services, 6).state
    for name in ("all.npz", "all.json"):
        (study / "data" / "proposals" / name).write_bytes(b"damaged")
    again = clustered(services, 6)
    assert again.read
    assert again.state.hash == first.hash


def test_the_log_is_one_readable_line_a_decision(services: Services, study: Path) -> None:
    state = clustered(services, 6).state
    reject(services, list(state.proposals)[:2], MIRA)
    lines = [json.loads(line) for line in (study / LOG).read_text().splitlines()]
    assert [(line["kind"], line["who"], line["why"]) for line in lines] == [("reject", "mira", "seen")] * 2
