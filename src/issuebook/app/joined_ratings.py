"""The home of all ratings as a study's stages see it: imported ones and those made in the workbench."""

from __future__ import annotations

import hashlib

from issuebook.annotation.joined import Made, joined, made_in
from issuebook.annotation.state import fold
from issuebook.app.ports import FileRead, History, RatingBatch, RatingStore, Units
from issuebook.corpus.identity import identity_of
from issuebook.model.codebook import Codebook

WORKBENCH = "workbench"


class JoinedRatings:
    """Imported ratings with those of the workbench's closed blind rounds."""

    def __init__(self, imported: RatingStore, history: History, units: Units, codebook: Codebook) -> None:
        """Take the two homes, and the codebook whose codes are declared."""
        self._imported = imported
        self._history = history
        self._units = units
        self._codebook = codebook
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
        """Return the present ratings of a facet, or None when there are none."""
        batch = self._imported.present(facet)
        made = self._fixed(facet)
        if _is_empty(made):
            return batch
        units = batch.ratings.items["unit"].unique().to_list() if batch is not None else []
        names = {unit: found.id for unit in units if (found := identity_of(unit)) is not None}
        codes = tuple(self._codebook.facet(facet).nodes)
        ratings = joined(batch.ratings if batch else None, made, self._units.projects(), names, codes)
        read = FileRead(WORKBENCH, _digest(made), made.ratings.height)
        files = (*batch.files, read) if batch is not None else (read,)
        return RatingBatch(key=self.state(facet), facet=facet, ratings=ratings, files=files)

    def _fixed(self, facet: str) -> Made:
        if facet not in self._made:
            self._made[facet] = made_in(fold(self._history.since(0)), facet)
        return self._made[facet]


def _is_empty(made: Made) -> bool:
    return made.ratings.is_empty()


def _digest(made: Made) -> str:
    rows = made.ratings.sort("unit", "annotator").write_csv()
    return hashlib.sha256(f"{rows}{sorted(made.decisions.items())}".encode()).hexdigest()
