"""The results of a run as data: the shape of ``results.json``, and how it is filled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity, QuantitySet, Unit
from issuebook.report.book import Book
from issuebook.report.claims import Outcome, Verdict
from issuebook.report.compared_groups import ComparedGroups
from issuebook.report.facts import DroppedRow
from issuebook.report.run import RunInfo
from issuebook.report.tables import all_tables
from issuebook.report.tabular import Cell, Table


class Record(BaseModel):
    """Base of every part of results.json: keys that are not declared do not occur."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)


class StudyRecord(Record):
    """What is studied."""

    title: str
    facet: str
    question: str
    levels: list[str] = Field(description="names of the levels of the facet's tree, from the top")
    projects: list[str]
    groups: dict[str, list[str]] = Field(description="projects by group")
    annotators: list[str]


class CodeRecord(Record):
    """A code of the codebook."""

    id: str
    name: str
    level: str
    parent: str | None
    status: str
    origin: str


class CodebookRecord(Record):
    """The codebook that the ratings use."""

    name: str
    version: str
    codes: list[CodeRecord]


class SourceRecord(Record):
    """A file that was read."""

    name: str
    sha256: str
    rows: int


class StageRecord(Record):
    """A stage of the run."""

    name: str
    state: str
    seconds: float


class RunRecord(Record):
    """The run that made the results."""

    version: str
    started: str
    command: str
    seed: int | None
    sources: list[SourceRecord]
    stages: list[StageRecord]


class DroppedRecord(Record):
    """A row or cell that was left out."""

    file: str
    line: int = Field(description="0 when unknown")
    unit: str
    cell: str = Field(description="the column, when only that cell was set aside; else empty")
    reason: str
    text: str


class RepeatedRecord(Record):
    """A unit that stands in several rows."""

    unit: str
    rows: list[str]
    differing: list[str] = Field(description="annotators who rated the copies differently")


class RowsRecord(Record):
    """What became of the rows: read = kept + excluded + quarantined."""

    read: int
    kept: int
    excluded: int
    quarantined: int
    excluded_rows: list[DroppedRecord]
    quarantined_rows: list[DroppedRecord]
    repeated_units: list[RepeatedRecord]


class EstimateRecord(Record):
    """A value with its uncertainty; ``undefined`` says why there is none."""

    value: float | None
    low: float | None
    high: float | None
    se: float | None
    level: float = Field(description="confidence level of the interval from low to high")
    undefined: str | None


class QuantityRecord(EstimateRecord):
    """A computed number."""

    unit: Unit
    n: int | None = Field(description="the number of cases it rests on")
    source: str = Field(description="what it was computed from")


class SetRecord(Record):
    """Several quantities of one kind: the calls of its parts, which stand among the quantities."""

    unit: Unit
    source: str
    parts: dict[str, str] = Field(description="call of each part, by what it is about")


class ScopeRecord(Record):
    """Agreement on one part of the ratings, with intervals over units and over annotators."""

    kind: str
    value: str
    units: int
    excluded_units: int
    ratings: int
    over_units: dict[str, EstimateRecord]
    over_annotators: dict[str, EstimateRecord]
    note: str


class ComparisonRecord(Record):
    """Two groups of reports compared; its figures stand among the quantities and in its table."""

    id: str
    title: str
    within: str
    a: str
    b: str
    units_a: int
    units_b: int
    verdict: Literal["different", "equivalent", "inconclusive"]
    words: str
    notes: list[str]


class AuditRecord(Record):
    """Whether the labels look like independent judgements; the checks stand in the table ``audit``."""

    flagged: bool
    grounds: list[str] = Field(description="checks on independence that exceed their thresholds")
    sentences: list[str]


class VerdictRecord(Record):
    """A claim with its verdict."""

    id: str
    text: str
    where: str
    stated: str
    expr: str
    outcome: Outcome
    recomputed: str
    reason: str
    beside: dict[str, str]
    computed_from: str
    note: str


class TableRecord(Record):
    """A table: in each row a text, or the call of the quantity that the cell shows."""

    title: str
    columns: list[str]
    rows: list[list[str]]


class Results(Record):
    """Everything that a run found out."""

    format: Literal[1] = Field(description="changes when a key changes its meaning or goes away")
    study: StudyRecord
    codebook: CodebookRecord
    run: RunRecord
    rows: RowsRecord
    quantities: dict[str, QuantityRecord] = Field(description="by the call that gives each")
    sets: dict[str, SetRecord] = Field(description="by the call that gives each")
    agreement: list[ScopeRecord]
    comparisons: list[ComparisonRecord]
    audit: AuditRecord | None
    claims: list[VerdictRecord]
    tables: dict[str, TableRecord]


def results(book: Book, verdicts: Sequence[Verdict], run: RunInfo) -> Results:
    """Return the results of a run, with every quantity that was asked for."""
    tables = {table.name: _table(table) for table in all_tables(book, verdicts)}
    comparisons = [_comparison(book, found) for found in book.facts.comparisons]
    quantities, sets = _asked(book)
    return Results(
        format=1,
        study=_study(book),
        codebook=_codebook(book),
        run=_run(run),
        rows=_rows(book),
        quantities=quantities,
        sets=sets,
        agreement=_agreement(book),
        comparisons=comparisons,
        audit=_audit(book),
        claims=[_verdict(verdict) for verdict in verdicts],
        tables=tables,
    )


def results_json(found: Results) -> str:
    """Return results as JSON text."""
    return json.dumps(found.model_dump(mode="json"), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def results_schema() -> dict[str, Any]:
    """Return the JSON Schema of results.json."""
    schema = Results.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _study(book: Book) -> StudyRecord:
    facts = book.facts
    return StudyRecord(
        title=facts.title,
        facet=facts.facet.id,
        question=facts.facet.question,
        levels=list(facts.facet.levels),
        projects=list(facts.projects),
        groups={group: list(members) for group, members in facts.groups.items()},
        annotators=list(facts.annotators),
    )


def _codebook(book: Book) -> CodebookRecord:
    facet = book.facts.facet
    codes = [
        CodeRecord(
            id=node.code.id,
            name=node.code.name,
            level=facet.levels[node.depth],
            parent=node.path[-2] if node.depth else None,
            status=node.code.status,
            origin=node.code.origin,
        )
        for node in facet.walk()
    ]
    return CodebookRecord(name=book.facts.codebook.name, version=book.facts.codebook.version, codes=codes)


def _run(run: RunInfo) -> RunRecord:
    return RunRecord(
        version=run.version,
        started=run.started,
        command=run.command,
        seed=run.seed,
        sources=[SourceRecord(name=s.name, sha256=s.sha256, rows=s.rows) for s in run.sources],
        stages=[StageRecord(name=s.name, state=s.state, seconds=s.seconds) for s in run.stages],
    )


def _rows(book: Book) -> RowsRecord:
    facts = book.facts
    return RowsRecord(
        read=facts.counts.read,
        kept=facts.counts.kept,
        excluded=facts.counts.excluded,
        quarantined=facts.counts.quarantined,
        excluded_rows=[_dropped(entry) for entry in facts.excluded],
        quarantined_rows=[_dropped(entry) for entry in facts.quarantined],
        repeated_units=[
            RepeatedRecord(unit=r.unit, rows=list(r.rows), differing=list(r.differing)) for r in facts.repeated
        ],
    )


def _dropped(entry: DroppedRow) -> DroppedRecord:
    return DroppedRecord(
        file=entry.source, line=entry.line, unit=entry.unit, cell=entry.cell, reason=entry.reason, text=entry.text
    )


def _asked(book: Book) -> tuple[dict[str, QuantityRecord], dict[str, SetRecord]]:
    quantities: dict[str, QuantityRecord] = {}
    sets: dict[str, SetRecord] = {}
    for found in book.asked():
        if isinstance(found, QuantitySet):
            calls = {name: part.call for name, part in found.parts}
            sets[found.call] = SetRecord(unit=found.unit, source=found.source, parts=calls)
            quantities |= {part.call: _quantity(part) for _, part in found.parts}
        else:
            quantities[found.call] = _quantity(found)
    return dict(sorted(quantities.items())), dict(sorted(sets.items()))


def _quantity(found: Quantity) -> QuantityRecord:
    rest = {"unit": found.unit, "n": found.n, "source": found.source}
    return QuantityRecord.model_validate(found.estimate.as_dict() | rest)


def _estimate(found: Estimate) -> EstimateRecord:
    return EstimateRecord.model_validate(found.as_dict())


def _agreement(book: Book) -> list[ScopeRecord]:
    return [
        ScopeRecord(
            kind=scope.kind,
            value=scope.value,
            units=found.units,
            excluded_units=found.excluded_units,
            ratings=found.ratings,
            over_units={name: _estimate(value) for name, value in found.coefficients.items()},
            over_annotators={name: _estimate(value) for name, value in found.jackknife.items()},
            note=found.note,
        )
        for scope, found in book.facts.agreement.items()
    ]


def _comparison(book: Book, found: ComparedGroups) -> ComparisonRecord:
    for name in ("chi_square", "cramers_v", "bergsma_v", "total_variation", "adjusted_p"):
        book.one(name, comparison=found.id)  # asked for, so that it stands among the quantities
    named = {name: getattr(found, name) for name in ComparisonRecord.model_fields}
    return ComparisonRecord.model_validate({**named, "notes": list(found.notes)})


def _audit(book: Book) -> AuditRecord | None:
    found = book.facts.audit
    if found is None:
        return None
    grounds = [check.id for check in found.grounds]
    return AuditRecord(flagged=found.flagged, grounds=grounds, sentences=list(found.sentences))


def _verdict(verdict: Verdict) -> VerdictRecord:
    claim = verdict.claim
    return VerdictRecord(
        id=claim.id,
        text=claim.text,
        where=claim.where,
        stated=claim.stated,
        expr=claim.expr,
        outcome=verdict.outcome,
        recomputed=verdict.recomputed,
        reason=verdict.reason,
        beside=dict(verdict.beside),
        computed_from=verdict.computed_from,
        note=claim.note,
    )


def _table(table: Table) -> TableRecord:
    return TableRecord(
        title=table.title,
        columns=[column.key for column in table.columns],
        rows=[[_reference(cell) for cell in row] for row in table.rows],
    )


def _reference(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.call
