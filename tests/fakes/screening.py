"""A small screening made for tests: two projects, two lists, every region, a spot check."""

from __future__ import annotations

import polars as pl

from issuebook.model.estimate import Estimate
from issuebook.report.screened_reports import ReportFile, Screening, SpotChecked
from issuebook.schemas import HITS

_HITS = (
    ("r1", "own/alpha", "models", "llama", "title", "title"),
    ("r1", "own/alpha", "models", "llama", "body", "prose"),
    ("r1", "own/alpha", "words", "batch", "body", "log"),
    ("r2", "own/alpha", "models", "llama", "body", "environment"),
    ("r3", "own/beta", "words", "batch", "body", "template"),
    ("r3", "own/beta", "words", "llama", "body", "code"),
    ("r5", "own/beta", "words", "batch", "body", "log"),
)
_SAYS = (  # cuda, gpu, code
    ("r1", "own/alpha", "12.1", "A100", "D.1"),
    ("r2", "own/alpha", "12.1", "L4", "Q.1"),
    ("r3", "own/beta", "11.8", None, "D.1"),
    ("r4", "own/beta", None, None, "D.2"),
    ("r5", "own/beta", "11.8", None, None),
)


def screening(name: str = "llama") -> Screening:
    """Return six reports read, one twice, of which four are hit and four rated; ``name`` stands in every text."""
    hits = pl.DataFrame(_HITS, schema=[key for key in HITS if key not in ("start", "end")], orient="row")
    environments = pl.DataFrame(_SAYS, schema=["id", "project", "cuda", "gpu", "code"], orient="row")
    said = pl.lit(None, pl.String)
    return Screening(
        files=(ReportFile(f"{name}.jsonl", "ef" * 32, 8, 5, 2, 1),),
        excluded={"is a pull request": 1, "the same report, read before, is kept": 1},
        duplicates=1,
        quarantined=1,
        reports={"own/alpha": 2, "own/beta": 3},
        hits=hits.with_columns(pl.col("keyword").replace({"llama": name})),
        lists={"models": (name, "never"), "words": ("batch", name)},
        unscreened=(),
        relevant=None,
        labelled=frozenset({"r1", "r2", "r3", "r4", "elsewhere"}),
        environments=environments.with_columns(
            pl.col("gpu").replace({"L4": name}), framework=said, os=said, python=said
        ),
        spot_check=SpotChecked(
            kept=4,
            dropped=1,
            known=2,
            precision=Estimate(0.75, 0.2, 0.3, 0.95),
            by_list={"models": Estimate(1.0, 0.0, 0.4, 1.0)},
            by_keyword={name: Estimate(0.5, 0.3, 0.1, 0.9)},
            missed=Estimate(0.0, 0.0, 0.0, 0.8),
            recall=Estimate(0.9, None, 0.5, 1.0),
            known_recall=Estimate.missing("no independent reports are known to be relevant"),
        ),
    )
