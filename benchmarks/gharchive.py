"""Speed of finding a project in an hour of GH Archive, beside grep and beside decoding everything.

    python benchmarks/gharchive.py [--megabytes 300] [--hits 2000] [--json]

The hour is made up in the archive's shape (five kinds of events, bodies of random words and digests) in a temporary
folder that is removed. MB are those of decompressed JSON, seconds are processor seconds of a fresh process with its
children. ``found`` is how many lines or events each way finds; grep counts lines, whatever they are about.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NAME = "acme/engine"
WORDS = (
    "the",
    "build",
    "fails",
    "on",
    "CUDA",
    "when",
    "model",
    "runs",
    "error",
    "trace",
    "tensor",
    "shape",
    "does",
    "not",
)
KINDS = ("PushEvent", "WatchEvent", "IssueCommentEvent", "PullRequestEvent", "IssuesEvent")


def events(size: int, hits: int, seed: int = 1) -> Iterator[bytes]:
    """Yield lines of about ``size`` bytes, of which ``hits`` are issue events of the project."""
    chance = random.Random(seed)  # noqa: S311
    written, number = 0, 0
    every = size // (hits + 1)
    found = 0
    while written < size:
        number += 1
        hit = written >= every * (found + 1) and found < hits
        found += hit
        name = NAME if hit else f"owner{chance.randrange(9999)}/name{chance.randrange(9999)}"
        kind = "IssuesEvent" if hit else chance.choice(KINDS)
        text = " ".join(chance.choices(WORDS, k=chance.randrange(20, 200)))
        text += "".join(f" {chance.getrandbits(160):040x}" for _ in range(chance.randrange(8)))
        issue = {
            "number": number,
            "title": text[:50],
            "body": text,
            "html_url": f"https://github.com/{name}/issues/{number}",
            "user": {"login": f"user{number}"},
            "updated_at": "2024-01-01T00:00:00Z",
        }
        value = {
            "id": str(number),
            "type": kind,
            "actor": {"login": "x", "url": "https://api.github.com/users/x"},
            "repo": {"id": 31_501_832 if hit else 40_000_000 + number, "name": name},
            "payload": {"action": "opened", "issue": issue},
            "public": True,
            "created_at": "2024-01-01T00:00:00Z",
        }
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        written += len(line)
        yield line


def issuebook_scan(path: Path) -> int:
    from issuebook.sources.gharchive.scan import HourScan, Needle

    with path.open("rb") as file:
        return sum(1 for _ in HourScan(iter(lambda: file.read(1 << 18), b""), Needle([NAME], ["31501832"])))


def json_loads(path: Path) -> int:
    with gzip.open(path, "rb") as file:
        return sum(json.loads(line)["repo"]["name"] == NAME for line in file)


def msgspec_decode(path: Path) -> int:
    import msgspec

    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
    with gzip.open(path, "rb") as file:
        return sum(decoder.decode(line)["repo"]["name"] == NAME for line in file)


def python_in(path: Path) -> int:
    name = NAME.encode()
    with gzip.open(path, "rb") as file:
        return sum(json.loads(line)["repo"]["name"] == NAME for line in file if name in line)


WAYS: dict[str, Callable[[Path], int]] = {
    "issuebook": issuebook_scan,
    "json.loads": json_loads,
    "msgspec": msgspec_decode,
    "in, then json.loads": python_in,
}
COMMANDS = {"zgrep -F": ["zgrep", "-cF", NAME], "rg -z": ["rg", "-zcF", NAME], "gzip -dc": ["gzip", "-dc"]}


def measured(command: list[str]) -> tuple[float, float, str]:
    """Return processor seconds with those of children, peak memory in MB of the largest, and what it printed."""
    told = "''" if command[0] == "gzip" else "d.stdout.decode().strip()"
    output = "DEVNULL" if command[0] == "gzip" else "PIPE"
    code = f"import subprocess, resource, sys; d = subprocess.run(sys.argv[1:], stdout=subprocess.{output}); "
    code += "u = resource.getrusage(resource.RUSAGE_CHILDREN); "
    code += f"print(u.ru_utime + u.ru_stime, u.ru_maxrss / 1024, {told})"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True, env=environment
    )
    seconds, megabytes, *found = done.stdout.split()
    return float(seconds), float(megabytes), found[0] if found else ""


def main() -> None:
    """Print speed and memory of every way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--hits", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--way", nargs=2, metavar=("WAY", "FILE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        print(WAYS[given.way[0]](Path(given.way[1])))
        return
    rows: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "2024-01-01-0.json.gz"
        size = 0
        with gzip.open(path, "wb", 6) as file:
            for line in events(given.megabytes * 1_000_000, given.hits):
                file.write(line)
                size += len(line)
        ways = {way: [sys.executable, __file__, "--way", way, str(path)] for way in WAYS}
        ways |= {way: [*command, str(path)] for way, command in COMMANDS.items()}
        for way, command in ways.items():
            seconds, megabytes, found = measured(command)
            rows[way] = {"MB per CPU s": round(size / 1e6 / seconds, 1), "peak MB": round(megabytes), "found": found}
    if given.json:
        print(json.dumps({"MB": round(size / 1e6, 1), "found": rows}, indent=2))
        return
    print(f"an hour of {size / 1e6:.0f} MB")
    for way, row in rows.items():
        print(f"{way:<20} {row['MB per CPU s']:>7} MB per CPU s {row['peak MB']:>6} MB {row['found']:>8} found")


if __name__ == "__main__":
    main()
