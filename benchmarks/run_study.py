"""Time and memory of the main job on the released labels: cold, unchanged, and the help text.

    python benchmarks/run_study.py ../shared/data/mu2025 [--rounds 3] [--json]

Each figure is the median over rounds of fresh processes. Limits: cold 10 s and 700 MB, unchanged 1.5 s, help 0.4 s.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMITS = {"cold run, s": 10.0, "unchanged run, s": 1.5, "help, s": 0.4, "cold run, peak MB": 700.0}


def timed(*arguments: object) -> tuple[float, float]:
    """Return the seconds and the peak memory in MB of a fresh process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "issuebook", *map(str, arguments)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        sys.exit(f"issuebook {' '.join(map(str, arguments))} left with {process.returncode}")
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def measure(data: Path, rounds: int) -> dict[str, float]:
    """Return the medians."""
    found: dict[str, list[float]] = {name: [] for name in LIMITS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            study = Path(folder) / "study"
            shutil.rmtree(study, ignore_errors=True)
            ignored = shutil.ignore_patterns("out", "data", "*.db*")
            shutil.copytree(ROOT / "studies" / "mu2025", study, ignore=ignored)
            seconds, megabytes = timed("run", study, "--data", data)
            found["cold run, s"].append(seconds)
            found["cold run, peak MB"].append(megabytes)
            found["unchanged run, s"].append(timed("run", study, "--data", data)[0])
            found["help, s"].append(timed("--help")[0])
    return {name: statistics.median(values) for name, values in found.items()}


def main() -> None:
    """Print the medians beside their limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.data, options.rounds)
    if options.json:
        print(json.dumps({name: {"median": value, "limit": LIMITS[name]} for name, value in found.items()}, indent=2))
    else:
        for name, value in found.items():
            print(f"{name:<20} {value:8.2f}   limit {LIMITS[name]:g}   {value / LIMITS[name]:.0%} of it")


if __name__ == "__main__":
    main()
