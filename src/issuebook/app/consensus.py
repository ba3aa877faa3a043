"""The stage that finds the consensus of each rated row."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import polars as pl
from pydantic import TypeAdapter

from issuebook.annotation.ratings import Ratings, repeated_units
from issuebook.app.import_ratings import stage_name
from issuebook.app.ports import RatingBatch
from issuebook.app.rating_matrices import matrix_at_depth, rated_depth, tree
from issuebook.app.services import Services
from issuebook.app.stages import Stage, saved_hashes
from issuebook.app.study_files import StudyFiles
from issuebook.model.codebook import Facet
from issuebook.model.study import RatedFacet, Study
from issuebook.report.facts import DroppedRow, RatingAccount, RepeatedUnit, RowCounts, SourceFile
from issuebook.report.levels import file_name
from issuebook.stats.aggregation.majority import majority
from issuebook.stats.rating_matrix import MISSING

CONSENSUS, ACCOUNT = "consensus.parquet", "account.json"
ACCOUNTS = TypeAdapter(RatingAccount)
CONSENSUS_COLUMNS = {
    "item": pl.Int64(),
    "unit": pl.String(),
    "project": pl.String(),
    "group": pl.String(),
    "majority": pl.String(),
    "tied": pl.Boolean(),
    "votes": pl.Int64(),
    "ratings": pl.Int64(),
    "final": pl.String(),
    "code": pl.String(),
}
"""What the consensus of each row holds."""


def consensus_stage(services: Services, files: StudyFiles, source: RatedFacet) -> Stage:
    """Return the stage: ratings of one facet -> the consensus of each row, and an account of all rows read."""
    position = files.study.rated.index(source)
    consensus_name, account_name = result_names(files.study, source)
    facet = files.codebook.facet(source.facet)

    def reads() -> Mapping[str, str]:
        return {"issuebook.db": services.ratings.state(source.facet)}

    def settings() -> object:
        made_under = {"codebook": source.codebook} if source.codebook is not None else {}
        return {"tree": tree(facet), "level": source.level, "groups": files.study.groups, **made_under}

    def wrote() -> Mapping[str, str]:
        return saved_hashes(services.workspace, consensus_name, account_name)

    def work() -> None:
        batch = services.ratings.present(source.facet)
        if batch is None:
            return
        buffer = io.BytesIO()
        consensus(batch.ratings, facet, source.level, files.study.groups).write_parquet(buffer)
        services.workspace.save(consensus_name, buffer.getvalue())
        services.workspace.save(account_name, ACCOUNTS.dump_json(account(batch), indent=1))

    return Stage(stage_name("consensus", position, source), reads, settings, wrote, work)


def result_names(study: Study, source: RatedFacet) -> tuple[str, str]:
    """Return the names under which the consensus and the account of a facet are saved."""
    if source == study.rated[0]:
        return CONSENSUS, ACCOUNT
    name = file_name(source.facet)
    return f"consensus-{name}.parquet", f"account-{name}.json"


def consensus(ratings: Ratings, facet: Facet, level: str | None, groups: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """Return one row an item: unit, project, group, majority, whether it is a tie, votes, ratings, final, code.

    ``code`` is the released final code where there is one, else the majority; null where neither exists.
    """
    depth = rated_depth(ratings, facet, level)
    matrix = matrix_at_depth(ratings, facet, depth)
    vote = majority(matrix)
    names = np.array([*matrix.categories, None], dtype=object)  # the last entry is MISSING: no majority
    group_of = {project: group for group, members in groups.items() for project in members}
    lifted = {code: facet.ancestor(code, depth) for code in facet.nodes}
    mapped = pl.col("project").replace_strict(group_of, default=None, return_dtype=pl.String)
    columns = pl.DataFrame(
        {
            "majority": pl.Series(names[vote.winner].tolist(), dtype=pl.String),
            "tied": (vote.winner == MISSING) & (vote.ratings > 0),
            "votes": vote.votes,
            "ratings": vote.ratings,
        }
    )
    items = ratings.items.select("item", "unit", "project", pl.coalesce(mapped, "group").alias("group"), "final")
    joined = pl.concat([items, columns], how="horizontal")
    final = pl.col("final").replace_strict(lifted, default=None, return_dtype=pl.String)
    return joined.with_columns(final.alias("final")).with_columns(pl.coalesce("final", "majority").alias("code"))


def account(batch: RatingBatch) -> RatingAccount:
    """Return what became of every row read."""
    ratings, whole = batch.ratings, pl.col("cell").is_null()
    return RatingAccount(
        counts=RowCounts(
            read=ratings.read,
            kept=ratings.kept,
            excluded=ratings.excluded.filter(whole).height,
            quarantined=ratings.quarantined.filter(whole).height,
        ),
        annotators=ratings.annotators,
        excluded=_dropped(ratings.excluded),
        quarantined=_dropped(ratings.quarantined),
        repeated=tuple(
            RepeatedUnit(row["unit"], tuple(row["places"]), tuple(row["differing"]))
            for row in repeated_units(ratings).iter_rows(named=True)
        ),
        sources=tuple(SourceFile(file.name, file.sha256, file.rows) for file in batch.files),
    )


def _dropped(frame: pl.DataFrame) -> tuple[DroppedRow, ...]:
    texts = frame.with_columns(pl.col("unit", "cell", "reason", "text").fill_null(""), pl.col("line").fill_null(0))
    return tuple(DroppedRow(**row) for row in texts.iter_rows(named=True))
