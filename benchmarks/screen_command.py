"""What ``issuebook screen`` costs from files to hits: import, lines of forms, matching, regions.

    python benchmarks/screen_command.py ../shared/data/issues [--reports 28140] [--json]

The reports are real ones, repeated under other numbers, in a temporary folder that is removed. MB are those of the JSON
lines; seconds are processor seconds of all processes together and, for two processes, the wall clock's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
LIST = ROOT / "studies" / "mu2025" / "keywords" / "pytorch.toml"


def measured(file: Path, *more: str) -> dict[str, float]:
    """Return processor seconds, wall seconds and the largest process's memory of one command."""
    command = [sys.executable, "-m", "issuebook", "screen", str(file), "--keywords", str(LIST), "--quiet", *more]
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begun
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(process.stderr.read().decode() if process.stderr else "failed")
    return {"cpu": usage.ru_utime + usage.ru_stime, "wall": wall, "peak": usage.ru_maxrss / 1024}


def main() -> None:
    """Print the rates."""
    from benchmarks.import_reports import reports

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reports", type=int, default=28_140)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="issuebook-bench-") as folder:
        file = Path(folder) / "reports.jsonl"
        with file.open("wb") as lines:
            lines.writelines(reports(options.folder, options.reports))
        megabytes = file.stat().st_size / 1e6
        out = ("--out", str(Path(folder) / "hits.parquet"))
        runs = {f"{n} process{'es' if n > 1 else ''}": measured(file, *out, "--processes", str(n)) for n in (1, 2)}
    rates = {
        name: {"MB per CPU second": megabytes / run["cpu"], "reports per CPU second": options.reports / run["cpu"]}
        | run
        for name, run in runs.items()
    }
    if options.json:
        print(json.dumps({"megabytes": megabytes, "reports": options.reports, "runs": rates}, indent=1))
        return
    print(f"{options.reports:,} reports, {megabytes:.0f} MB")
    for name, run in rates.items():
        print(
            f"{name:14}{run['MB per CPU second']:8.1f} MB/CPU-s{run['reports per CPU second']:10.0f} reports/CPU-s"
            f"{run['wall']:8.1f} s wall{run['peak']:8.0f} MB"
        )


if __name__ == "__main__":
    main()
