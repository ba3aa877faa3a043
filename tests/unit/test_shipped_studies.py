"""The two studies that are shipped say what their documents claim of them."""

import csv
import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo"
MU2025 = ROOT / "studies" / "mu2025"
STUDIES = [DEMO, MU2025]
ANNOTATORS = ["mira", "jonas", "wei", "amara"]


@dataclass(frozen=True)
class Node:
    """A code as it stands in the file, with its depth and its parent."""

    entry: dict[str, Any]
    depth: int
    parent: str

    @property
    def id(self) -> str:
        return str(self.entry["id"])


def codebook(study: Path) -> list[Node]:
    text = (study / "codebook.yaml").read_text(encoding="utf-8")
    facets = yaml.load(text, Loader=yaml.BaseLoader)["facets"]  # noqa: S506  (BaseLoader makes text of everything)
    assert len(facets) == 1
    return list(nodes(facets[0]["codes"]))


def nodes(entries: list[dict[str, Any]], depth: int = 0, parent: str = "") -> Iterator[Node]:
    for entry in entries:
        yield Node(entry, depth, parent)
        yield from nodes(entry.get("codes", []), depth + 1, entry["id"])


def claims(study: Path) -> list[dict[str, Any]]:
    return list(tomllib.loads((study / "claims.toml").read_text(encoding="utf-8"))["claim"])


def ratings() -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for path in sorted((DEMO / "ratings").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows.extend(csv.DictReader(file))
    return rows


def reports(toolkit: str) -> list[dict[str, Any]]:
    text = (DEMO / "reports" / f"{toolkit}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.mark.parametrize("study", STUDIES, ids=lambda path: path.name)
def test_codes_of_a_shipped_codebook_are_unique_nested_and_defined(study: Path) -> None:
    codes = codebook(study)
    assert not [name for name, times in Counter(code.id for code in codes).items() if times > 1]
    assert not [key for key, times in Counter((c.parent, c.entry["name"]) for c in codes).items() if times > 1]
    assert not [code.id for code in codes if code.parent and not code.id.startswith(code.parent + ".")]
    assert not [code.id for code in codes if not code.entry["definition"] or not code.entry["include"]]


def test_mu2025_has_the_published_themes_in_order() -> None:
    themes = [code.id for code in codebook(MU2025) if code.depth == 1]
    expected = {"A": 5, "B": 5, "C": 10}
    assert themes == [f"{kind}.{number}" for kind, last in expected.items() for number in range(1, last + 1)]


def test_mu2025_keeps_published_sub_themes_apart_from_those_the_interviews_added() -> None:
    leaves = [code for code in codebook(MU2025) if code.depth == 2]
    published = Counter(code.id[0] for code in leaves if code.entry["origin"] == "labels")
    assert published == {"A": 9, "B": 16, "C": 45}
    assert [c.id for c in leaves if c.entry["origin"] == "interviews"] == ["B.1.iv", "B.4.iii", "C.2.iv", "C.3.iv"]


def test_mu2025_invents_nothing_that_was_never_published() -> None:
    codes = {code.id: code.entry for code in codebook(MU2025)}
    assert [name for name, entry in codes.items() if entry.get("status", "active") == "unnamed"] == ["B.5"]
    for name in ("A.5", "B.5"):
        assert "codes" not in codes[name]
        assert "never published" in codes[name]["note"]


@pytest.mark.shared
def test_mu2025_names_and_order_are_those_of_the_release(shared: Path) -> None:
    released: list[tuple[str, str]] = []
    for name in ("question_intents", "requirement_expections", "bug_symptoms"):
        with (shared / "data" / "mu2025" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))[1:]
        released.extend((row[0], row[1]) for row in rows)
    codes = {code.id: code for code in codebook(MU2025)}
    carried = [
        (codes[code.parent].entry["name"], code.entry["name"])
        for code in codes.values()
        if code.depth == 2 and code.entry["origin"] == "labels"
    ]
    assert carried == released


@pytest.mark.shared
def test_mu2025_examples_are_reports_on_whose_theme_all_annotators_agree(shared: Path) -> None:
    labels: dict[str, set[str]] = {}
    for path in (shared / "data" / "mu2025" / "labels").glob("*.csv"):
        with path.open(encoding="utf-8-sig", newline="") as file:
            labels.update((row[0], set(row[1:])) for row in csv.reader(file))
    examples = [(c.id, example["unit"]) for c in codebook(MU2025) for example in c.entry.get("examples", [])]
    assert len(examples) == 16
    assert [(code, unit) for code, unit in examples if labels[unit] != {code}] == []


@pytest.mark.parametrize("study", STUDIES, ids=lambda path: path.name)
def test_each_claim_is_computable_or_says_why_not(study: Path) -> None:
    entries = claims(study)
    assert not [name for name, times in Counter(claim["id"] for claim in entries).items() if times > 1]
    known = {"id", "text", "where", "stated", "expr", "beside", "missing", "note"}
    for claim in entries:
        assert claim.keys() <= known
        assert ("missing" in claim) == ("stated" not in claim) == ("expr" not in claim)


def test_demo_has_at_least_160_units_each_rated_with_declared_themes() -> None:
    themes = {code.id for code in codebook(DEMO) if code.depth == 1}
    rows = ratings()
    assert len({row["report"] for row in rows}) == len(rows) >= 160
    assert {row[column] for row in rows for column in [*ANNOTATORS, "final"]} - {""} == themes
    assert all(row["final"] for row in rows)


def test_demo_annotators_disagree_leave_gaps_and_are_overruled_at_times() -> None:
    """The figures that demo/README.md tells."""
    split = ties = overruled = 0
    for row in ratings():
        votes = Counter(row[name] for name in ANNOTATORS if row[name])
        most = [code for code, times in votes.items() if times == max(votes.values())]
        split += len(votes) > 1
        ties += len(most) > 1
        overruled += len(most) == 1 and most[0] != row["final"]
    assert (split, ties, overruled) == (60, 12, 4)
    assert sum(not row[name] for row in ratings() for name in ANNOTATORS) == 27


def test_each_rated_demo_report_has_its_text_and_only_moved_or_repeated_ones_are_alike() -> None:
    found = {
        report["html_url"]: report for name in ("larkloom", "sparrowgate", "gravelpipe") for report in reports(name)
    }
    rated = {row["report"] for row in ratings()}
    assert rated <= found.keys()
    bodies = Counter(found[url]["body"] for url in rated)
    assert bodies.pop(None) == 4
    assert set(bodies.values()) == {1}
    twins = [url for url in found.keys() - rated if found[url]["body"] in bodies]
    assert len(twins) == 4


def test_demo_reports_hold_what_a_reader_of_trackers_has_to_cope_with() -> None:
    github = reports("larkloom") + reports("sparrowgate")
    assert len({item["id"] for item in github if "pull_request" in item}) == 12
    assert len(github) - len({item["id"] for item in github}) == 3
    assert any(item["user"] is None for item in github)
    assert any("\r\n" in (item["body"] or "") for item in github)
    assert all(isinstance(item["number"], str) for item in reports("gravelpipe"))
