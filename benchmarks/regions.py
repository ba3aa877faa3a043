"""Regions beside markdown-it-py: speed, agreement on fences, and F1 on the hand-labelled sample.

Usage: python benchmarks/regions.py ../shared/data/issues [--held-out]

Speed is CPU seconds over all reports, the two tools in turn, median of five rounds. The sample's held-out half is
scored only when asked for: what is looked at while rules are written is no longer held out.
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

from issuebook.text.fences import fences
from issuebook.text.normalise import lines
from issuebook.text.regions import regions
from issuebook.text.templates import TemplateLines, Written, learn_templates

SAMPLE = Path(__file__).resolve().parents[1] / "tests" / "data" / "regions" / "lines.jsonl"
LABELS = ("prose", "template", "environment", "log", "code", "quote")
ROUNDS = 5


class Report(NamedTuple):
    """What regions need of a report."""

    url: str
    project: str
    created: str
    body: str


def read(folder: Path) -> list[Report]:
    """Return all reports of the folder's files; a null body is an empty one."""
    reports = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as rows:
            reports += [
                Report(row["html_url"], path.name, row["created_at"], row["body"] or "")
                for row in map(json.loads, rows)
            ]
    return reports


def learn(reports: list[Report]) -> TemplateLines:
    """Return the template lines of all projects."""
    return learn_templates(Written(report.project, report.created, report.body) for report in reports)


def labelled(body: str, ranges: list[tuple[int, int, str]]) -> dict[int, str]:
    """Return the label by hand of each line of a body that is not blank; lines count from 1."""
    text = lines(body)
    return {line: label for first, last, label in ranges for line in range(first, last + 1) if text[line - 1].strip()}


def predicted(report: Report, templates: TemplateLines) -> dict[int, str]:
    """Return the label that ``regions`` gives each line of a report that is not blank."""
    spans = iter(regions(report.body, templates.at(report.project, report.created)))
    span, at = next(spans), 0
    labels: dict[int, str] = {}
    for number, line in enumerate(lines(report.body), 1):
        while at >= span.end:
            span = next(spans)
        if line.strip():
            labels[number] = span.label
        at += len(line)
    return labels


def sample(split: str) -> Iterator[dict[str, Any]]:
    """Yield the labelled reports of ``tune`` or ``held-out``."""
    for row in SAMPLE.read_text(encoding="utf-8").splitlines():
        labels = json.loads(row)
        if labels["split"] == split:
            yield labels


def confusion(reports: list[Report], split: str) -> Counter[tuple[str, str]]:
    """Return how many lines of a half of the sample have which label by hand and which by ``regions``."""
    templates = learn(reports)
    by_url = {report.url: report for report in reports}
    pairs: Counter[tuple[str, str]] = Counter()
    for row in sample(split):
        report = by_url[row["url"]]
        found = predicted(report, templates)
        pairs.update((label, found[line]) for line, label in labelled(report.body, row["final"]).items())
    return pairs


def passes(reports: list[Report]) -> Counter[tuple[str, str]]:
    """Return how many lines of the sample have which label in the first and which in the second pass."""
    by_url = {report.url: report for report in reports}
    pairs: Counter[tuple[str, str]] = Counter()
    for split in ("tune", "held-out"):
        for row in sample(split):
            first, second = (labelled(by_url[row["url"]].body, row[name]) for name in ("first", "second"))
            pairs.update((first[line], second[line]) for line in first)
    return pairs


def kappa(pairs: Counter[tuple[str, str]]) -> tuple[float, float]:
    """Return observed agreement and Cohen's kappa (Cohen 1960) of two labellings."""
    n = sum(pairs.values())
    observed = sum(count for (left, right), count in pairs.items() if left == right) / n
    rows, columns = Counter[str](), Counter[str]()
    for (left, right), count in pairs.items():
        rows[left] += count
        columns[right] += count
    chance = sum(rows[label] * columns[label] for label in rows) / n**2
    return observed, (observed - chance) / (1 - chance)


def f1(pairs: Counter[tuple[str, str]], label: str) -> tuple[float, float, float]:
    """Return precision, recall and F1 of a label; the first of each pair is the truth."""
    hit = pairs[label, label]
    said = sum(count for (_, found), count in pairs.items() if found == label)
    true = sum(count for (truth, _), count in pairs.items() if truth == label)
    return hit / max(said, 1), hit / max(true, 1), 2 * hit / max(said + true, 1)


def fence_agreement(reports: list[Report]) -> tuple[int, int]:
    """Return how many lines are fenced for only one of ``fences`` and CommonMark, and how many lines there are."""
    parser = MarkdownIt("commonmark")
    apart = total = 0
    for report in reports:
        text = lines(report.body)
        ours = {line for fence in fences(report.body, text) for line in range(fence.first, fence.end)}
        theirs = {
            line
            for token in parser.parse(report.body)
            if token.type == "fence" and token.map
            for line in range(*token.map)
        }
        apart += len(ours ^ theirs)
        total += len(text)
    return apart, total


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds that a call takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main(arguments: list[str]) -> None:
    """Print speed, fence agreement, agreement of the two passes, and F1."""
    reports = read(Path(arguments[0]))
    templates = learn(reports)
    jobs = [(report.body, templates.at(report.project, report.created)) for report in reports]
    parser = MarkdownIt("commonmark")

    def label_all() -> None:
        for body, form in jobs:
            regions(body, form)

    def parse_all() -> None:
        for body, _ in jobs:
            parser.parse(body)

    rounds = [(cpu(label_all), cpu(parse_all)) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(column) for column in zip(*rounds, strict=True))
    megabytes = sum(len(body.encode()) for body, _ in jobs) / 1e6
    print(f"reports {len(reports)}, {megabytes:.1f} MB; learning template lines {cpu(lambda: learn(reports)):.2f} s")
    print(f"regions {ours:.2f} s, {megabytes / ours:.1f} MB/s, {len(reports) / ours:.0f} reports/s")
    print(f"markdown-it-py {theirs:.2f} s, {megabytes / theirs:.1f} MB/s; ratio {theirs / ours:.2f}")
    apart, total = fence_agreement(reports)
    print(f"fence lines as in CommonMark: {1 - apart / total:.6f} of {total} ({apart} differ)")
    agreed, chance_corrected = kappa(passes(reports))
    print(f"two passes over the sample: agreement {agreed:.4f}, kappa {chance_corrected:.4f}")
    for split in ("tune", "held-out") if "--held-out" in arguments else ("tune",):
        pairs = confusion(reports, split)
        print(f"{split}: {sum(pairs.values())} lines, accuracy {kappa(pairs)[0]:.4f}")
        for label in LABELS:
            precision, recall, both = f1(pairs, label)
            n = sum(count for (truth, _), count in pairs.items() if truth == label)
            print(f"  {label:12s} precision {precision:.3f} recall {recall:.3f} F1 {both:.3f} ({n} lines)")


if __name__ == "__main__":
    main(sys.argv[1:])
