"""The released labels of arXiv 2506.13114, read from the data beside the checkout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from issuebook.stats.rating_matrix import RatingMatrix, from_wide

THEMES = [f"A.{n}" for n in range(1, 5)] + [f"B.{n}" for n in range(1, 6)] + [f"C.{n}" for n in range(1, 12)]
"""The themes declared, in the order of the codebook; B.5 and C.11 are never used."""


@dataclass(frozen=True)
class ReleasedLabels:
    """38,742 rows of seven labels and a final one; projects as in the file names."""

    matrix: RatingMatrix
    final: NDArray[np.int32]
    projects: NDArray[np.str_]

    def row_of(self, project: str) -> NDArray[np.bool_]:
        return np.asarray(self.projects == project)


@cache
def released_labels(shared: Path) -> ReleasedLabels:
    """The labels of all eleven projects, file by file in the order of their names."""
    files = sorted((shared / "data" / "mu2025" / "labels").glob("*.csv"))
    frame = pl.concat(pl.read_csv(file).with_columns(project=pl.lit(file.stem)) for file in files)
    matrix = from_wide(frame, [f"Label{n}" for n in range(1, 8)], "Issue_URL", THEMES)
    final = from_wide(frame, ["Final_Label"], "Issue_URL", THEMES).codes[:, 0]
    return ReleasedLabels(matrix, final, frame["project"].to_numpy().astype(np.str_))
