"""The stage that finds the consensus of each rated row."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import polars as pl
from pydantic import TypeAdapter

from issuebook.annotation.ratings import Ratings, repeated_units
from issuebook.app.ports import RatingBatch
from issuebook.app.services import Services
from issuebook.app.stages import Stage, saved_hashes
from issuebook.app.study_files import StudyFiles
from issuebook.model.codebook import Facet
from issuebook.report.facts import DroppedRow, RatingAccount, RepeatedUnit, RowCounts, SourceFile
from issuebook.stats.aggregation.majority import majority
from issuebook.stats.rating_matrix import RatingMatrix, from_long

CONSENSUS, ACCOUNT = "consensus.parquet", "account.json"
ACCOUNTS = TypeAdapter(RatingAccount)


def consensus_stage(services: Services, files: StudyFiles) -> Stage:
    """Return the stage: ratings -> the consensus of each row, and an account of all rows read."""
    source = files.study.ratings[0]
    facet = files.codebook.facet(source.facet)

    def reads() -> Mapping[str, str]:
        return {"issuebook.db": services.ratings.state(source.facet)}

    def settings() -> object:
        return {"tree": tree(facet), "level": source.level, "groups": files.study.groups}

    def wrote() -> Mapping[str, str]:
        return saved_hashes(services.workspace, CONSENSUS, ACCOUNT)

    def work() -> None:
        batch = services.ratings.present(source.facet)
        if batch is None:
            return
        buffer = io.BytesIO()
        consensus(batch.ratings, facet, source.level, files.study.groups).write_parquet(buffer)
        services.workspace.save(CONSENSUS, buffer.getvalue())
        services.workspace.save(ACCOUNT, ACCOUNTS.dump_json(account(batch), indent=1))

    return Stage("consensus", reads, settings, wrote, work)


def tree(facet: Facet) -> list[tuple[str, ...]]:
    """Return the places of all codes: what a facet means for counting, whatever its texts say."""
    return [node.path for node in facet.nodes.values()]


def rated_depth(ratings: Ratings, facet: Facet, level: str | None) -> int:
    """Return the depth at which agreement and consensus are taken: the level named, else the deepest rated."""
    if level is not None:
        return facet.depth_of(level)
    used = ratings.ratings["code"].unique()
    return max((facet.nodes[code].depth for code in used), default=0)


def rating_matrix(ratings: Ratings, facet: Facet, depth: int) -> RatingMatrix:
    """Return the ratings as a matrix with a row an item; codes below ``depth`` count as their ancestor there.

    Categories are the declared codes at ``depth``, and any code above it that was given as it is.
    """
    lifted = {code: facet.ancestor(code, depth) for code in facet.nodes}
    rated = ratings.ratings.with_columns(pl.col("code").replace_strict(lifted))
    given = set(rated["code"].unique())
    categories = [
        code for code, node in facet.nodes.items() if node.depth == depth or (node.depth < depth and code in given)
    ]
    matrix = from_long(rated, unit="item", categories=categories)
    return _with_all_items(matrix, ratings.items)


def consensus(ratings: Ratings, facet: Facet, level: str | None, groups: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """Return one row an item: unit, project, group, majority, whether it is a tie, votes, ratings, final, code.

    ``code`` is the released final code where there is one, else the majority; null where neither exists.
    """
    depth = rated_depth(ratings, facet, level)
    matrix = rating_matrix(ratings, facet, depth)
    vote = majority(matrix)
    names = np.array([*matrix.categories, None], dtype=object)  # the entry MISSING = -1 is the last: no majority
    group_of = {project: group for group, members in groups.items() for project in members}
    lifted = {code: facet.ancestor(code, depth) for code in facet.nodes}
    mapped = pl.col("project").replace_strict(group_of, default=None, return_dtype=pl.String)
    columns = pl.DataFrame(
        {
            "majority": pl.Series(names[vote.winner].tolist(), dtype=pl.String),
            "tied": pl.Series([row in vote.tied for row in range(matrix.n_units)], dtype=pl.Boolean),
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


def _with_all_items(matrix: RatingMatrix, items: pl.DataFrame) -> RatingMatrix:
    """Return the matrix with a row for every item in order, also for those that nobody rated."""
    codes = np.full((items.height, matrix.n_annotators), -1, dtype=np.int32)
    codes[matrix.units.cast(pl.Int64).to_numpy()] = matrix.codes
    return RatingMatrix(codes, matrix.categories, matrix.annotators, items["item"].cast(pl.String))
