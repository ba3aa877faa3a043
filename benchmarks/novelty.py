"""Is an area that no code covers found? One area of real reports is held out of the codes at a time.

    OMP_NUM_THREADS=1 PYTHONPATH=src python benchmarks/novelty.py [DATA]

Reports of three trackers with exactly one area by their tracker's labels. The codes of all other areas are learnt from
four fifths of their reports; asked is about the last fifth and all reports of the area held out, five times over.
Vectors are those of `issuebook cluster`: all texts, no label. Beside it: the cosine of the nearest code's centroid.
Then the same with vectors learnt without any text of the area held out, and a stable stream: nothing held out, how many
of the last fifth are flagged at 5 %.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from issuebook.codebook.novelty import centroid_novelty, novelty
from issuebook.codebook.proposals.features import Report, features, report_of
from issuebook.text.lexical_features import learn_lexical_space
from issuebook.text.templates import Written, learn_templates
from issuebook.text.terms import project_words, terms

FOLDS, FEWEST, RATE, DRAWS = 5, 8, 0.05, 2000
Array = np.ndarray[Any, Any]
PROJECTS = ("vllm", "sglang", "llama.cpp")


def read_reports(data: Path) -> tuple[list[Report], dict[str, set[str]], list[int]]:
    """All reports, sorted, the areas of each by its id, and the places of those with exactly one area that is kept."""
    with (data / "area_labels.csv").open() as file:
        area_of = {(row["project"], row["label"]): row["area"] for row in csv.DictReader(file)}
    rows, areas = [], {}
    for project in PROJECTS:
        with gzip.open(data / f"issues/{project}.jsonl.gz", "rt") as file:
            for line in file:
                report = json.loads(line)
                key = f"{project}#{report['number']:06}"
                rows.append((key, "", report["title"], report["body"], project, report["created_at"]))
                names = [label["name"] if isinstance(label, dict) else label for label in report["labels"]]
                areas[key] = {area_of[project, name] for name in names if (project, name) in area_of}
    templates = learn_templates(Written(project, created, body) for _, _, _, body, project, created in rows)
    reports = sorted(report_of(row, templates) for row in rows)
    single = [at for at, report in enumerate(reports) if len(areas[report.id]) == 1]
    counts = Counter(next(iter(areas[reports[at].id])) for at in single)
    return reports, areas, [at for at in single if counts[next(iter(areas[reports[at].id]))] >= FEWEST]


def area_reports(data: Path) -> tuple[Array, Array]:
    """Vectors of the reports with exactly one area, and their areas; the space is that of all reports' texts."""
    reports, areas, kept = read_reports(data)
    found = features(reports)
    return found.vectors[found.rows][kept], np.array([next(iter(areas[reports[at].id])) for at in kept])


def vectors_without(data: Path, held: Array) -> dict[str, Array]:
    """Vectors of the same reports by area, in a space that was learnt without any report of that area."""
    reports, areas, kept = read_reports(data)
    texts = [terms(report.text, project_words(report.project)) for report in reports]
    found = {}
    for area in sorted(set(held.tolist())):
        others = [text for text, report in zip(texts, reports, strict=True) if area not in areas[report.id]]
        found[area] = learn_lexical_space(others)[0].vectors([texts[at] for at in kept])
    return found


def auroc(scores: Array, is_new: Array) -> float:
    ranks, positives = rankdata(scores), int(is_new.sum())
    return float((ranks[is_new].sum() - positives * (positives + 1) / 2) / positives / (len(scores) - positives))


class HeldOut(NamedTuple):
    """What was found with one area held out of the codes."""

    reports: int
    auroc: float
    nearest_centroid: float
    flagged: float


def held_out(vectors: Array, areas: Array, without: Mapping[str, Array] | None = None) -> dict[str, HeldOut]:
    """Each area held out in turn: means over five folds of the other areas' reports.

    ``without`` gives the vectors to use for an area instead, learnt without its texts.
    """
    all_vectors = vectors
    fold = np.random.default_rng(0).integers(0, FOLDS, len(areas))
    found = {}
    for area in sorted(set(areas.tolist())):
        vectors = all_vectors if without is None else without[area]
        held = np.flatnonzero(areas == area)
        parts = []
        for number in range(FOLDS):
            inside = np.flatnonzero((areas != area) & (fold != number))
            asked = np.concatenate([np.flatnonzero((areas != area) & (fold == number)), held])
            ours = novelty(vectors[inside], areas[inside].tolist(), vectors[asked], RATE)
            if ours is None:
                raise SystemExit("fewer than two codes")
            plain = centroid_novelty(vectors[inside], areas[inside].tolist(), vectors[asked])
            is_new = areas[asked] == area
            parts.append((auroc(ours.score, is_new), auroc(plain, is_new), float(ours.flagged[is_new].mean())))
        found[area] = HeldOut(len(held), *np.mean(parts, axis=0).tolist())
    return found


def stable_stream(vectors: Array, areas: Array, splits: int = 10) -> tuple[int, int]:
    """How many reports of known areas are flagged, and how many were asked about: a fifth, several times over."""
    flagged, asked = 0, 0
    for seed in range(splits):
        part = np.random.default_rng(100 + seed).integers(0, FOLDS, len(areas))
        inside, outside = np.flatnonzero(part != 0), np.flatnonzero(part == 0)
        stream = novelty(vectors[inside], areas[inside].tolist(), vectors[outside], RATE, seed)
        if stream is not None:
            flagged, asked = flagged + int(stream.flagged.sum()), asked + len(outside)
    return flagged, asked


def main() -> None:
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / ".." / "shared" / "data"
    begin = time.process_time()
    vectors, areas = area_reports(data)
    print(f"{len(areas)} reports of {len(set(areas.tolist()))} areas; {time.process_time() - begin:.1f} CPU s")
    begin = time.process_time()
    found = held_out(vectors, areas)
    for area, one in found.items():
        print(
            f"{area:<12}{one.reports:>4} reports  AUROC {one.auroc:.3f}  nearest centroid {one.nearest_centroid:.3f}  "
            f"flagged at 5 % {one.flagged:.2f}"
        )
    table = np.array([one[1:] for one in found.values()])
    drawn = np.random.default_rng(1).integers(0, len(found), (DRAWS, len(found)))
    for column, name in enumerate(("AUROC", "nearest centroid", "flagged")):
        low, high = np.quantile(table[drawn, column].mean(axis=1), (0.025, 0.975))
        print(f"mean {name}: {table[:, column].mean():.3f}, 95 % over areas {low:.3f} to {high:.3f}")
    gain = table[:, 0] - table[:, 1]
    low, high = np.quantile(gain[drawn].mean(axis=1), (0.025, 0.975))
    print(f"gain on the centroid: {gain.mean():+.3f}, {low:+.3f} to {high:+.3f}")
    strict = held_out(vectors, areas, vectors_without(data, areas))
    mean, plain = np.mean([one[1:3] for one in strict.values()], axis=0)
    print(f"vectors learnt without the area's texts: mean AUROC {mean:.3f}, nearest centroid {plain:.3f}")
    flagged, asked = stable_stream(vectors, areas)
    print(f"stable stream: {flagged} of {asked} flagged = {flagged / asked:.3f} (10 splits)")
    print(f"{time.process_time() - begin:.1f} CPU s")


if __name__ == "__main__":
    main()
