"""Clustering and deciding about proposals at the size of the study: the first run, then splits and undos.

Run: ``python -m benchmarks.proposals_at_scale [--reports 38742] [--rounds 5] [--folder DIR]``. Reports are those of
../shared/data/issues, drawn with a fifth of their paragraphs left out and one of another report put in, so that no two
texts are the same. The command line is a process a command; the browser's actions go through the whole application in
this process, with the page of all proposals that follows. Seconds are processor time. Limit: 1 s a web action.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.web_site import Visitor, visitor
from tests.workbench_study import MovedClock, bench_of

ISSUES = Path(__file__).resolve().parents[2] / "shared" / "data" / "issues"
STUDY = """
[study]
title = "Large"
[reports]
files = "reports.jsonl"
[annotation]
facets = ["theme"]
units = "few.jsonl"
"""
CODEBOOK = """
name: large
facets: [{id: theme, levels: [theme], codes: [{id: N, name: not sorted yet}]}]
"""


def write_study(folder: Path, number: int) -> None:
    """Write a study of so many reports."""
    rows = []
    for path in sorted(ISSUES.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows += [json.loads(line) for line in file]
    drawn = random.Random(0)  # noqa: S311
    lines = []
    for at in range(1, number + 1):
        one, other = drawn.choice(rows), drawn.choice(rows)
        kept = [part for part in (one["body"] or "").split("\n\n") if drawn.random() < 0.8]
        body = "\n\n".join([*kept, drawn.choice((other["body"] or "").split("\n\n"))])
        address = re.sub(r"\d+$", str(at), one["html_url"])
        row = {"html_url": address, "title": one["title"], "body": body, "state": one["state"]}
        lines.append(json.dumps({**row, "created_at": one["created_at"]}))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(STUDY)
    (folder / "codebook.yaml").write_text(CODEBOOK)
    (folder / "reports.jsonl").write_text("\n".join(lines))
    (folder / "few.jsonl").write_text("\n".join(lines[:20]))


def command(*words: str) -> str:
    """Run issuebook, print what it cost, and return what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": "src"}
    process = subprocess.Popen(
        [sys.executable, "-m", "issuebook", *words], stdout=subprocess.PIPE, text=True, env=environment
    )
    said = process.stdout.read() if process.stdout else ""
    if process.wait():
        raise SystemExit(said)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(f"issuebook {' '.join(words[:2])}: {seconds:.1f} s; the largest so far {used.ru_maxrss / 1024:.0f} MB")
    return said


def act(site: Visitor, **fields: str) -> str:
    """Send a decision, print what it and the page after it cost, and return that page."""
    begun = time.process_time()
    answer = site.post("/codebook/proposals", data={"csrf": site.csrf, "scope": "all", **fields}, follow_redirects=True)
    if answer.status_code != 200:
        raise SystemExit(answer.text)
    print(f"browser: {fields['kind']} {time.process_time() - begun:.2f} s")
    return answer.text


def main() -> None:
    """Print the cost of the first run and of each action."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=int, default=38_742)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="issuebook-proposals-"))
    if not (folder / "study.toml").exists():
        write_study(folder, given.reports)
    study = str(folder)
    command("run", study, "--only", "reports", "-q")
    tree = command("cluster", study, "-q")
    proposal = max(
        re.findall(r"^  (p\w+) +([\d,]+) ", tree, re.MULTILINE), key=lambda one: int(one[1].replace(",", ""))
    )
    command("proposals", "split", study, proposal[0], "--groups", "3", "--who", "ann")
    command("proposals", "undo", study, "--who", "ann")
    site = visitor(bench_of(folder, MovedClock()))
    site.read("/codebook/proposals")
    for _ in range(given.rounds):
        page = act(site, kind="split", proposal=proposal[0], groups="3")
        last = re.search(r'name="decision" value="([^"]+)"', page)
        act(site, kind="undo", decision=last[1] if last else "")
    print(folder)


if __name__ == "__main__":
    main()
