"""Draw the reports whose lines are labelled by hand, the same ones in every run.

Usage: python benchmarks/draw_region_sample.py ../shared/data/issues > urls.jsonl
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path

SEED = 3
PER_PROJECT = 40  # half to tune on, half untouched
MAX_LINES = 150  # longer reports are left out: one log of a thousand lines would be a third of all labels


def draw(folder: Path) -> list[dict[str, str]]:
    """Return url and split of 120 reports: 40 of each project, half of them ``tune``, half ``held-out``."""
    rng = random.Random(SEED)  # noqa: S311 - a sample to be drawn again, not a secret
    drawn = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            reports = [json.loads(line) for line in lines]
        fit = sorted(
            report["html_url"] for report in reports if report["body"] and report["body"].count("\n") < MAX_LINES
        )
        for place, url in enumerate(rng.sample(fit, PER_PROJECT)):
            drawn.append({"url": url, "split": "tune" if place < PER_PROJECT // 2 else "held-out"})
    return drawn


if __name__ == "__main__":
    for row in draw(Path(sys.argv[1])):
        sys.stdout.write(json.dumps(row) + "\n")
