"""The home of all ratings as a study's stages see it: imported ones and those made in the workbench."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import polars as pl

from issuebook.annotation.joined import MADE, Made, joined, made_in
from issuebook.annotation.state import fold
from issuebook.app.ports import FileRead, History, RatingBatch, RatingStore, Units
from issuebook.codebook.history import History as CodebookHistory
from issuebook.codebook.migrate import migrate
from issuebook.corpus.identity import identity_of
from issuebook.model.codebook import Codebook, Facet
from issuebook.schemas import QUARANTINED

WORKBENCH = "workbench"


class JoinedRatings:
    """Imported ratings with those of the workbench's closed blind rounds."""

    def __init__(
        self,
        imported: RatingStore,
        history: History,
        units: Units,
        codebook: Codebook,
        changes: CodebookHistory | None = None,
    ) -> None:
        """Take the two homes, the codebook whose codes are declared, and the history that led to it.

        What was made under an older version of it is carried along; without a history it stays as it was made.
        """
        self._imported = imported
        self._history = history
        self._units = units
        self._codebook = codebook
        self._changes = changes
        self._made: dict[str, tuple[Made, pl.DataFrame]] = {}

    def state(self, facet: str) -> str:
        """Return a text that changes whenever the ratings of a facet change."""
        before = self._imported.state(facet)
        made, left_open = self._fixed(facet)
        return before if _is_empty(made, left_open) else f"{before}+{_digest(made, left_open)}"

    def holds(self, key: str) -> bool:
        """Return whether the imported batch of that key is the present one of its facet."""
        return self._imported.holds(key)

    def replace_imported(self, batch: RatingBatch) -> None:
        """Append an imported batch; ratings made in the workbench stay."""
        self._imported.replace_imported(batch)

    def present(self, facet: str) -> RatingBatch | None:
        """Return the present ratings of a facet, or None when there are none."""
        batch = self._imported.present(facet)
        made, left_open = self._fixed(facet)
        if _is_empty(made, left_open):
            return batch
        units = batch.ratings.items["unit"].unique().to_list() if batch is not None else []
        names = {unit: found.id for unit in units if (found := identity_of(unit)) is not None}
        codes = tuple(self._codebook.facet(facet).nodes)
        ratings = joined(batch.ratings if batch else None, made, self._units.projects(), names, codes)
        ratings = replace(ratings, quarantined=pl.concat([ratings.quarantined, left_open]))
        read = FileRead(WORKBENCH, _digest(made, left_open), made.ratings.height)
        files = (*batch.files, read) if batch is not None else (read,)
        return RatingBatch(key=self.state(facet), facet=facet, ratings=ratings, files=files)

    def _fixed(self, facet: str) -> tuple[Made, pl.DataFrame]:
        """Return what the workbench fixed, under the released codebook, and what that leaves open, as quarantined."""
        if facet not in self._made:
            made = made_in(fold(self._history.since(0)), facet)
            nothing = pl.DataFrame(schema=QUARANTINED)
            known = self._changes is not None and bool(self._changes.entries)
            tree = self._codebook.facet(facet)
            self._made[facet] = _carried(made, self._changes, tree) if known and self._changes else (made, nothing)
        return self._made[facet]


def _carried(made: Made, changes: CodebookHistory, facet: Facet) -> tuple[Made, pl.DataFrame]:
    """Return ratings and decisions as they stand in the newest release, and the ratings that it leaves open."""
    places = made.ratings.with_row_index("item").with_columns(project=pl.lit(None, dtype=pl.String))
    kept, left_open = [], []
    for (version,), part in places.group_by("codebook", maintain_order=True):
        start = changes.versions.get(str(version), changes.released)
        found = migrate(part, changes.steps(start, changes.released), facet)
        kept.append(pl.concat([found.ratings, found.repeated]))
        left_open.append(found.to_review)
    ratings = pl.concat(kept).sort("item").select(MADE.names()) if kept else made.ratings
    return replace(made, ratings=ratings, decisions=_decisions(made, changes, facet)), _open(left_open)


def _decisions(made: Made, changes: CodebookHistory, facet: Facet) -> dict[str, str]:
    """Return decisions as they stand; each was made under what was released last before it."""
    rows = [(unit, "final", code, changes.released_at(made.decided[unit])) for unit, code in made.decisions.items()]
    schema = {"item": pl.String(), "annotator": pl.String(), "code": pl.String(), "number": pl.Int64()}
    table = pl.DataFrame(rows, schema=schema, orient="row").with_columns(unit="item")
    found: dict[str, str] = {}
    for (number,), part in table.group_by("number"):
        steps = changes.steps(number if isinstance(number, int) else 0, changes.released)
        found |= dict(migrate(part, steps, facet).ratings.select("item", "code").iter_rows())
    return {unit: found[unit] for unit in made.decisions if unit in found}


def _open(parts: list[pl.DataFrame]) -> pl.DataFrame:
    if not parts:
        return pl.DataFrame(schema=QUARANTINED)
    return pl.concat(parts).select(
        source=pl.concat_str(pl.lit("round "), "round"),
        line=pl.lit(None, dtype=pl.UInt32),
        unit="unit",
        cell="annotator",
        reason=pl.format("to review: {}", "reason"),
        text="code",
    )


def _is_empty(made: Made, left_open: pl.DataFrame) -> bool:
    return made.ratings.is_empty() and left_open.is_empty()


def _digest(made: Made, left_open: pl.DataFrame) -> str:
    rows = made.ratings.sort("unit", "annotator").write_csv()
    said = f"{rows}{sorted(made.decisions.items())}"
    return hashlib.sha256((said + left_open.write_csv() if left_open.height else said).encode()).hexdigest()
