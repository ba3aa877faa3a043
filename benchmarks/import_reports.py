"""Speed and memory of ``issuebook import``, for each arrangement of the same reports.

    python benchmarks/import_reports.py ../shared/data/issues [--reports 80520] [--json]

The reports are real ones, repeated under other numbers, in a temporary folder that is removed. MB are those of the
JSON lines, seconds are processor seconds of a fresh process, all threads together. Limits hold for JSON lines:
50 MB per processor second, 300 MB of memory for 80,520 reports.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SPEED, MEMORY = 50.0, 300.0


def reports(folder: Path, count: int) -> Iterator[bytes]:
    """Yield JSON lines of as many reports, no two with the same number."""
    texts = [gzip.decompress(path.read_bytes()) for path in sorted(folder.glob("*.jsonl.gz"))]
    rows = [json.loads(line) for line in b"".join(texts).splitlines()]
    for index in range(count):
        row = rows[index % len(rows)]
        number = row["number"] + index // len(rows) * 1_000_000
        address = f"{row['html_url'].rpartition('/')[0]}/{number}"
        yield json.dumps(row | {"number": number, "html_url": address}).encode() + b"\n"


def arrangements(lines: Path) -> Iterator[Path]:
    """Yield files that hold the same reports; none is in the memory of this process, which imports would inherit."""
    yield lines
    packed = lines.with_suffix(".jsonl.gz")
    with lines.open("rb") as source, gzip.open(packed, "wb", 6) as target:
        shutil.copyfileobj(source, target)
    yield packed
    array = lines.with_suffix(".json")
    with lines.open("rb") as source, array.open("wb") as target:
        target.writelines((b"," if number else b"[") + line for number, line in enumerate(source))
        target.write(b"]")
    yield array
    table = lines.with_suffix(".parquet")
    code = "import sys, polars; polars.scan_ndjson(sys.argv[1]).sink_parquet(sys.argv[2], row_group_size=1024)"
    subprocess.run([sys.executable, "-c", code, lines, table], check=True)
    yield table


def measured(file: Path, into: Path) -> tuple[float, float]:
    """Return the processor seconds and the peak memory in MB of an import."""
    process = subprocess.Popen(
        [sys.executable, "-m", "issuebook", "import", str(file), "--into", str(into), "--quiet"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"the import of {file.name} left with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Print speed and memory beside their limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("issues", type=Path, help="a folder of *.jsonl.gz")
    parser.add_argument("--reports", type=int, default=80_520)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "reports.jsonl"
        with lines.open("wb") as file:
            file.writelines(reports(given.issues, given.reports))
        size = lines.stat().st_size / 1e6
        for path in arrangements(lines):
            seconds, megabytes = measured(path, Path(folder) / "corpus")
            found[path.name] = {"MB per CPU s": round(size / seconds, 1), "peak MB": round(megabytes)}
    if given.json:
        print(json.dumps({"MB": round(size, 1), "limits": [SPEED, MEMORY], "found": found}, indent=2))
        return
    print(f"{given.reports:,} reports, {size:.0f} MB of JSON lines; limits {SPEED} MB per CPU s, {MEMORY} MB")
    for name, row in found.items():
        print(f"{name:<20} {row['MB per CPU s']:>7} MB per CPU s {row['peak MB']:>6} MB")


if __name__ == "__main__":
    main()
