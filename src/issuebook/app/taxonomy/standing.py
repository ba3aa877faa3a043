"""How ratings stand under one state of the codebook: carried along, counted, and what is left for people to review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from issuebook import schemas
from issuebook.annotation.ratings import Ratings
from issuebook.app.consensus import consensus
from issuebook.app.rating_matrices import rated_depth, tree
from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.seen_ratings import SeenRatings, seen_ratings
from issuebook.codebook.edits import Add, AddFacet, Merge, Retire, Split, facet_of
from issuebook.codebook.history import History
from issuebook.codebook.migrate import counts, migrate
from issuebook.model.codebook import Facet

_NO_CONSENSUS = pl.Schema({"item": pl.UInt32(), "unit": pl.String(), "project": pl.String(), "code": pl.String()})


@dataclass(frozen=True, slots=True)
class Standing:
    """Ratings of a facet under one state of the codebook.

    Attributes:
        facet: the facet in that state.
        depth: the deepest depth that ratings reach; the consensus is taken there.
        ratings: those that have a code there.
        consensus: item, unit, project, code (and more): a row a rated report; ``code`` is null where there is none.
        to_review: item, annotator, code, unit, reason, candidates: what people must look at.
        repeated: ratings that say a second time what one annotator said of one report.
        units, given: by code, with those below it: reports that have it by consensus, ratings that give it.
        own_only: whether only the person's own ratings were looked at.
        key: the same for two standings that count alike.
    """

    facet: Facet
    depth: int
    ratings: Ratings
    consensus: pl.DataFrame
    to_review: pl.DataFrame
    repeated: int
    units: Mapping[str, int]
    given: Mapping[str, int]
    own_only: bool
    key: tuple[object, ...]

    @property
    def agreed(self) -> int:
        """Number of reports that have a consensus."""
        return self.consensus["code"].count()


def standing(desk: CodebookDesk, person: str, facet: str, number: int, history: History | None = None) -> Standing:
    """Return how the ratings that a person may see stand after the first ``number`` entries of a history.

    Args:
        desk: the codebook.
        person: who asks.
        facet: id of the facet.
        number: which state.
        history: a history that is only tried out; None for the real one.

    Raises:
        EditError: a rule of a split asks for a column that ratings do not have.
    """
    chosen = history or desk.history
    seen = seen_ratings(desk, person, facet)
    there = chosen.at(number).facet(facet)
    key = (facet, seen.key, seen.stand, *means(chosen, number, there))

    def make() -> Standing:
        return stand(seen, chosen, number, there, counting(desk, facet, key))

    found = desk.kept(("standing", *key), None, make)
    return found if found.facet is there else replace(found, facet=there)


def means(history: History, number: int, facet: Facet) -> tuple[object, object]:
    """Return the edits that hold and can touch a rating, and the tree: states that share both count alike."""
    touching = (Merge, Split, Retire, Add, AddFacet)
    edits = (each for each in history.in_force(number) if isinstance(each, touching))
    return tuple(each.id for each in edits if facet_of(each) == facet.id), tuple(tree(facet))


@dataclass(frozen=True, slots=True)
class Counting:
    """How the study takes the consensus, and the key of what comes out."""

    level: str | None
    groups: Mapping[str, tuple[str, ...]]
    key: tuple[object, ...]


def counting(desk: CodebookDesk, facet: str, key: tuple[object, ...]) -> Counting:
    """Return how the study takes the consensus of a facet."""
    level = next((source.level for source in desk.bench.study.rated if source.facet == facet), None)
    return Counting(level, desk.bench.study.groups, key)


def asked_of(rows: pl.DataFrame, items: pl.DataFrame, how: Counting) -> pl.DataFrame:
    """Return rows with what rules of splits can ask of their items: unit, project, group."""
    group_of = {project: group for group, members in how.groups.items() for project in members}
    mapped = pl.col("project").replace_strict(group_of, default=None, return_dtype=pl.String)
    about = items.select("item", "unit", "project", group=pl.coalesce(mapped, "group"))
    return rows.join(about, on="item", how="left", maintain_order="left")


def stand(seen: SeenRatings, history: History, number: int, facet: Facet, how: Counting) -> Standing:
    """Return how ratings stand after the first ``number`` entries of a history; nothing is kept."""
    rated = asked_of(seen.ratings, seen.items, how)
    final = asked_of(seen.finals, seen.items, how).with_columns(annotator=pl.lit("final"))
    kept, to_review, repeated = _carried(rated, history, number, facet)
    decided = _carried(final.select(rated.columns), history, number, facet)[0]
    items = seen.items.drop("final").join(
        decided.unique("item", keep="last").select("item", final="code"), on="item", how="left", maintain_order="left"
    )
    ratings = Ratings(
        items=items.select(schemas.ITEMS.names()),
        ratings=kept.select(schemas.RATINGS.names()).sort("item", maintain_order=True),
        excluded=pl.DataFrame(schema=schemas.EXCLUDED),
        quarantined=pl.DataFrame(schema=schemas.QUARANTINED),
        annotators=tuple(kept["annotator"].unique(maintain_order=True)),
        read=items.height,
        kept=items.height,
    )
    depth = rated_depth(ratings, facet, how.level)
    rows = pl.DataFrame(schema=_NO_CONSENSUS)
    if kept.height:
        rows = consensus(ratings, facet, facet.levels[depth], how.groups)
    agreed = rows.drop_nulls("code").select("item", pl.lit("").alias("annotator"), "code")
    return Standing(
        facet=facet,
        depth=depth,
        ratings=ratings,
        consensus=rows,
        to_review=to_review,
        repeated=repeated,
        units=dict(counts(agreed, facet).select("code", "units").iter_rows()),
        given=dict(counts(ratings.ratings, facet).select("code", "ratings").iter_rows()),
        own_only=seen.own_only,
        key=how.key,
    )


def _carried(
    rated: pl.DataFrame, history: History, number: int, facet: Facet
) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """Return ratings with a code in a state, those to review, and how many are repeated; each from its own version."""
    kept, open_ones, repeated = [], [], 0
    for made in rated["number"].unique(maintain_order=True).to_list() or [number]:
        found = migrate(rated.filter(pl.col("number") == made), history.steps(made, number), facet)
        kept.append(found.ratings)
        open_ones.append(found.to_review)
        repeated += found.repeated.height
    return pl.concat(kept), pl.concat(open_ones), repeated
