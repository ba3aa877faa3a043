"""The stage that asks whether the labels of the study look like independent judgements."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from pydantic import TypeAdapter

from issuebook.annotation.ratings import Ratings
from issuebook.app.code_trees import types_of
from issuebook.app.consensus import CONSENSUS
from issuebook.app.ports import Progress
from issuebook.app.rating_matrices import matrix_at_depth, rated_depth, tree
from issuebook.app.services import Services
from issuebook.app.stages import Stage, saved_hashes
from issuebook.app.study_files import StudyFiles
from issuebook.model.codebook import Facet
from issuebook.stats.audit.audit import Audit, AuditSettings, audit
from issuebook.stats.audit.evidence import AuditContext
from issuebook.stats.rating_matrix import MISSING

AUDIT = "audit.json"
AUDITED = TypeAdapter(Audit)


def audit_stage(services: Services, files: StudyFiles) -> Stage:
    """Return the stage: ratings and consensus -> the checks of the audit."""
    source, plan = files.study.rated[0], files.study.audit
    facet = files.codebook.facet(source.facet)
    seed = files.study.seed if plan.seed is None else plan.seed

    def reads() -> Mapping[str, str]:
        ratings = {"issuebook.db": services.ratings.state(source.facet)}
        return ratings | saved_hashes(services.workspace, CONSENSUS)

    def settings() -> object:
        return {"tree": tree(facet), "level": source.level, "draws": plan.draws, "seed": seed}

    def wrote() -> Mapping[str, str]:
        return saved_hashes(services.workspace, AUDIT)

    def work() -> None:
        batch = services.ratings.present(source.facet)
        saved = services.workspace.load(CONSENSUS)
        if batch is None or saved is None:
            return
        units = pl.read_parquet(io.BytesIO(saved))
        depth = rated_depth(batch.ratings, facet, source.level)
        found = audit_study(batch.ratings, units, facet, depth, (plan.draws, seed), services.progress)
        services.workspace.save(AUDIT, AUDITED.dump_json(found, indent=1))

    return Stage("audit", reads, settings, wrote, work)


def audit_study(
    ratings: Ratings, units: pl.DataFrame, facet: Facet, depth: int, draws_and_seed: tuple[int, int], progress: Progress
) -> Audit:
    """Return the audit of a study's ratings; rows stand in the order of the files.

    Args:
        ratings: items and ratings.
        units: the consensus of the same rows in the same order: columns unit, project, final, code.
        facet: the facet rated.
        depth: the depth of its tree at which it was rated.
        draws_and_seed: data sets drawn from the model of the labels, and their seed.
        progress: told after each draw.
    """
    matrix = replace(matrix_at_depth(ratings, facet, depth), units=units["unit"])
    place = {code: index for index, code in enumerate(matrix.categories)}
    released = units["final"].null_count() < units.height
    final = np.array([place.get(code, MISSING) for code in units["code"]], dtype=np.int32) if released else None
    context = AuditContext(units["project"].to_list(), final, types_of(matrix.categories, facet), in_file_order=True)
    draws, seed = draws_and_seed
    step = lambda done, total: progress.step("audit", done, total)  # noqa: E731
    return audit(matrix, context, seed, AuditSettings(draws), step)
