"""Screening speed and memory beside ripgrep and pandas, as ratios of one run on one corpus.

    python benchmarks/screening.py [--data DIR] [--megabytes 430] [--rounds 3] [--rg FILE] [--json]

Builds JSON lines (UTF-8, not escaped) and Parquet from the public reports in a temporary folder, deletes them
afterwards. Every contender is a process of its own; CPU time and peak memory are the kernel's figures for it,
interpreter start included. Rounds are interleaved, CPU rates are medians and wall rates the best of them, so that other
work on the machine disturbs all alike. Two processes can only show their gain where two cores are free.

ripgrep counts lines or names words, where ours gives exact sets of keywords by field. Its speed depends on its version:
14 and 15 take the slow road for ``-w`` in text beyond ASCII, 13 does not and is several times faster. The goals
were set with 14 (``pip install ripgrep==14.1.0``), so they are judged with 14 or later and only printed with 13.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

GOALS = {
    "json / rg -c": 1.7,
    "json / rg -o": 8.0,
    "json / pandas": 10.0,
    "parquet / json": 1.0,
    "two processes / one": 1.6,
}
PEAK_GOAL = 150  # MB
PANDAS_SHARE = 8  # pandas would hold seven gigabytes for the whole corpus, so it gets an eighth of it
RG_GOALS_FROM = 14  # major version
OWN = [sys.executable, __file__, "--work"]
BESIDE_PYTHON = Path(sys.executable).with_name("rg")


@dataclass(frozen=True)
class Run:
    """One process: megabytes of JSON lines it had for input, seconds, peak MB, and what it printed."""

    megabytes: float
    cpu: float
    wall: float
    peak: float
    said: str


class Corpus(NamedTuple):
    """The files that contenders read."""

    lines: Path
    share: Path
    parquet: Path
    keywords: Path


def main() -> int:
    """Return 0 when every goal is met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--megabytes", type=int, default=430)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rg", default=str(BESIDE_PYTHON) if BESIDE_PYTHON.exists() else "rg")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)  # how this file starts itself as a contender
    options = parser.parse_args()
    if options.work:
        print(WORK[options.work[0]](*map(Path, options.work[1:])))
        return 0
    with tempfile.TemporaryDirectory(prefix="issuebook-bench-") as folder:
        corpus = Corpus(*(Path(folder) / name for name in ("all.jsonl", "share.jsonl", "all.parquet", "keywords.txt")))
        # in a process of its own, for a child's peak memory starts from its parent's
        run([*OWN, "build", str(options.data), folder, str(options.megabytes)], 0)
        runs = race(corpus, options.rounds, options.rg)
    result = summary(runs, rg_version(options.rg))
    print(json.dumps(result, indent=2) if options.json else as_text(result))
    return 0 if all(result["met"].values()) else 1  # type: ignore[attr-defined]


def build(data: Path, folder: Path, megabytes: Path) -> str:
    """Write the corpus: the reports repeated, each with an address of its own; the pytorch list, folded."""
    import polars as pl

    size = int(str(megabytes)) * 1_000_000
    files = sorted((data / "issues").glob("*.jsonl.gz"))
    originals = [json.loads(line) for file in files for line in gzip.decompress(file.read_bytes()).splitlines()]
    frame = pl.DataFrame(
        {name: [report[name] for report in originals] for name in ("title", "body")},
        schema=dict.fromkeys(("title", "body"), pl.String),
    )
    copies = share_copies = 0
    with (folder / "all.jsonl").open("wb") as lines, (folder / "share.jsonl").open("wb") as share:
        while lines.tell() < size:
            copies += 1
            block = b"".join(line_of(report, copies, row) for row, report in enumerate(originals))
            lines.write(block)
            if share.tell() < size / PANDAS_SHARE:
                share.write(block)
                share_copies += 1
    pl.concat([frame] * copies).write_parquet(folder / "all.parquet", compression="zstd", row_group_size=500)
    (folder / "keywords.txt").write_text("\n".join(keywords_of(data / "mu2025" / "keywords" / "pytorch.txt")))
    return f"{copies} copies"


def line_of(report: dict[str, object], copy: int, row: int) -> bytes:
    """A report with an address that holds no keyword, for a hit in it would spare ripgrep the text."""
    address = f"https://tracker.example/{copy}/{row}"
    kept = {"title": report["title"], "body": report["body"], "html_url": address}
    return json.dumps(kept, ensure_ascii=False).encode() + b"\n"


def keywords_of(file: Path) -> list[str]:
    """The list's distinct folded texts."""
    from issuebook.screening.keywords import parse_keyword_list

    return [keyword.folded for keyword in parse_keyword_list(file.read_text(), file.name).distinct().keyword]


def race(corpus: Corpus, rounds: int, rg: str) -> dict[str, list[Run]]:
    """Run every contender once a round, in turn."""
    flags = ["-i", "-w", "-F", "-f", str(corpus.keywords)]
    commands: dict[str, tuple[list[str], Path]] = {
        "json": ([*OWN, "json", str(corpus.keywords), str(corpus.lines)], corpus.lines),
        "rg -c": ([rg, *flags, "-c", str(corpus.lines)], corpus.lines),
        "parquet": ([*OWN, "parquet", str(corpus.keywords), str(corpus.parquet)], corpus.lines),
        "rg -o": ([rg, *flags, "-o", "-n", str(corpus.lines)], corpus.lines),
        "two processes": ([*OWN, "two", str(corpus.keywords), str(corpus.lines)], corpus.lines),
        "command": (sets_of(corpus.lines, corpus.keywords), corpus.lines),
        "command, two": ([*sets_of(corpus.lines, corpus.keywords), "--processes", "2"], corpus.lines),
        "command, parquet": (sets_of(corpus.parquet, corpus.keywords), corpus.lines),
        "pandas": ([*OWN, "pandas", str(corpus.keywords), str(corpus.share)], corpus.share),
    }
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, (command, read) in commands.items():
            runs[name].append(run(command, read.stat().st_size / 1e6))
    return runs


def sets_of(file: Path, keywords: Path) -> list[str]:
    """The command as a person types it; its ratios are told, the goals are the kernel's."""
    return [sys.executable, "-m", "issuebook", "screen", str(file), "--keywords", str(keywords), "--sets", "--quiet"]


def run(command: Sequence[str], megabytes: float) -> Run:
    """Run one contender and measure it; children's memory is the largest one's."""
    with tempfile.TemporaryFile() as out:
        started = time.perf_counter()
        env = {**os.environ, "POLARS_MAX_THREADS": "1", "PYTHONPATH": str(ROOT / "src")}
        process = subprocess.Popen(command, stdout=out, env=env)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        if process.returncode:
            raise SystemExit(f"{command[0]} ended with {process.returncode}")
        size = out.tell()
        out.seek(0)
        said = out.read(200).decode(errors="replace").strip() if size < 200 else f"{size} bytes"
    return Run(megabytes, used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, said)


def rg_version(rg: str) -> tuple[int, ...]:
    """ripgrep's version, e.g. (14, 1, 0)."""
    said = subprocess.run([rg, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in said.split()[1].split("."))


def summary(runs: dict[str, list[Run]], version: tuple[int, ...]) -> dict[str, object]:
    """Medians of CPU rates, the best wall rate (other work only lowers it), their ratios, whether each goal is met."""
    rate = {name: statistics.median(one.megabytes / one.cpu for one in found) for name, found in runs.items()}
    wall = {name: max(one.megabytes / one.wall for one in found) for name, found in runs.items()}
    peak = {name: max(one.peak for one in found) for name, found in runs.items()}
    ratios = {
        "json / rg -c": rate["json"] / rate["rg -c"],
        "json / rg -o": rate["json"] / rate["rg -o"],
        "json / pandas": rate["json"] / rate["pandas"],
        "parquet / json": rate["parquet"] / rate["json"],
        "two processes / one": wall["two processes"] / wall["json"],
        "command / rg -c": rate["command"] / rate["rg -c"],
        "command / rg -o": rate["command"] / rate["rg -o"],
        "command / pandas": rate["command"] / rate["pandas"],
    }
    judged = {name: goal for name, goal in GOALS.items() if "rg" not in name or version[0] >= RG_GOALS_FROM}
    met = {name: ratios[name] >= goal for name, goal in judged.items()}
    met |= {
        f"peak {name}": peak[name] <= PEAK_GOAL
        for name in ("json", "parquet", "command", "command, two", "command, parquet")
    }
    return {
        "MB per CPU second": rate,
        "MB per second": wall,
        "peak MB": peak,
        "ratios": ratios,
        "ripgrep": ".".join(map(str, version)),
        "goals": {**GOALS, "peak MB": PEAK_GOAL},
        "met": met,
        "runs": {name: [asdict(one) for one in found] for name, found in runs.items()},
    }


def as_text(result: dict[str, object]) -> str:
    """The figures as a table for people."""
    rate, wall, peak, ratios, met, runs = (
        result[key] for key in ("MB per CPU second", "MB per second", "peak MB", "ratios", "met", "runs")
    )
    lines = [f"ripgrep {result['ripgrep']}", f"{'':16}{'MB/CPU-s':>10}{'MB/s':>10}{'peak MB':>10}  said"]
    lines += [
        f"{name:16}{rate[name]:10.0f}{wall[name]:10.0f}{peak[name]:10.0f}  {runs[name][0]['said']}"  # type: ignore[index]
        for name in runs  # type: ignore[attr-defined]
    ]
    lines += [f"{name:24}{value:6.2f}  (goal {GOALS.get(name, 'none')})" for name, value in ratios.items()]  # type: ignore[attr-defined]
    lines += [f"missed: {name}" for name, is_met in met.items() if not is_met]  # type: ignore[attr-defined]
    return "\n".join(lines)


def screen_json(keywords: Path, lines: Path, part: int = 0, parts: int = 1) -> str:
    """Our kernel on JSON lines: a part of the file from the first line that begins in it."""
    from issuebook.screening.json_lines import ScreenedLine, screen_json_lines
    from issuebook.screening.keywords import parse_keyword_list
    from issuebook.screening.matcher import Matcher

    matcher = Matcher(parse_keyword_list(keywords.read_text(), keywords.name).keyword)
    n_reports = n_pairs = n_hit = 0
    for line in screen_json_lines(matcher, chunks_of(lines, part, parts)):
        n_reports += 1
        if isinstance(line, ScreenedLine) and (found := line.hits.report):
            n_hit += 1
            n_pairs += len(found)
    return f"{n_reports} reports, {n_hit} hit, {n_pairs} pairs"


def chunks_of(file: Path, part: int, parts: int, size: int = 1 << 20) -> Iterator[bytes]:
    """The bytes of one of equal parts of a file, moved to line ends."""
    length = file.stat().st_size
    with file.open("rb") as stream:

        def line_start(at: int) -> int:
            stream.seek(max(0, at - 1))
            if at:
                stream.readline()
            return stream.tell()

        begin, end = line_start(length * part // parts), line_start(length * (part + 1) // parts)
        stream.seek(begin)
        while begin < end and (chunk := stream.read(min(size, end - begin))):
            begin += len(chunk)
            yield chunk


def screen_two(keywords: Path, lines: Path) -> str:
    """Our kernel on JSON lines in two processes: this one and another, half the file each."""
    with subprocess.Popen([*OWN, "second half", str(keywords), str(lines)], stdout=subprocess.PIPE, text=True) as other:
        mine = screen_json(keywords, lines, 0, 2)
        theirs, _ = other.communicate()
    if other.returncode:
        raise SystemExit("the second process failed")
    return f"{mine} + {theirs.strip()}"


def screen_second_half(keywords: Path, lines: Path) -> str:
    """What the other process of ``screen_two`` does."""
    return screen_json(keywords, lines, 1, 2)


def screen_parquet(keywords: Path, parquet: Path) -> str:
    """Our kernel on the columns of a Parquet file, a batch of rows at a time."""
    import polars as pl

    from issuebook.screening.columns import screen_columns
    from issuebook.screening.keywords import parse_keyword_list
    from issuebook.screening.matcher import Matcher

    matcher = Matcher(parse_keyword_list(keywords.read_text(), keywords.name).keyword)
    batches: Iterable[pl.DataFrame] = pl.scan_parquet(parquet).select("title", "body").collect_batches(chunk_size=250)
    n_reports = n_pairs = n_hit = 0
    for batch in batches:
        hits = screen_columns(matcher, batch["title"], batch["body"]).unique(["row", "keyword"])
        n_reports += batch.height
        n_pairs += hits.height
        n_hit += hits["row"].n_unique()
    return f"{n_reports} reports, {n_hit} hit, {n_pairs} pairs"


def pandas_contains(keywords: Path, lines: Path) -> str:
    """Yes or no for each report, as a notebook does it."""
    import re

    import pandas as pd

    frame = pd.read_json(lines, lines=True)
    pattern = "|".join(map(re.escape, keywords.read_text().split("\n")))
    text = frame["title"].fillna("") + "\n" + frame["body"].fillna("")
    return f"{len(frame)} reports, {int(text.str.contains(pattern, case=False).sum())} hit"


WORK: dict[str, Callable[..., str]] = {
    "build": build,
    "json": screen_json,
    "two": screen_two,
    "second half": screen_second_half,
    "parquet": screen_parquet,
    "pandas": pandas_contains,
}


if __name__ == "__main__":
    raise SystemExit(main())
