"""What a change of the codebook does to ratings: only reports that it can concern are looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from issuebook.app.taxonomy.desk import CodebookDesk
from issuebook.app.taxonomy.seen_ratings import SeenRatings, renumbered, seen_ratings
from issuebook.app.taxonomy.standing import Counting, Standing, asked_of, counting, means, stand, standing
from issuebook.codebook.history import History
from issuebook.codebook.migrate import asked_by_rules, migrate
from issuebook.model.codebook import Facet


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to the ratings of one facet, as far as the person who asks may count them.

    Attributes:
        facet: id of the facet.
        ratings: how many ratings there are.
        follow: ratings that get another code by themselves.
        moves: from which code to which, and how many, the most first.
        review: ratings that go to review; negative when some come back from there.
        repeat: ratings that say a second time what their annotator said of the report.
        reports: reports whose consensus changes, comes or goes.
        own_only: whether only the person's own ratings were counted.
    """

    facet: str
    ratings: int
    follow: int
    moves: tuple[tuple[str, str, int], ...]
    review: int
    repeat: int
    reports: int
    own_only: bool


def effects(desk: CodebookDesk, person: str, history: History, numbers: tuple[int, int]) -> tuple[Effect, ...]:
    """Return what lies between two states for the ratings that a person may count, by facet with ratings.

    Args:
        desk: the codebook.
        person: who asks.
        history: which may have entries that are only tried out.
        numbers: of the two states.
    """
    old, new = (history.at(number) for number in numbers)
    both = [facet.id for facet in old.facets if facet.id in {each.id for each in new.facets}]
    found = []
    for facet in both:
        before = standing(desk, person, facet, numbers[0], history)
        if before.ratings.ratings.height or before.to_review.height:
            found.append(_effect(before, *_parts(desk, person, history, numbers, before)))
    return tuple(found)


def _parts(
    desk: CodebookDesk, person: str, history: History, numbers: tuple[int, int], before: Standing
) -> tuple[Standing, Standing]:
    """Return how the reports that the change can concern stand before and after it."""
    facets = [history.at(number).facet(before.facet.id) for number in numbers]
    if means(history, numbers[0], facets[0]) == means(history, numbers[1], facets[1]):
        return before, before
    seen, how = seen_ratings(desk, person, before.facet.id), counting(desk, before.facet.id, ())
    fates = _fates(seen, history, numbers, (facets[0], facets[1]), how)
    if how.level is None and _deepest(fates, facets[1]) != before.depth:
        return before, stand(seen, history, numbers[1], facets[1], how)
    items = _concerned(fates, (facets[0], facets[1]), before.depth)
    how = replace(how, level=facets[1].levels[before.depth])
    part = seen.of(items)
    old = stand(part, history, numbers[0], facets[0], how) if before.repeated else _of(before, items)
    return old, stand(part, history, numbers[1], facets[1], how)


def _of(whole: Standing, items: pl.Series) -> Standing:
    """Return what is known of some items of a standing none of whose ratings is repeated; counts stay those of all."""
    return replace(
        whole,
        ratings=replace(whole.ratings, ratings=renumbered(whole.ratings.ratings, items)),
        consensus=renumbered(whole.consensus, items),
        to_review=renumbered(whole.to_review, items),
    )


def _fates(
    seen: SeenRatings, history: History, numbers: tuple[int, int], facets: tuple[Facet, Facet], how: Counting
) -> list[pl.DataFrame]:
    """Return tables of items with what a code given to them is before and after: old and new, null where it is open.

    A table has the rows of one code that go the same way, or those that rules of splits must be asked about.
    """
    final = seen.finals.with_columns(annotator=pl.lit("final")).select(seen.ratings.columns)
    found = []
    for (made,), rows in pl.concat([seen.ratings, final]).group_by("number"):
        steps = [history.steps(int(str(made)), number) for number in numbers]
        asked = asked_by_rules(steps[0], facets[0].id) | asked_by_rules(steps[1], facets[1].id)
        codes = rows.select("code").unique().filter(~pl.col("code").is_in(list(asked)))
        texts = dict.fromkeys(("annotator", "unit", "project", "group"), pl.lit("", dtype=pl.String))
        one_each = codes.with_columns(pl.int_range(pl.len(), dtype=pl.UInt32).alias("item"), **texts)
        some = asked_of(rows.filter(pl.col("code").is_in(list(asked))), seen.items, how)
        for table in (one_each, some):
            ways = table.with_columns(given="code").with_row_index("row")
            for name, step, facet in zip(("old", "new"), steps, facets, strict=True):
                gone = migrate(ways.with_columns(code="given"), step, facet)
                now = pl.concat([gone.ratings, gone.repeated]).select("row", pl.col("code").alias(name))
                ways = ways.join(now, on="row", how="left", maintain_order="left")
            found.append(ways if table is some else rows.join(ways.select("code", "old", "new"), on="code"))
    return [table.select("item", "old", "new") for table in found]


def _deepest(fates: list[pl.DataFrame], facet: Facet) -> int:
    codes = {code for table in fates for code in table["new"].unique().drop_nulls()}
    return max((facet.nodes[code].depth for code in codes), default=0)


def _concerned(fates: list[pl.DataFrame], facets: tuple[Facet, Facet], depth: int) -> pl.Series:
    """Return the items one of whose codes becomes another, at the depth of the consensus too."""
    lifted = [{code: facet.ancestor(code, depth) for code in facet.nodes} for facet in facets]
    places = [
        pl.col(name).replace_strict(known, default=None, return_dtype=pl.String)
        for name, known in zip(("old", "new"), lifted, strict=True)
    ]
    differs = pl.col("old").ne_missing(pl.col("new")) | places[0].ne_missing(places[1])
    return pl.concat([table.filter(differs)["item"] for table in fates]).unique().sort()


def _effect(whole: Standing, before: Standing, after: Standing) -> Effect:
    key = ["item", "annotator"]
    pairs = before.ratings.ratings.join(after.ratings.ratings, on=key, how="inner", suffix="_after")
    moved = pairs.filter(pl.col("code") != pl.col("code_after"))
    moves = (
        moved.group_by("code", "code_after").len().sort(["len", "code", "code_after"], descending=[True, False, False])
    )
    consensus = before.consensus.select("item", "code").join(
        after.consensus.select("item", after="code"), on="item", how="full", coalesce=True
    )
    return Effect(
        facet=whole.facet.id,
        ratings=whole.ratings.ratings.height,
        follow=moved.height,
        moves=tuple((old, new, count) for old, new, count in moves.iter_rows()),
        review=after.to_review.height - before.to_review.height,
        repeat=after.repeated - before.repeated,
        reports=consensus.filter(pl.col("code").ne_missing(pl.col("after"))).height,
        own_only=after.own_only,
    )
