"""Comparisons and the audit of a study: what study.toml may say, and the quantities that come of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.fakes import study as fake

from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.comparison import COMPARED, compare_all
from issuebook.app.study_files import load_study
from issuebook.errors import ExpressionError, StudyError
from issuebook.model.codebook import Code, Facet
from issuebook.model.study import Study
from issuebook.model.validation import validate
from issuebook.report.book import Book

FACET = Facet(
    id="theme",
    levels=("type", "theme"),
    codes=tuple(
        Code(id=top, name=top, codes=tuple(Code(id=f"{top}.{n}", name=f"{top}{n}") for n in (1, 2))) for top in "QB"
    ),
)
UNITS = pl.DataFrame(
    {
        "project": ["p1", "p2", "p3", "p4"] * 30,
        "group": ["old", "old", "new", "new"] * 30,
        "code": ["B.1", "B.2", "B.1", "Q.1", "B.1", "B.1", "B.2", "B.2", "Q.1", "B.1", None, "B.2"] * 10,
    }
)


def study(**planned: object) -> Study:
    data = {"id": "old-new", "a": {"group": "old"}, "b": {"group": "new"}, **planned}
    about = {"study": {"title": "t"}, "ratings": [{"files": "*.csv"}], "comparison": [data]}
    return validate(Study, about, "study.toml")


def test_groups_are_compared_at_the_level_and_under_the_code_asked_for() -> None:
    (themes,) = compare_all(UNITS, FACET, study(), no_files)
    (types,) = compare_all(UNITS, FACET, study(at="type"), no_files)
    (bugs,) = compare_all(UNITS, FACET, study(within="B", title="Bugs"), no_files)
    assert [code.code for code in themes.codes] == ["Q.1", "Q.2", "B.1", "B.2"]
    assert [code.code for code in types.codes] == ["Q", "B"]
    assert [code.code for code in bugs.codes] == ["B.1", "B.2"]
    assert (themes.units_a, themes.units_b) == (60, 50)
    assert (bugs.units_a, bugs.units_b) == (50, 40)
    assert themes.notes[0] == "10 units of new have no consensus and are left out."
    assert (themes.title, bugs.title, bugs.within) == ("old and new", "Bugs", "B")


def test_projects_cluster_unless_told_otherwise() -> None:
    (clustered,) = compare_all(UNITS, FACET, study(), no_files)
    (alone,) = compare_all(UNITS, FACET, study(clusters="none"), no_files)
    assert clustered.test.method == "Rao-Scott F"
    assert alone.clustering is None
    assert clustered.pearson == alone.pearson


def no_files(pattern: str) -> dict[str, bytes]:
    raise AssertionError(f"nothing asks for {pattern}")


def test_files_that_are_no_part_of_the_ratings_can_be_compared() -> None:
    contents = {
        "a.csv": b"report,kind\n" + b"".join(b"a%d,Q.1\n" % number for number in range(60)) + b"x,Q.2\n",
        "b.csv": b"report,kind\n" + b"".join(b"b%d,B.1\n" % number for number in range(60)) + b"y,Q.1\n",
    }
    planned = study(a={"files": "a.csv", "column": "kind", "called": "first"}, b={"files": "b.csv", "column": "kind"})
    (found,) = compare_all(UNITS, FACET, planned, lambda pattern: {pattern: contents[pattern]})
    assert found.verdict == "different"
    assert (found.a, found.b) == ("first", "b.csv")


def test_what_is_saved_is_what_is_loaded() -> None:
    found = compare_all(UNITS, FACET, study(a={"projects": ["p1", "p2"]}, b={"project": "p3"}), no_files)
    assert COMPARED.validate_json(COMPARED.dump_json(found)) == found


def test_every_selection_that_the_data_do_not_have_is_named() -> None:
    with pytest.raises(StudyError) as raised:
        compare_all(UNITS, FACET, study(a={"group": "olde"}, b={"projects": ["p1", "p9"]}), no_files)
    told = str(raised.value)
    assert "comparison[0] (old-new).a: no group 'olde'" in told
    assert "Did you mean 'old'?" in told
    assert "no project 'p9'" in told


def test_a_selection_without_units_is_a_fault_of_its_comparison() -> None:
    with pytest.raises(StudyError, match=r"comparison\[0\] \(old-new\): new: the group has no units"):
        compare_all(UNITS.filter(pl.col("code") != "Q.1"), FACET, study(within="Q", a={"project": "p1"}), no_files)


@pytest.mark.parametrize(
    ("planned", "expected"),
    [
        ({"a": {"group": "old", "project": "p1"}}, "exactly one of 'group', 'project', 'projects' and 'files'"),
        ({"a": {}}, "exactly one of"),
        ({"b": {"group": "old"}}, "select the same units"),
        ({"b": {"files": "x.csv"}}, "either both a and b are 'files' or neither is"),
        ({"margin": 2}, "less than 1"),
        ({"cluster": "none"}, "Did you mean 'clusters'?"),
    ],
)
def test_a_comparison_that_cannot_be_is_refused_with_its_key(planned: dict[str, object], expected: str) -> None:
    with pytest.raises(StudyError) as raised:
        study(**planned)
    assert "comparison[0]" in str(raised.value)
    assert expected in str(raised.value)


def test_a_code_or_level_that_the_codebook_lacks_is_named_before_anything_runs(small_workspace: Path) -> None:
    with pytest.raises(StudyError) as raised:
        load_study(FolderWorkspace(small_workspace, None, None))
    assert "comparison[0].within: the facet has no code 'X'" in str(raised.value)
    assert "comparison[0].at: the facet has no level 'tpye'. Did you mean 'type'?" in str(raised.value)


@pytest.fixture
def small_workspace(tmp_path: Path) -> Path:
    planned = '[[comparison]]\nid = "x"\na = {project = "p"}\nb = {project = "q"}\nwithin = "X"\nat = "tpye"\n'
    (tmp_path / "study.toml").write_text(f'[study]\ntitle = "t"\n[[ratings]]\nfiles = "*.csv"\n{planned}')
    (tmp_path / "codebook.yaml").write_text(
        "name: n\nfacets: [{id: theme, levels: [type, theme], codes: [{id: B, name: b}]}]"
    )
    return tmp_path


def book(**more: Any) -> Book:
    found = fake.facts()
    return Book(replace(found, **more))


def test_claims_can_ask_for_the_figures_of_a_comparison() -> None:
    found = compare_all(UNITS, FACET, study(), no_files)
    asked = book(comparisons=found)
    assert asked.one("cramers_v", comparison="old-new").estimate == found[0].cramers_v
    assert asked.one("bergsma_v", comparison="old-new").estimate == found[0].bergsma_v
    assert asked.one("total_variation", comparison="old-new").unit == "share"
    assert asked.one("chi_square", comparison="old-new").value == found[0].pearson.statistic
    difference = asked.one("share_difference", "B.1", comparison="old-new")
    assert (difference.estimate, difference.n) == (found[0].codes[2].difference, 110)
    with pytest.raises(ExpressionError, match="no comparison 'old'"):
        asked.one("cramers_v", comparison="old")
    with pytest.raises(ExpressionError, match="no code compared in old-new 'D'"):
        asked.one("share_difference", "D", comparison="old-new")


def test_without_an_audit_its_quantities_say_why_they_are_undefined() -> None:
    asked = book(audit=None)
    assert "switched off" in (asked.one("audit_flags").estimate.undefined or "")
    assert "switched off" in (asked.one("audit_effect", "C1").estimate.undefined or "")
