"""The home of all ratings as a study's stages see it: imported ones and those made in the workbench."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace

import polars as pl

from issuebook.annotation.joined import Made, joined, made_in
from issuebook.annotation.state import fold
from issuebook.app.migrated_ratings import WORKBENCH, carried, made_under, migrated
from issuebook.app.ports import FileRead, History, RatingBatch, RatingStore, Units
from issuebook.codebook.history import History as CodebookHistory
from issuebook.corpus.identity import identity_of
from issuebook.model.codebook import Codebook
from issuebook.model.study import RatedFacet


class JoinedRatings:
    """Imported ratings with those of the workbench's closed blind rounds, all as they stand under one codebook.

    Imported ratings come from the version of the codebook that study.toml names for their facet, a rating of the
    workbench from the version that it names itself.
    """

    def __init__(
        self,
        imported: RatingStore,
        history: History,
        units: Units,
        codebook: Codebook,
        past: Callable[[], CodebookHistory],
        rated: tuple[RatedFacet, ...] = (),
        machines: tuple[str, ...] = (),
    ) -> None:
        """Take the two homes, the released codebook, how to read its history, and what study.toml says.

        That is: of the facets, and which machine annotators count like people.
        """
        self._machines = machines
        self._imported = imported
        self._history = history
        self._units = units
        self._codebook = codebook
        self._past = past
        self._rated: Mapping[str, RatedFacet] = {source.facet: source for source in rated}
        self._made: dict[str, Made] = {}

    def state(self, facet: str) -> str:
        """Return a text that changes whenever the ratings of a facet change."""
        before = self._imported.state(facet)
        made = self._fixed(facet)
        return before if _is_empty(made) else f"{before}+{_digest(made)}"

    def holds(self, key: str) -> bool:
        """Return whether the imported batch of that key is the present one of its facet."""
        return self._imported.holds(key)

    def replace_imported(self, batch: RatingBatch) -> None:
        """Append an imported batch; ratings made in the workbench stay."""
        self._imported.replace_imported(batch)

    def present(self, facet: str) -> RatingBatch | None:
        """Return the present ratings of a facet as they stand under the released codebook; None when there are none.

        What an edit of the codebook left open is quarantined, as a cell of the row that is kept.
        """
        batch = self._here(self._imported.present(facet), facet)
        made = self._fixed(facet)
        if _is_empty(made):
            return batch
        tree, projects = self._codebook.facet(facet), self._units.projects()
        units = batch.ratings.items["unit"].unique().to_list() if batch is not None else []
        names = {unit: found.id for unit in units if (found := identity_of(unit)) is not None}
        source = self._rated.get(facet)
        now, left_open = carried(made, self._past(), source, tree, projects)
        ratings = joined(batch.ratings if batch else None, now, projects, names, tuple(tree.nodes))
        ratings = replace(ratings, quarantined=pl.concat([ratings.quarantined, left_open]))
        read = FileRead(WORKBENCH, _digest(made), made.ratings.height)
        files = (*batch.files, read) if batch is not None else (read,)
        return RatingBatch(key=self.state(facet), facet=facet, ratings=ratings, files=files)

    def _here(self, batch: RatingBatch | None, facet: str) -> RatingBatch | None:
        """Return imported ratings carried from the version that study.toml names; without one they are of this one."""
        source = self._rated.get(facet)
        if batch is None or source is None or source.codebook is None:
            return batch
        past = self._past()
        steps = past.steps(made_under(past, source), past.released)
        return replace(batch, ratings=migrated(batch.ratings, steps, self._codebook.facet(facet)))

    def _fixed(self, facet: str) -> Made:
        if facet not in self._made:
            self._made[facet] = made_in(fold(self._history.since(0)), facet, self._machines)
        return self._made[facet]


def _is_empty(made: Made) -> bool:
    return made.ratings.is_empty()


def _digest(made: Made) -> str:
    rows = made.ratings.sort("unit", "annotator").write_csv()
    return hashlib.sha256(f"{rows}{sorted(made.decisions.items())}".encode()).hexdigest()
