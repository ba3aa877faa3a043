"""Agreement with a bootstrap: issuebook against the obvious loop over statsmodels, krippendorff and irrCAC.

    python benchmarks/agreement.py ../shared/data/mu2025/labels [--peer-resamples 20] [--million] [--json]

One run times both sides on the same labels: Fleiss' kappa, Krippendorff's alpha and Gwet's AC1 with 1,000 bootstrap
resamples over units. The loop is timed on a few resamples and scaled up to 1,000; the output says so. With --million,
also 1,000,000 x 5 synthetic ratings (issuebook only). Times start when the matrix of labels exists.
"""

import argparse
import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import krippendorff
import numpy as np
import pandas as pd
import polars as pl
from irrCAC.raw import CAC
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import fleiss_kappa

from issuebook.stats.agreement import Agreement, Bootstrap, agree
from issuebook.stats.rating_matrix import RatingMatrix, from_wide

RESAMPLES = 1000
T = TypeVar("T")
ANNOTATORS = [f"Label{place}" for place in range(1, 8)]


def load(folder: Path) -> RatingMatrix:
    files = sorted(folder.glob("*.csv"))
    if not files:
        raise SystemExit(f"{folder}: no CSV files; give the folder of released labels")
    return from_wide(pl.concat([pl.read_csv(path) for path in files]), ANNOTATORS)


def synthetic(units: int, annotators: int, categories: int, error: float, seed: int) -> RatingMatrix:
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, categories, units, dtype=np.int32)[:, None]
    shape = (units, annotators)
    slips = generator.integers(0, categories, shape, dtype=np.int32)
    codes = np.where(generator.random(shape) < error, slips, truth)
    names = tuple(f"code{place}" for place in range(categories))
    rows = pl.int_range(units, eager=True).cast(pl.String)
    return RatingMatrix(codes, names, tuple(f"annotator{place}" for place in range(annotators)), rows)


def ours(ratings: RatingMatrix) -> Agreement:
    """All other coefficients, the jackknife and the kappas per code are computed too; they stay in the time."""
    return agree(ratings, bootstrap=Bootstrap(RESAMPLES, seed=0))


def peers(codes: NDArray[np.int32], categories: int) -> tuple[float, float, float]:
    """The three coefficients as a script would call them."""
    counts = np.stack([(codes == category).sum(axis=1) for category in range(categories)], axis=1)
    fleiss = fleiss_kappa(counts)
    alpha = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    frame = pd.DataFrame(codes.astype(float))
    ac1 = CAC(frame, categories=[float(category) for category in range(categories)], digits=12).gwet()
    return float(fleiss), float(alpha), float(ac1["est"]["coefficient_value"])


def peer_loop(ratings: RatingMatrix, resamples: int) -> tuple[float, float, float]:
    generator = np.random.default_rng(0)
    for _ in range(resamples):
        peers(ratings.codes[generator.integers(0, ratings.n_units, ratings.n_units)], ratings.n_categories)
    return peers(ratings.codes, ratings.n_categories)


def seconds(task: Callable[[], T], repeats: int = 1) -> tuple[float, T]:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = task()
        best = min(best, time.perf_counter() - start)
    return best, result


def peak_megabytes(task: Callable[[], object]) -> float:
    tracemalloc.start()
    task()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def compare(folder: Path, peer_resamples: int) -> dict[str, float | int | str]:
    ratings = load(folder)
    time_ours, found = seconds(lambda: ours(ratings), repeats=5)
    time_peers, values = seconds(lambda: peer_loop(ratings, peer_resamples))
    scaled = time_peers / (peer_resamples + 1) * (RESAMPLES + 1)
    names = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
    difference = max(
        abs((found.coefficients[name].value or 9) - value) for name, value in zip(names, values, strict=True)
    )
    return {
        "units": ratings.n_units,
        "annotators": ratings.n_annotators,
        "resamples": RESAMPLES,
        "issuebook_seconds": round(time_ours, 4),
        "issuebook_peak_megabytes_above_the_matrix": round(peak_megabytes(lambda: ours(ratings)), 1),
        "loop_seconds": round(scaled, 1),
        "loop_note": f"{peer_resamples} resamples took {time_peers:.1f} s, scaled up to {RESAMPLES}",
        "ratio": round(scaled / time_ours),
        "largest_difference_of_values": difference,
    }


def million() -> dict[str, float | int | str]:
    ratings = synthetic(1_000_000, 5, 18, 0.2, seed=0)
    spent, _ = seconds(lambda: ours(ratings))
    return {
        "units": ratings.n_units,
        "annotators": ratings.n_annotators,
        "resamples": RESAMPLES,
        "issuebook_seconds": round(spent, 2),
        "issuebook_peak_megabytes_above_the_matrix": round(peak_megabytes(lambda: ours(ratings)), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path, help="folder of the released label files")
    parser.add_argument("--peer-resamples", type=int, default=20, help="resamples of the loop that are timed")
    parser.add_argument("--million", action="store_true", help="also 1,000,000 x 5 synthetic ratings")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    if options.peer_resamples < 1:
        parser.error("--peer-resamples must be at least 1")
    found = {"released_labels": compare(options.labels, options.peer_resamples)}
    if options.million:
        found["synthetic"] = million()
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for part, figures in found.items():
        print(part.replace("_", " "))
        for name, value in figures.items():
            print(f"  {name.replace('_', ' ')}: {value}")


if __name__ == "__main__":
    main()
