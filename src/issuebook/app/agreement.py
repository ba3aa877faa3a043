"""The stage that measures agreement: on all ratings, by project and group, by level, within each consensus code."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl
from pydantic import TypeAdapter

from issuebook.app.consensus import CONSENSUS
from issuebook.app.ports import Progress
from issuebook.app.rating_matrices import matrix_at_depth, rated_depth, tree
from issuebook.app.services import Services
from issuebook.app.stages import Stage, saved_hashes
from issuebook.app.study_files import StudyFiles
from issuebook.model.codebook import Facet
from issuebook.model.estimate import Estimate
from issuebook.report.facts import CodeAgreement, Confusion, Scope, ScopeAgreement
from issuebook.stats.agreement import agree, confusion, prevalence_note
from issuebook.stats.rating_matrix import MISSING, RatingMatrix

AGREEMENT = "agreement.json"
PAIR = 2


@dataclass(frozen=True, slots=True)
class MeasuredAgreement:
    """Agreement on every scope, and on each code."""

    scopes: tuple[ScopeAgreement, ...]
    by_code: tuple[CodeAgreement, ...]
    confusion: Confusion | None = None


MEASURED = TypeAdapter(MeasuredAgreement)


def agreement_stage(services: Services, files: StudyFiles) -> Stage:
    """Return the stage: ratings and consensus -> agreement with intervals over units and over annotators."""
    source = files.study.rated[0]
    facet = files.codebook.facet(source.facet)

    def reads() -> Mapping[str, str]:
        ratings = {"issuebook.db": services.ratings.state(source.facet)}
        return ratings | saved_hashes(services.workspace, CONSENSUS)

    def settings() -> object:
        return {"tree": tree(facet), "level": source.level, "intervals": files.study.intervals.level}

    def wrote() -> Mapping[str, str]:
        return saved_hashes(services.workspace, AGREEMENT)

    def work() -> None:
        batch = services.ratings.present(source.facet)
        saved = services.workspace.load(CONSENSUS)
        if batch is None or saved is None:
            return
        depth = rated_depth(batch.ratings, facet, source.level)
        matrix = matrix_at_depth(batch.ratings, facet, depth)
        units = pl.read_parquet(io.BytesIO(saved))
        found = measure(matrix, units, facet, depth, files.study.intervals.level, services.progress)
        services.workspace.save(AGREEMENT, MEASURED.dump_json(found, indent=1))

    return Stage("agreement", reads, settings, wrote, work)


def measure(
    matrix: RatingMatrix, units: pl.DataFrame, facet: Facet, depth: int, level: float, progress: Progress
) -> MeasuredAgreement:
    """Return agreement on every scope of the ratings.

    Args:
        matrix: ratings with a row a rated row.
        units: the consensus of the same rows in the same order: columns project, group, code.
        facet: the facet rated.
        depth: the depth of its tree at which it was rated.
        level: confidence level of the intervals.
        progress: told after each scope.
    """
    if matrix.n_annotators < PAIR:
        return MeasuredAgreement((_undefined(matrix),), ())
    parts = list(_parts(matrix, units, facet, depth))
    scopes = []
    by_code: dict[str, CodeAgreement] = {}
    for done, (scope, part) in enumerate(parts, start=1):
        found = agree(part, level=level)
        scopes.append(
            ScopeAgreement(
                scope=scope,
                units=found.units - found.excluded_units,
                excluded_units=found.excluded_units,
                ratings=int((part.codes != MISSING).sum()),
                coefficients=dict(found.coefficients),
                jackknife=dict(found.jackknife),
                note=prevalence_note(found) or "",
            )
        )
        if scope.kind in ("all", "level"):
            for code, on in found.per_code.items():
                by_code.setdefault(code, CodeAgreement(code, on.kappa, on.count))
        progress.step("agreement", done, len(parts))
    in_order = tuple(by_code[code] for code in facet.nodes if code in by_code)
    pairs = tuple(tuple(row) for row in confusion(matrix).tolist())
    return MeasuredAgreement(tuple(scopes), in_order, Confusion(matrix.categories, pairs))


def _undefined(matrix: RatingMatrix) -> ScopeAgreement:
    reason = f"agreement needs two annotators and the study has {matrix.n_annotators}"
    names = ("percent", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
    nothing = {name: Estimate.missing(reason) for name in names}
    rated = int((matrix.codes != MISSING).sum())
    return ScopeAgreement(Scope(), 0, matrix.n_units, rated, nothing, nothing, reason)


def _parts(matrix: RatingMatrix, units: pl.DataFrame, facet: Facet, depth: int) -> Iterator[tuple[Scope, RatingMatrix]]:
    yield Scope(), matrix
    for above in range(depth):
        lifted = {code: facet.ancestor(code, above) for code in matrix.categories}
        yield Scope("level", facet.levels[above]), matrix.collapse(lifted)
    for above in range(depth):
        for code in facet.at_depth(above):
            inside = units["code"].is_in(list(facet.under(code.id))).fill_null(value=False).to_numpy()
            yield Scope("within", code.id), matrix.select_units(inside)
    for kind in ("group", "project"):
        for value in sorted(units[kind].drop_nulls().unique()):
            yield Scope(kind, value), matrix.select_units((units[kind] == value).fill_null(value=False).to_numpy())
