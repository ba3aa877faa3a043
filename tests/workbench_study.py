"""A small study to label, and a clock that tests move."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from argon2.profiles import CHEAPEST

from issuebook.adapters.passwords import Argon2Passwords
from issuebook.annotation.events import Answer
from issuebook.app.annotate.labelling import Choice, Submitted, next_unit, submit
from issuebook.app.annotate.people import add_person, change_roles, local_person
from issuebook.app.annotate.rounds import open_round
from issuebook.app.annotate.unit_pages import UnitPage
from issuebook.app.annotate.workbench import Workbench, open_workbench
from issuebook.bootstrap import open_annotation
from issuebook.model.annotation import RoundPlan

CODEBOOK = """
name: book
version: "3"
facets:
  - id: relevance
    codes: [{id: keep, name: keep}, {id: drop, name: drop, codes: [{id: drop.off, name: off topic}]}]
    levels: [answer, reason]
  - id: theme
    levels: [type, theme]
    codes:
      - {id: A, name: question, codes: [{id: A.1, name: setup}, {id: A.2, name: use}]}
      - {id: B, name: bug, codes: [{id: B.1, name: crash}, {id: B.2, name: old, status: retired}]}
"""

STUDY = """
[study]
title = "A test"
[annotation]
facets = ["relevance", "theme"]
gate = {facet = "relevance", drop = ["drop"]}
per_unit = PER_UNIT
lease_minutes = 30
units = "reports.jsonl"
[[annotation.rounds]]
name = "main"
"""


class MovedClock:
    """A clock that shows what tests say."""

    def __init__(self) -> None:
        self.time = datetime.fromisoformat("2026-01-01T09:00:00+00:00")

    def now(self) -> str:
        return self.time.isoformat()

    def seconds(self) -> float:
        return self.time.timestamp()

    def move(self, minutes: float) -> None:
        self.time += timedelta(minutes=minutes)


class Silence:
    """Progress that nobody hears."""

    def started(self, stage: str) -> None: ...

    def step(self, what: str, done: int, total: int) -> None: ...

    def finished(self, stage: str, state: str, seconds: float) -> None: ...


def write_study(folder: Path, units: int, per_unit: int = 2) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(STUDY.replace("PER_UNIT", str(per_unit)))
    (folder / "codebook.yaml").write_text(CODEBOOK)
    lines = [
        {
            "html_url": f"https://github.com/{'larkloom' if n % 3 else 'gravelpipe'}/core/issues/{n}",
            "title": f"Report {n} on loading",
            "body": f"It fails in step {n}.\n\n```\nValueError: no device {n}\n```\n",
            "state": "open",
            "labels": [{"name": "bug"}],
            "created_at": "2025-05-01T00:00:00Z",
        }
        for n in range(1, units + 1)
    ]
    (folder / "reports.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def bench_of(folder: Path, clock: MovedClock, database: str | None = None) -> Workbench:
    """Return the workbench of a study; its passwords cost a thousandth of what shipped ones do."""
    services = open_annotation(folder, None, database, Silence())
    return open_workbench(replace(services, clock=clock, passwords=Argon2Passwords(CHEAPEST)))


def team(bench: Workbench, *names: str) -> str:
    """Add annotators; return the coordinator, who labels nothing."""
    boss = local_person(bench)
    for name in names:
        add_person(bench, boss, name, name.title(), ["annotator"])
    change_roles(bench, boss, boss, ["coordinator", "adjudicator", "reader"])
    return boss


def opened(bench: Workbench, boss: str, plan: RoundPlan | None = None) -> None:
    open_round(bench, boss, plan or RoundPlan(name="main"))


def choice(code: str = "A.1", memo: str = "", *, unsure: bool = False, seconds: float = 3.0) -> Choice:
    answers = (Answer(facet="relevance", code="keep"), Answer(facet="theme", code=code))
    return Choice(answers, memo=memo, unsure=unsure, seconds=seconds)


def label(bench: Workbench, person: str, code: str = "A.1", memo: str = "", key: str = "") -> tuple[str, Submitted]:
    """Let a person label the next unit."""
    page = next_unit(bench, person)
    assert isinstance(page, UnitPage), page
    key = key or f"{person}-{page.unit.id}"
    return page.unit.id, submit(bench, person, page.round, page.unit.id, choice(code, memo), key)
