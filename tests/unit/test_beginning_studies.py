"""What a study that begins may lack, and what is said where it lacks too much."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.consensus import CONSENSUS_COLUMNS
from issuebook.app.study_files import COLLECTED, load_study
from issuebook.errors import UserError
from issuebook.model.claim import Claim
from issuebook.model.codebook import Code, Codebook, Facet
from issuebook.report.book import Book
from issuebook.report.claims import Outcome, judge
from issuebook.report.facts import Facts, RowCounts
from issuebook.report.figures import all_figures
from issuebook.report.next_steps import what_next
from issuebook.report.quantities import OF_RATINGS, QUANTITIES
from issuebook.report.tables import all_tables

HEAD = '[study]\ntitle = "Begun"\n'
REPORTS = '[reports]\nfiles = "*.jsonl"\n'
WHY = "nobody has rated theme yet"


def folder(tmp_path: Path, study: str, codebook: str | None = None) -> FolderWorkspace:
    (tmp_path / "study.toml").write_text(study)
    if codebook is not None:
        (tmp_path / "codebook.yaml").write_text(codebook)
    return FolderWorkspace(tmp_path)


def facts(*codes: Code) -> Facts:
    facet = Facet(id="theme", codes=codes)
    return Facts(
        title="Begun",
        codebook=Codebook(name="b", facets=(facet,)),
        facet=facet,
        units=pl.DataFrame(schema=CONSENSUS_COLUMNS),
        annotators=(),
        agreement={},
        by_code=(),
        counts=RowCounts(0, 0, 0, 0),
        unrated=WHY,
    )


def test_without_a_codebook_the_facets_that_are_asked_are_there_without_codes(tmp_path: Path) -> None:
    files = load_study(folder(tmp_path, HEAD + REPORTS + '[annotation]\nfacets = ["stage", "theme"]\n'))
    assert [(facet.id, facet.codes) for facet in files.codebook.facets] == [("stage", ()), ("theme", ())]
    assert files.codebook.name == "Begun"


def test_a_study_that_says_nothing_of_labelling_is_labelled_by_one_person_in_the_first_facet(tmp_path: Path) -> None:
    files = load_study(folder(tmp_path, HEAD + REPORTS, "name: b\nfacets: [{id: symptom}, {id: theme}]"))
    assert files.study.annotation is not None
    assert (files.study.annotation.facets, files.study.annotation.per_unit) == (("symptom",), 1)
    assert [source.facet for source in files.study.rated] == ["symptom"]


def test_reports_that_are_collected_are_found_without_being_named(tmp_path: Path) -> None:
    files = load_study(folder(tmp_path, HEAD + '[[sources]]\nrepository = "github:o/r"\n'))
    assert files.study.reports is not None
    assert (files.study.reports.files, files.study.reports.optional) == (COLLECTED, True)


@pytest.mark.parametrize(
    ("study", "codebook", "told"),
    [
        (HEAD, None, r"a study begins with \[reports\], \[\[sources\]\]"),
        (HEAD + '[[ratings]]\nfiles = "*.csv"\n', None, r"codebook\.yaml: it is missing, and \[\[ratings\]\] need"),
        (HEAD + REPORTS, "name: b\nfacets: []\n", r"codebook\.yaml: facets"),
        (HEAD + '[[ratings]]\nfiles = "*.csv"\n', "name: b\nfacets: [{id: theme}]", "facet 'theme' has no codes"),
        (HEAD + REPORTS, "", r"codebook\.yaml: this is not a mapping"),
        ("[study]\n", None, r"study\.toml: study\.title: this key is required"),
        (HEAD + REPORTS + '[annotation]\nfacets = ["stage"]\n', "name: b\nfacets: [{id: theme}]", "no facet 'stage'"),
    ],
)
def test_what_is_too_little_is_told_once_with_its_place(
    tmp_path: Path, study: str, codebook: str | None, told: str
) -> None:
    with pytest.raises(UserError, match=told) as caught:
        load_study(folder(tmp_path, study, codebook))
    assert len(caught.value.faults) == len(set(caught.value.faults))


@pytest.mark.parametrize("expression", ["rows()", 'share("C.6", of="C")', "fleiss_kappa()", "labelled_hits()"])
def test_a_claim_that_needs_ratings_cannot_be_computed_and_says_why(expression: str) -> None:
    verdict = judge(Claim(id="c", text="t", stated="0", expr=expression), Book(facts()))
    assert (verdict.outcome, verdict.reason) == (Outcome.UNKNOWN, WHY)


def test_a_claim_of_the_codebook_is_judged_without_ratings() -> None:
    book = Book(facts(Code(id="A", name="a"), Code(id="B", name="b")))
    assert judge(Claim(id="c", text="t", stated="2", expr='codes(level="code")'), book).outcome is Outcome.HOLDS


def test_what_needs_ratings_is_every_quantity_but_those_of_reports_codebook_and_interviews() -> None:
    others = {name for name in QUANTITIES if name not in OF_RATINGS}
    assert {"codes", "keywords", "interviews", "hits", "screened_reports", "reports_by_environment"} <= others
    assert {"rows", "share", "crossed", "ratings", "audit_flags", "cramers_v", "by_environment"} <= OF_RATINGS


def test_nothing_that_needs_ratings_is_drawn_or_tabled() -> None:
    book = Book(facts(Code(id="A", name="a")))
    assert all_figures(book) == ()
    assert [table.name for table in all_tables(book, ())] == ["claims"]


def test_what_is_next_is_one_line_that_names_what_lacks() -> None:
    assert "released codes of theme" in what_next(facts())
    assert "released codes" not in what_next(facts(Code(id="A", name="a")))
    assert "\n" not in what_next(facts())
