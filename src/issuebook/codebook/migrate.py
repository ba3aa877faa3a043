"""Ratings made under one version of a codebook, as they stand under another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from issuebook.codebook.edits import Add, AddFacet, Edit, Merge, Part, Retire, Rule, Split, facet_of, new_ids
from issuebook.codebook.history import Steps
from issuebook.errors import EditError, Fault
from issuebook.model.codebook import Facet
from issuebook.model.validation import nearest

RATING = ["item", "annotator", "code"]
"""The columns that make a rating; ratings may carry more, which rules can ask for."""

GONE = "the version has no such code"


@dataclass(frozen=True, slots=True)
class Migration:
    """Ratings under another version, with account of each: all given = ``ratings`` + ``to_review`` + ``repeated``.

    Attributes:
        ratings: the ratings that have a code there, with all their columns.
        to_review: the ratings that a person must look at, with the code they had, and three columns more: ``edit``
            (the id of the edit that left them open, null when none did), ``reason``, and ``candidates`` (the codes they
            may get).
        repeated: ratings that say a second time what one annotator said of one item, since two codes became one.
    """

    ratings: pl.DataFrame
    to_review: pl.DataFrame
    repeated: pl.DataFrame


def migrate(ratings: pl.DataFrame, steps: Steps | Sequence[Edit], facet: Facet) -> Migration:
    """Return the ratings of a facet as they stand after the steps.

    Names, texts and places of codes touch no rating. A merge carries ratings along; one annotator's two ratings of one
    item that become equal count once. A split sends a rating to the one part whose rule it fits, else to review; a
    retirement sends to review. Where an edit no longer holds, ratings under parts of a split go back to what was split;
    ratings of a code into which another had been merged, or of one that had been added, go to review.

    Args:
        ratings: columns item, annotator and code, and any that the rules of splits ask for (``unit``, ``project`` …).
        steps: what leads from the version of the ratings to the one asked for, as ``History.steps`` gives it, or the
            edits alone.
        facet: the facet in the version asked for.

    Raises:
        EditError: a rule asks for a column that the ratings lack.
    """
    undone, made = steps if isinstance(steps, Steps) else ((), tuple(steps))
    here = [edit for edit in undone if facet_of(edit) == facet.id]
    there = [edit for edit in made if facet_of(edit) == facet.id]
    walk = _Walk(ratings)
    for edit in here:
        walk.take_back(edit)
    for edit in there:
        walk.make(edit)
    _review_retired(walk, facet, [edit for edit in there if isinstance(edit, Retire)])
    unknown = ~pl.col("code").is_in(list(facet.nodes))
    walk.review(unknown, None, GONE, ())
    first = pl.struct(RATING).is_first_distinct()
    kept = walk.present.filter(first)
    return Migration(kept, _reviewed(walk, facet, there), walk.present.filter(~first))


def asked_by_rules(steps: Steps, facet: str) -> frozenset[str]:
    """Return the codes of a facet whose ratings a rule of a split may be asked about on the way.

    All ratings of any other code go the same way, so that it is enough to migrate one of them.
    """
    asked: set[str] = set()
    for edit in reversed([edit for edit in steps.made if facet_of(edit) == facet]):
        if isinstance(edit, Split):
            asked.update([edit.code] if any(part.rule is not None for part in edit.parts) else [])
        elif isinstance(edit, Merge):
            asked.update([edit.code] if edit.into in asked else [])
    for edit in reversed([edit for edit in steps.undone if facet_of(edit) == facet]):
        if isinstance(edit, Split) and edit.code in asked:
            asked.update(part.code.id for part in edit.parts)
    return frozenset(asked)


class _Walk:
    """Ratings on their way through the steps: ``present`` have a code, ``open`` wait for a person."""

    def __init__(self, ratings: pl.DataFrame) -> None:
        self.present = ratings
        self.open: list[pl.DataFrame] = []

    def make(self, edit: Edit) -> None:
        """Go through an edit that holds."""
        if isinstance(edit, Merge):
            self._recode([edit.code], edit.into)
        elif isinstance(edit, Split):
            self._split(edit)

    def take_back(self, edit: Edit) -> None:
        """Go through an edit that no longer holds."""
        if isinstance(edit, Split):
            self._recode([part.code.id for part in edit.parts], edit.code)
        elif isinstance(edit, Merge):
            reason = f"given when {edit.into} stood for {edit.code} too"
            self.review(pl.col("code") == edit.into, edit, reason, (edit.into, edit.code))
        elif isinstance(edit, Add | AddFacet):
            self.review(pl.col("code").is_in(new_ids(edit)), edit, "the code was taken back", ())

    def review(self, which: pl.Expr, edit: Edit | None, reason: str, candidates: Sequence[str]) -> None:
        """Set ratings aside for a person."""
        taken = self.present.filter(which)
        if taken.height:
            self.open.append(
                taken.with_columns(
                    pl.lit(edit.id if edit else None, dtype=pl.String).alias("edit"),
                    pl.lit(reason).alias("reason"),
                    pl.lit(list(candidates), dtype=pl.List(pl.String)).alias("candidates"),
                )
            )
            self.present = self.present.filter(~which)

    def _recode(self, codes: Sequence[str], to: str) -> None:
        renamed = pl.when(pl.col("code").is_in(codes)).then(pl.lit(to)).otherwise(pl.col("code"))
        self.present = self.present.with_columns(renamed.alias("code"))

    def _split(self, edit: Split) -> None:
        concerned = pl.col("code") == edit.code
        if self.present.filter(concerned).is_empty():
            return
        fits = [_fits(part, self.present.columns).alias(part.code.id) for part in edit.parts]
        number = pl.sum_horizontal(fits)
        ids = [part.code.id for part in edit.parts]
        which = pl.coalesce(*(pl.when(fit).then(pl.lit(code)) for fit, code in zip(fits, ids, strict=True)))
        self.review(concerned & (number == 0), edit, "fits no part of the split", ids)
        self.review(concerned & (number > 1), edit, "fits several parts of the split", ids)
        self.present = self.present.with_columns(pl.when(concerned).then(which).otherwise(pl.col("code")).alias("code"))


def _review_retired(walk: _Walk, facet: Facet, retirements: Sequence[Retire]) -> None:
    """Set aside the ratings of codes that were retired on the way and that no merge has carried on since."""
    retired = {code: node.path for code, node in facet.nodes.items() if node.code.status == "retired"}
    for edit in retirements:
        below = [code for code, path in retired.items() if edit.code in path or edit is retirements[-1]]
        walk.review(pl.col("code").is_in(below), edit, "the code was retired", ())


def _fits(part: Part, columns: Sequence[str]) -> pl.Expr:
    rule = part.rule
    if rule is None:
        return pl.lit(value=False)
    if rule.column not in columns:
        what = f"its rule asks for the column {rule.column!r}, which the ratings lack."
        raise EditError(Fault(f"part {part.code.id}", what, nearest(rule.column, list(columns))))
    return _holds(rule).fill_null(value=False)


def _holds(rule: Rule) -> pl.Expr:
    text = pl.col(rule.column).cast(pl.String)
    return text.str.contains(rule.matches) if rule.matches is not None else text.is_in(rule.values)


def _reviewed(walk: _Walk, facet: Facet, made: Sequence[Edit]) -> pl.DataFrame:
    """Return what is to be reviewed; candidates that were merged later stand as what they were merged into."""
    empty = walk.present.clear().with_columns(
        pl.lit(None, dtype=pl.String).alias("edit"),
        pl.lit("").alias("reason"),
        pl.lit(None, dtype=pl.List(pl.String)).alias("candidates"),
    )
    if not walk.open:
        return empty
    into = {edit.code: edit.into for edit in made if isinstance(edit, Merge)}
    found = pl.concat([empty, *walk.open])
    now = {code: _end(code, into) for code in found["candidates"].explode().drop_nulls().unique()}
    present = pl.element().replace_strict(now, return_dtype=pl.String) if now else pl.element()
    alive = present.filter(present.is_in(list(facet.nodes))).unique(maintain_order=True)
    return found.with_columns(pl.col("candidates").list.eval(alive))


def _end(code: str, into: dict[str, str]) -> str:
    while code in into:
        code = into[code]
    return code


def counts(ratings: pl.DataFrame, facet: Facet) -> pl.DataFrame:
    """Return how often each code was given: columns code, ratings, units; a code stands for all below it.

    ``ratings`` counts an annotator once an item, ``units`` the items; codes that nobody gave have zeros.
    """
    pairs = [(code, above) for code, node in facet.nodes.items() for above in node.path]
    above = pl.DataFrame(pairs, schema={"code": pl.String, "above": pl.String}, orient="row")
    given = ratings.select(RATING).join(above, on="code").select("item", "annotator", code="above").unique()
    found = given.group_by("code").agg(ratings=pl.len(), units=pl.col("item").n_unique())
    every = pl.DataFrame({"code": list(facet.nodes)}, schema={"code": pl.String})
    joined = every.join(found, on="code", how="left", maintain_order="left")
    return joined.with_columns(pl.col("ratings", "units").fill_null(0))
