"""Time and memory of the audit with its simulations.

    python benchmarks/audit.py ../shared/data/mu2025/labels [--rounds 3] [--json]

Each figure is the median over rounds of fresh processes, which read the files too. Limits: 60 s for the 200 draws of
``issuebook audit``; the 40 draws of a run are timed beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMITS = {"200 draws, s": 60.0, "40 draws, s": 15.0, "200 draws, peak MB": 700.0}


def timed(folder: Path, draws: int) -> tuple[float, float]:
    """Return the seconds and the peak memory in MB of a fresh process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "issuebook", "audit", str(folder), "--draws", str(draws), "--json", "--quiet"],
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        sys.exit(f"issuebook audit left with {process.returncode}")
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def measure(folder: Path, rounds: int) -> dict[str, float]:
    """Return the medians."""
    found: dict[str, list[float]] = {name: [] for name in LIMITS}
    for _ in range(rounds):
        seconds, megabytes = timed(folder, 200)
        found["200 draws, s"].append(seconds)
        found["200 draws, peak MB"].append(megabytes)
        found["40 draws, s"].append(timed(folder, 40)[0])
    return {name: statistics.median(values) for name, values in found.items()}


def main() -> None:
    """Print the medians beside their limits; leave with 1 when one is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.folder, options.rounds)
    if options.json:
        print(json.dumps({name: {"median": value, "limit": LIMITS[name]} for name, value in found.items()}, indent=2))
    else:
        for name, value in found.items():
            print(f"{name:<20} {value:8.2f}   limit {LIMITS[name]:g}   {value / LIMITS[name]:.0%} of it")
    sys.exit(int(any(value > LIMITS[name] for name, value in found.items())))


if __name__ == "__main__":
    main()
