"""One code with everything that is known of it: texts, counts, confusions, trend, reports, findings, history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.app.check_codebook import facet_findings
from issuebook.app.rating_matrices import matrix_at_depth
from issuebook.app.study_files import CLAIMS
from issuebook.app.taxonomy.desk import CodebookDesk, Version
from issuebook.app.taxonomy.standing import Standing, standing
from issuebook.app.taxonomy.story import Told, told_of
from issuebook.app.taxonomy.trend import Period, trend
from issuebook.codebook.code_ids import mentions
from issuebook.codebook.finding import Finding
from issuebook.errors import Fault, NotFoundError
from issuebook.model.codebook import Facet, Node
from issuebook.model.estimate import Estimate
from issuebook.stats.agreement import agree
from issuebook.stats.confusable import confusable, pairs_on_units
from issuebook.stats.proportions import wilson
from issuebook.stats.rating_matrix import RatingMatrix

REPORTS = 50
"""Reports on a page of the list."""

CONFUSED = 8
"""So many codes that one is taken for are told."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """A report that carries a code by consensus, in the study's name for it and in the workbench's (empty for none)."""

    unit: str
    known: str
    title: str
    project: str
    day: str
    code: str


@dataclass(frozen=True, slots=True)
class Confused:
    """Another code that annotators gave to the same reports.

    Attributes:
        code, name: the other code.
        units: reports that were given both.
        expected: how many there would be if each sibling were in dispute as often as it is, with any other alike; None
            for a code elsewhere in the tree, and where there are not more than that.
    """

    code: str
    name: str
    units: int
    expected: float | None


@dataclass(frozen=True, slots=True)
class CodePage:
    """A code in one version.

    Attributes:
        version: the version.
        facet, node: the code with its place.
        units, given: reports that have it by consensus, ratings that give it.
        share, within: share of all reports that have a consensus, and of those of the code above (None at the top).
        kappa: agreement of annotators on this code against all others of its level.
        confused: codes that annotators gave to the same reports, the most frequent first.
        trend: share over time.
        reports: one page of the list; ``page`` counts from 1.
        pages: how many there are.
        findings: what the codebook's check finds about this code; only of the newest version.
        told: the entries of the history that are about it, newest first.
        own_only: whether only the person's own ratings were counted.
    """

    version: Version
    facet: Facet
    node: Node
    units: int
    given: int
    below: Mapping[str, int]
    share: Estimate
    within: Estimate | None
    kappa: Estimate
    confused: tuple[Confused, ...]
    trend: tuple[Period, ...]
    reports: tuple[Carrier, ...]
    page: int
    pages: int
    findings: tuple[Finding, ...]
    told: tuple[Told, ...]
    own_only: bool


def code_page(desk: CodebookDesk, person: str, facet: str, code: str, version: str = "", page: int = 1) -> CodePage:
    """Return a code with everything that a person may know of it.

    Raises:
        NotPermittedError: the person has no role.
        NotFoundError: there is no such version, facet or code in it.
    """
    desk.require(person)
    asked = desk.version(version)
    tree = asked.facet(facet)
    if code not in tree.nodes:
        raise NotFoundError(Fault(code, "the codebook has no such code in this version."))
    found = standing(desk, person, tree.id, asked.number)
    node = tree.nodes[code]
    units, level = found.units.get(code, 0), desk.bench.study.intervals.level
    above = node.path[-2] if node.depth else ""
    kappa, confused = _agreement(desk, found, node)
    reports, page, pages = carriers(desk, found, code, page)
    newest = asked.number == len(desk.history.entries)
    return CodePage(
        version=asked,
        facet=tree,
        node=node,
        units=units,
        given=found.given.get(code, 0),
        below={child.id: found.units.get(child.id, 0) for child in node.code.codes},
        share=wilson(units, found.agreed, level),
        within=wilson(units, found.units.get(above, 0), level) if above else None,
        kappa=kappa,
        confused=confused,
        trend=trend(found, code, written(desk, found), level),
        reports=reports,
        page=page,
        pages=pages,
        findings=_findings(desk, found, code) if newest else (),
        told=told_of(desk, tree.id, code),
        own_only=found.own_only,
    )


def carriers(desk: CodebookDesk, found: Standing, code: str, page: int) -> tuple[tuple[Carrier, ...], int, int]:
    """Return a page of the reports that carry a code, its number, which is one that exists, and the number of pages."""
    rows = found.consensus.with_columns(written(desk, found)).filter(pl.col("code").is_in(found.facet.under(code)))
    pages = max(1, -(-rows.height // REPORTS))
    page = min(max(1, page), pages)
    part = rows.slice((page - 1) * REPORTS, REPORTS).select("unit", "project", "code", "day").rows()
    known = {unit: desk.known(unit) for unit, _, _, _ in part}
    texts = desk.bench.services.units.headings([name for name in known.values() if name])
    return (
        tuple(
            Carrier(
                unit=unit,
                known=known[unit],
                title=texts.get(known[unit], ("", ""))[0],
                project=project or "",
                day=day.isoformat() if day else "",
                code=given,
            )
            for unit, project, given, day in part
        ),
        page,
        pages,
    )


def written(desk: CodebookDesk, found: Standing) -> pl.Series:
    """Return ``day``: when each report of the consensus was written, a row each."""
    return desk.days_of(found.consensus["unit"], found.key)


def _agreement(desk: CodebookDesk, found: Standing, node: Node) -> tuple[Estimate, tuple[Confused, ...]]:
    """Return the kappa of a code, and what it is confused with at its own depth of the tree."""
    depth = node.depth
    if found.own_only:
        return Estimate.missing("you see only your own ratings while you label in a blind round"), ()
    if depth > found.depth or len(found.ratings.annotators) < 2:
        return Estimate.missing("no two annotators gave codes of this level"), ()

    def make() -> dict[str, Estimate]:
        matrix, _ = _pairs(desk, found, depth)
        return {code: on.kappa for code, on in agree(matrix).per_code.items()}

    kappas = desk.kept(("agreement", depth, *found.key), None, make)
    matrix, together = _pairs(desk, found, depth)
    if node.code.id not in matrix.categories:
        return Estimate.missing("no rating gives this code"), ()
    row = together[matrix.categories.index(node.code.id)]
    beside = {matrix.categories[at]: int(row[at]) for at in row.nonzero()[0]}
    expected = _expected(desk, found, node) if beside else {}
    most = sorted(beside, key=lambda other: (-beside[other], other))[:CONFUSED]
    confused = tuple(
        Confused(other, found.facet.nodes[other].code.name, beside[other], expected.get(other)) for other in most
    )
    missing = Estimate.missing("no rating gives this code")
    return kappas.get(node.code.id, missing), confused


def _pairs(desk: CodebookDesk, found: Standing, depth: int) -> tuple[RatingMatrix, NDArray[np.int64]]:
    """Return the ratings at a depth as a matrix, and on how many reports each two codes were both given."""

    def make() -> tuple[RatingMatrix, NDArray[np.int64]]:
        matrix = matrix_at_depth(found.ratings, found.facet, depth)
        return matrix, pairs_on_units(matrix)

    return desk.kept(("pairs", depth, *found.key), None, make)


def _expected(desk: CodebookDesk, found: Standing, node: Node) -> dict[str, float]:
    """Return, by sibling, how many reports were expected to be given both, where there are clearly more."""
    parent = node.path[-2] if node.depth else ""
    siblings = found.facet.nodes[parent].code.codes if parent else found.facet.codes

    def make() -> list[tuple[str, str, float]]:
        matrix, together = _pairs(desk, found, node.depth)
        pairs = confusable(matrix, among=[code.id for code in siblings], together=together)
        return [(pair.first, pair.second, pair.expected) for pair in pairs]

    pairs = desk.kept(("confusable", parent, *found.key), None, make)
    code = node.code.id
    return {one if other == code else other: mean for one, other, mean in pairs if code in (one, other)}


def _findings(desk: CodebookDesk, found: Standing, code: str) -> tuple[Finding, ...]:
    """Return the findings about a code; those that rest on others' ratings only where the person may count them."""

    def make() -> list[Finding]:
        workspace = desk.bench.services.workspace
        texts = {CLAIMS: workspace.study_file(CLAIMS)} if workspace.has_study_file(CLAIMS) else {}
        ratings = found.ratings if not found.own_only and found.ratings.ratings.height else None
        return facet_findings(desk.history, found.facet, desk.bench.study, ratings, texts)

    every = desk.kept(("findings", len(desk.history.entries), *found.key), None, make)
    return tuple(each for each in every if mentions(f"{each.where} {each.what}", code))
