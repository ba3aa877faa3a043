import json

import jsonschema
import pytest
from tests.fakes import study

from issuebook.report.book import Book
from issuebook.report.facts import Facts
from issuebook.report.outputs import build
from issuebook.report.results import results, results_json, results_schema


@pytest.fixture(params=[study.facts, study.hostile_facts], ids=["plain", "hostile"])
def facts(request: pytest.FixtureRequest) -> Facts:
    made: Facts = request.param()
    return made


def test_results_fit_their_schema(facts: Facts) -> None:
    book = Book(facts)
    found = json.loads(results_json(results(book, study.verdicts(book), study.run_info())))
    jsonschema.Draft202012Validator.check_schema(results_schema())
    jsonschema.validate(found, results_schema(), cls=jsonschema.Draft202012Validator)


def test_results_hold_value_interval_and_origin_of_a_quantity() -> None:
    book = Book(study.facts())
    found = json.loads(results_json(results(book, study.verdicts(book), study.run_info())))
    share = found["quantities"]['share("D.1", of="D")']
    assert (share["value"], share["n"], share["unit"]) == (11 / 15, 15, "share")
    assert share["low"] < share["value"] < share["high"]
    assert share["source"] == "11 of 15 rows under D, all 2 projects"


def test_every_call_in_a_table_of_the_results_is_among_the_quantities() -> None:
    book = Book(study.facts())
    found = results(book, study.verdicts(book), study.run_info())
    calls = {cell for row in found.tables["agreement"].rows for cell in row[2:]}
    assert calls <= set(found.quantities)
    assert {call for members in found.sets.values() for call in members.parts.values()} <= set(found.quantities)


def test_the_verdicts_keep_their_order_and_outcome() -> None:
    book = Book(study.facts())
    found = results(book, study.verdicts(book), study.run_info())
    assert [(verdict.id, verdict.outcome.value) for verdict in found.claims] == [
        ("rows", "holds"),
        ("speed", "differs"),
        ("slip", "matches another quantity"),
        ("grim", "impossible"),
        ("none", "cannot be computed"),
        ("wrong", "cannot be computed"),
    ]


def test_the_outputs_are_complete_and_the_same_each_time() -> None:
    def svg(spec: object) -> str:
        return f'<svg width="1">{len(str(spec))}</svg>'

    first, second = (
        build(book, study.verdicts(book), study.run_info(), svg, str.encode)
        for book in (Book(study.facts()), Book(study.facts()))
    )
    assert first == second
    assert {"index.html", "results.json", "results.schema.json"} <= set(first)
    assert {path.rpartition(".")[2] for path in first if path.startswith("tables/")} == {"csv", "tex"}
    assert {path.rpartition(".")[2] for path in first if path.startswith("figures/")} == {"svg", "png"}


def test_results_hold_comparisons_and_the_audit() -> None:
    book = Book(study.facts())
    found = json.loads(results_json(results(book, study.verdicts(book), study.run_info())))
    assert found["comparisons"][0]["verdict"] == "different"
    assert found["quantities"]['cramers_v(comparison="alpha-beta")']["value"] > 0.2
    assert found["audit"]["flagged"] is False
    assert len(found["tables"]["audit"]["rows"]) == 10
