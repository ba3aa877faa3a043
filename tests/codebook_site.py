"""A study whose codebook is made while people label, for tests of the codebook's pages."""

from pathlib import Path

from tests.workbench_study import MovedClock, bench_of, write_study

from issuebook.annotation.events import Answer
from issuebook.app.annotate.labelling import Choice, next_unit, submit
from issuebook.app.annotate.rounds import open_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench
from issuebook.model.annotation import RoundPlan

CODEBOOK = """
name: small
version: v0
facets:
  - id: theme
    name: Theme
    question: What is it about?
    levels: [theme, sub-theme]
    codes: [{id: N, name: not sorted yet}]
"""

STUDY = """
[study]
title = "A codebook from nothing"
[annotation]
facets = ["theme"]
units = "reports.jsonl"
"""


def bench_of_one(folder: Path, units: int = 6, clock: MovedClock | None = None) -> Workbench:
    """Return the workbench of one person, whose codebook has a single code; a month lies between two reports."""
    write_study(folder, units)
    (folder / "study.toml").write_text(STUDY)
    (folder / "codebook.yaml").write_text(CODEBOOK)
    lines = (folder / "reports.jsonl").read_text().splitlines()
    dated = [line.replace("2025-05-01", f"2025-{1 + at % 12:02}-01") for at, line in enumerate(lines)]
    (folder / "reports.jsonl").write_text("\n".join(dated))
    return bench_of(folder, clock or MovedClock())


def open_main(bench: Workbench, boss: str, *annotators: str, per_unit: int = 1) -> None:
    """Open the blind round ``main``."""
    open_round(bench, boss, RoundPlan(name="main", per_unit=per_unit, annotators=annotators))


def give(bench: Workbench, person: str, code: str, memo: str = "") -> str:
    """Let a person give a code to the next unit, and return which."""
    shown = next_unit(bench, person)
    assert isinstance(shown, UnitPage), shown
    answers = (Answer(facet="theme", code=code),)
    submit(bench, person, shown.round, shown.unit.id, Choice(answers, memo=memo), f"{person} {shown.unit.id}")
    return shown.unit.id
