"""A small study made for tests: two projects, a codebook of three levels, every kind of verdict, hostile names."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
from tests.fakes.screening import screening

from issuebook.model.claim import Claim
from issuebook.model.codebook import Code, Codebook, Example, Facet
from issuebook.model.estimate import Estimate
from issuebook.report.book import Book
from issuebook.report.claims import Verdict, judge
from issuebook.report.compared_groups import ComparedGroups, compared_groups
from issuebook.report.facts import (
    CodeAgreement,
    Confusion,
    DroppedRow,
    Facts,
    RepeatedUnit,
    RowCounts,
    Scope,
    ScopeAgreement,
    SourceFile,
)
from issuebook.report.run import RunInfo, Stage
from issuebook.stats.audit.audit import Audit, AuditSettings, audit
from issuebook.stats.audit.evidence import AuditContext
from issuebook.stats.comparison.compare import compare
from issuebook.stats.comparison.counts import from_counts
from issuebook.stats.rating_matrix import RatingMatrix

HOSTILE = '"><script>alert(1)</script>&{{ 1 }}'
"""A text that would run, were it not escaped."""

_ROWS = {("alpha", "Q.1"): 3, ("alpha", "D.1"): 9, ("alpha", "D.2"): 4, ("beta", "D.1"): 2, ("beta", "Q.1"): 2}


def facts() -> Facts:
    """Return the facts of the study: 20 rows of two projects in one group each, three annotators."""
    themes = [
        Code(id="D.1", name="Speed", definition="Too slow.", codes=(Code(id="D.1.i", name="Start"),)),
        Code(id="D.2", name="Size", include=("too large",), exclude=("too slow (D.1)",), note="A note."),
    ]
    facet = Facet(
        id="theme",
        question="What is it about?",
        levels=("type", "theme", "sub-theme"),
        codes=(
            Code(id="Q", name="Question", codes=(Code(id="Q.1", name="Usage", examples=(_example(),)),)),
            Code(id="D", name="Defect", codes=tuple(themes)),
        ),
    )
    return Facts(
        title="A small study",
        codebook=Codebook(name="Small", version="3", facets=(facet,)),
        facet=facet,
        units=_units(_ROWS),
        annotators=("ann", "bob", "cem"),
        agreement={scope: _agreement(scope) for scope in _SCOPES},
        by_code=(
            CodeAgreement("Q.1", Estimate(0.9, 0.02, 0.86, 0.94), 15),
            CodeAgreement("D.1", Estimate(0.7, 0.02, 0.66, 0.74), 33),
            CodeAgreement("D.2", Estimate.missing("no annotator gave this code"), 0),
        ),
        counts=RowCounts(read=22, kept=20, excluded=1, quarantined=1),
        excluded=(DroppedRow("a.csv", 4, "u-1", "", "rated twice", "u-1,D.1"),),
        quarantined=tuple(
            DroppedRow("b.csv", line, f"u-{line}", cell, "code 'X' is not in the codebook", "X")
            for line, cell in ((2, ""), (9, "ann"))
        ),
        repeated=(RepeatedUnit("u-7", ("a.csv:2", "a.csv:3"), ("bob",)),),
        sources=(SourceFile("a.csv", "ab" * 32, 16), SourceFile("b.csv", "cd" * 32, 7)),
        groups={"one": ("alpha",), "two": ("beta",)},
        screening=screening(),
        comparisons=(_comparison("alpha", "beta"),),
        confusion=Confusion(("Q.1", "D.1", "D.2"), ((20, 2, 0), (2, 30, 0), (0, 0, 0))),
        audit=_audit(),
    )


def hostile_facts() -> Facts:
    """Return the same study with a text that would run, were it not escaped, in every name that comes from outside."""
    plain = facts()
    code = Code(id=f"D.2{HOSTILE}", name=HOSTILE, definition=HOSTILE, also=(HOSTILE,), examples=(_example(HOSTILE),))
    facet = plain.facet.model_copy(
        update={"question": HOSTILE, "codes": (*plain.facet.codes, Code(id="H", name=HOSTILE, codes=(code,)))}
    )
    rows = {**_ROWS, (HOSTILE, code.id): 5}
    scope = Scope("project", HOSTILE)
    return replace(
        plain,
        title=HOSTILE,
        facet=Facet.model_validate(facet.model_dump()),
        units=_units(rows),
        annotators=(HOSTILE,),
        agreement={**plain.agreement, scope: replace(_agreement(scope), note=HOSTILE)},
        excluded=(DroppedRow(HOSTILE, 4, HOSTILE, HOSTILE, HOSTILE, HOSTILE),),
        repeated=(RepeatedUnit(f"https://{HOSTILE}", (HOSTILE,), (HOSTILE,)),),
        sources=(SourceFile(HOSTILE, HOSTILE, 5),),
        screening=screening(HOSTILE),
        groups={**plain.groups, HOSTILE: (HOSTILE,)},
        comparisons=(replace(_comparison(HOSTILE, "beta"), title=HOSTILE, notes=(HOSTILE,)),),
    )


def verdicts(book: Book) -> tuple[Verdict, ...]:
    """Return verdicts of every kind."""
    claims = (
        Claim(id="rows", text="rows", stated="20", expr="rows()", beside=("reports()", "kappa()"), where="table 1"),
        Claim(id="speed", text="slow ones", stated="60.00 %", expr='share("D.1", of="D")', note=HOSTILE),
        Claim(id="slip", text="alpha", stated="73.33 %", expr='share(project="alpha")'),
        Claim(id="grim", text="beta", stated="21.00 %", expr='share(project="beta")'),
        Claim(id="none", text="people", missing="The text does not say.", expr="interviews()"),
        Claim(id="wrong", text=HOSTILE, stated="3", expr="nothing()"),
    )
    return tuple(judge(claim, book) for claim in claims)


def run_info() -> RunInfo:
    """Return a run."""
    return RunInfo(
        version="0.1.0",
        started="2026-01-02 03:04 UTC",
        command="issuebook run small",
        sources=facts().sources,
        stages=(Stage("ratings", "done", 0.25), Stage("agreement", "skipped", 0.0)),
        seed=7,
    )


_SCOPES = (
    Scope(),
    Scope("level", "type"),
    Scope("within", "Q"),
    Scope("within", "D"),
    Scope("project", "alpha"),
    Scope("project", "beta"),
)


def _comparison(a: str, b: str) -> ComparedGroups:
    """Two groups of 300 reports: a rare code agrees within the margin, the others differ or leave it open."""
    codes = ("Q.1", "D.1", "D.2")
    found = compare(from_counts(a, codes, [60, 239, 1]), from_counts(b, codes, [150, 149, 1]))
    return compared_groups("alpha-beta", f"{a} against {b}", "", found, ("One unit has no consensus and is left out.",))


@cache
def _audit() -> Audit:
    """Sixty reports that five annotators rated, each wrong in a way of their own in one of four."""
    rng = np.random.default_rng(2)
    truth = rng.integers(3, size=(60, 1))
    codes = np.where(rng.random((60, 5)) < 0.25, rng.integers(3, size=(60, 5)), truth).astype(np.int32)
    names = tuple(f"a{place}" for place in range(5))
    matrix = RatingMatrix(codes, ("Q.1", "D.1", "D.2"), names, pl.Series(range(60)))
    types = {"Q.1": "Q", "D.1": "D", "D.2": "D"}
    return audit(matrix, AuditContext(types=types, in_file_order=True), 1, AuditSettings(draws=4))


def _example(unit: str = "https://example.org/1") -> Example:
    return Example(unit=unit, note="clear")


def _agreement(scope: Scope) -> ScopeAgreement:
    names = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent")
    over_units = {name: Estimate(0.75, 0.02, 0.71, 0.79) for name in names}
    over_annotators = {name: Estimate(0.75, 0.05, 0.6, 0.9) for name in names}
    return ScopeAgreement(
        scope, 18, 2, 58, over_units, over_annotators, "Read with care." if scope.kind == "all" else ""
    )


def _units(rows: dict[tuple[str, str], int]) -> pl.DataFrame:
    listed = [(project, code) for (project, code), count in rows.items() for _ in range(count)]
    group_of = {"alpha": "one", "beta": "two"}
    codes = [code for _, code in listed]
    return pl.DataFrame(
        {
            "item": [f"row-{k}" for k in range(len(listed))],
            "unit": [f"u-{k}" for k in range(len(listed))],
            "project": [project for project, _ in listed],
            "group": [group_of.get(project, project) for project, _ in listed],
            "majority": codes,
            "tied": [False] * len(listed),
            "votes": [3] * len(listed),
            "ratings": [3] * len(listed),
            "final": codes,
            "code": codes,
        }
    )
