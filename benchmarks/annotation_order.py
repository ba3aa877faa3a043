"""How many labels reach 95 % of what all labels give: the telling order beside a random one.

    OMP_NUM_THREADS=1 PYTHONPATH=src:. python benchmarks/annotation_order.py [DATA]

Each seed holds 30 % of the reports out for testing and labels the others 25 at a time; a logistic regression on the
labels so far is scored by macro F1. Vectors are those of `issuebook cluster`, of all texts. Areas: reports with
exactly one area. NLBSE'24: the kind of report (bug, feature, question) and the project, 1,500 reports of 5 projects.
At the goal, shares are estimated from the random sample and from all labels: how many intervals hold the true share?
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.novelty import area_reports

from issuebook.annotation.telling import telling_order
from issuebook.codebook.proposals.features import features, report_of
from issuebook.stats.linear_codes import code_probabilities
from issuebook.stats.proportions import wilson
from issuebook.text.templates import Written, learn_templates

SEEDS, TEST, STEP, GOAL = 20, 0.3, 25, 0.95
Array = np.ndarray[Any, Any]


def nlbse(data: Path) -> tuple[Array, Array, Array]:
    """Vectors, kinds and projects of the NLBSE'24 training reports."""
    with gzip.open(data / "nlbse24/issues_train.jsonl.gz", "rt") as file:
        found = [json.loads(line) for line in file]
    rows = [(f"{at:05}", "", one["title"], one["body"], one["repo"], one["created_at"]) for at, one in enumerate(found)]
    templates = learn_templates(Written(repo, created, body) for _, _, _, body, repo, created in rows)
    known = features([report_of(row, templates) for row in rows])
    kinds, projects = (np.array([one[name] for one in found]) for name in ("label", "repo"))
    return known.vectors[known.rows], kinds, projects


def macro_f1(vectors: Array, truth: Array, rows: Array, test: Array) -> float:
    names = sorted(set(truth[rows].tolist()))
    if len(names) < 2:
        return 0.0
    guess = np.array(names)[code_probabilities(vectors[rows], truth[rows].tolist(), vectors[test]).argmax(axis=1)]
    scores = []
    for name in sorted(set(truth.tolist())):
        hit = int(((guess == name) & (truth[test] == name)).sum())
        both = int((guess == name).sum() + (truth[test] == name).sum())
        scores.append(2 * hit / both if both else 0.0)
    return float(np.mean(scores))


def needed(vectors: Array, truth: Array, test: Array, pool: Array, seed: int, order: str) -> tuple[int, list[float]]:
    """Labels until the goal is reached, and how many intervals of shares hold: of the sample, of all labels."""
    goal = GOAL * macro_f1(vectors, truth, pool, test)
    codes: list[str | None] = [None] * len(pool)
    shuffled = np.random.default_rng(seed).permutation(len(pool))
    sample: tuple[int, ...] = ()
    while True:
        done = sum(code is not None for code in codes)
        if order == "random":
            following, sample = tuple(shuffled[done : done + STEP].tolist()), tuple(shuffled[: done + STEP].tolist())
        else:
            following, sample = telling_order(vectors[pool], codes, STEP, seed)
        for at in following:
            codes[at] = str(truth[pool[at]])
        rows = np.array([row for row, code in zip(pool, codes, strict=True) if code is not None])
        if len(rows) == len(pool) or macro_f1(vectors, truth, rows, test) >= goal:
            return len(rows), [_covered(truth, pool, pool[list(sample)]), _covered(truth, pool, rows)]


def _covered(truth: Array, pool: Array, rows: Array) -> float:
    """How many of the true shares of codes lie in the 95 % Wilson intervals from some units."""
    names = sorted(set(truth[pool].tolist()))
    intervals = [wilson(int((truth[rows] == name).sum()), len(rows), 0.95, len(pool)) for name in names]
    shares = [float((truth[pool] == name).mean()) for name in names]
    return float(np.mean([(i.low or 0.0) <= s <= (i.high or 1.0) for i, s in zip(intervals, shares, strict=True)]))


def main() -> None:
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / ".." / "shared" / "data"
    vectors, kinds, projects = nlbse(data)
    sets = {"areas": area_reports(data), "nlbse24 kind": (vectors, kinds), "nlbse24 project": (vectors, projects)}
    for name, (points, truth) in sets.items():
        begin = time.process_time()
        found: dict[str, list[int]] = {"random": [], "telling": []}
        off = []
        for seed in range(SEEDS):
            shuffled = np.random.default_rng(1000 + seed).permutation(len(truth))
            cut = round(TEST * len(truth))
            test, pool = shuffled[:cut], np.sort(shuffled[cut:])
            for order, results in found.items():
                labels, error = needed(points, truth, test, pool, seed, order)
                results.append(labels)
                if order == "telling":
                    off.append(error)
        ratio = np.array(found["telling"]) / np.array(found["random"])
        drawn = np.random.default_rng(0).integers(0, SEEDS, (2000, SEEDS))
        low, high = np.quantile(np.median(ratio[drawn], axis=1), (0.025, 0.975))
        median = {order: float(np.median(results)) for order, results in found.items()}
        print(
            f"{name}: {len(pool)} to label; labels for 95 %: random {median['random']:.0f}, "
            f"telling {median['telling']:.0f}; median ratio {np.median(ratio):.2f} ({low:.2f} to {high:.2f}); "
            f"95 % intervals that hold the share: sample {np.mean([one[0] for one in off]):.2f}, "
            f"all labels {np.mean([one[1] for one in off]):.2f}; "
            f"{time.process_time() - begin:.0f} CPU s",
            flush=True,
        )


if __name__ == "__main__":
    main()
