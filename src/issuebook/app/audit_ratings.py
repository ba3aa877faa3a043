"""The audit of ratings in plain files: projects from the files' names, row order as the files have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from issuebook.app.agreed_codes import agreed_codes
from issuebook.app.code_trees import types_of
from issuebook.app.rating_sets import RatingSet
from issuebook.model.codebook import Facet
from issuebook.stats.audit.audit import Audit, AuditSettings, audit
from issuebook.stats.audit.evidence import AuditContext
from issuebook.stats.audit.predictive import Progress


@dataclass(frozen=True, slots=True)
class AuditedRatings:
    """The audit of some ratings, and what it took for what.

    Attributes:
        audit: the checks.
        rating_set: what was read.
        projects: names of the projects, in the order of the files.
        types: the type of each code, or None when nothing told it.
        consensus: ``final`` (released codes) or ``majority``.
    """

    audit: Audit
    rating_set: RatingSet
    projects: tuple[str, ...]
    types: Mapping[str, str] | None
    consensus: str


def audit_ratings(
    found: RatingSet,
    settings: AuditSettings,
    seed: int,
    facet: Facet | None = None,
    progress: Progress | None = None,
    types: Mapping[str, str] | None = None,
) -> AuditedRatings:
    """Return the audit of ratings whose rows stand in the order in which they were labelled or released.

    Args:
        found: ratings, with released final codes where there are some.
        settings: draws and level.
        seed: of the drawn data sets.
        facet: the codebook's facet, for the types of codes; without one, dotted ids tell them.
        progress: called with (draws done, draws in all).
        types: the type of each code, if it is told otherwise.
    """
    agreed = agreed_codes(found, facet)
    matrix = replace(agreed.matrix, units=agreed.items["unit"])  # copies of a unit are known by its name
    types = types_of(matrix.categories, facet) if types is None else types
    projects = agreed.items["project"]
    context = AuditContext(
        projects=projects.to_list(),
        final=agreed.index if _has_finals(agreed.items) else None,
        types=types,
        in_file_order=True,
    )
    return AuditedRatings(
        audit=audit(matrix, context, seed, settings, progress),
        rating_set=found,
        projects=tuple(projects.unique(maintain_order=True)),
        types=types,
        consensus="final" if _has_finals(agreed.items) else "majority",
    )


def _has_finals(items: pl.DataFrame) -> bool:
    return items["final"].null_count() < items.height
