"""A study in which known things changed on 1 July 2024: a share, a word, a keyword, a topic that no code covers."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np

TOML = """
[study]
title = "Planted"

[[ratings]]
files = "ratings/*.csv"
unit = "report"
final = "final"

[reports]
files = "reports/*.jsonl"

[keywords]
files = "keywords/*"
"""
CODEBOOK = """
name: planted
version: "1"
facets:
  - id: theme
    levels: [type, theme]
    codes:
      - {id: Q, name: Question, codes: [{id: Q.1, name: How to}, {id: Q.2, name: Why}]}
      - {id: B, name: Bug, codes: [{id: B.1, name: Crash}, {id: B.2, name: Wrong result}]}
"""
WORDS = {
    "Q.1": "install docker image conda package setup wheel mirror",
    "Q.2": "meaning option default explain difference warning notice flag",
    "B.1": "crash segfault abort core dump signal killed memory",
    "B.2": "wrong output garbage token probability mismatch precision score",
    "new": "webgpu browser canvas shader tab javascript page render",
}
CHANGED = date(2024, 7, 1)
HOSTILE = "<script>alert(1)</script> and <img src=x onerror=alert(2)>"


def planted_study(folder: Path, *, in_order_of_time: bool = False, new: int = 16, change: bool = True) -> Path:
    """Write the study; rows of its ratings are in random order unless they are in order of time."""
    generator = np.random.default_rng(7)
    for name in ("ratings", "reports", "keywords"):
        (folder / name).mkdir(parents=True)
    (folder / "study.toml").write_text(TOML)
    (folder / "codebook.yaml").write_text(CODEBOOK)
    (folder / "keywords" / "all.txt").write_text("fortran\nmodel\nnowhere\n")
    reports, rated = [], []
    for number in range(1, 481):
        day = date(2023, 7, 1) + timedelta(days=int(number * 730 / 481))
        late = day >= CHANGED
        shares = [0.2, 0.15, 0.15, 0.5] if late and change else [0.3, 0.3, 0.3, 0.1]
        code = str(generator.choice(["Q.1", "Q.2", "B.1", "B.2"], p=shares))
        reports.append(_report(number, day, code, late, generator))
        if generator.random() < 0.9:
            rated.append((number, code))
    reports += [_report(1000 + at, CHANGED + timedelta(days=10 * at), "new", True, generator) for at in range(new)]
    reports.append({**_report(2000, CHANGED, "new", True, generator), "title": HOSTILE})
    (folder / "reports" / "all.jsonl").write_text("\n".join(map(json.dumps, reports)) + "\n")
    order = range(len(rated)) if in_order_of_time else generator.permutation(len(rated)).tolist()
    lines = [f"{_address(rated[at][0])},{rated[at][1]},{rated[at][1]}" for at in order]
    (folder / "ratings" / "all.csv").write_text("\n".join(["report,ann,final", *lines]) + "\n")
    return folder


def _address(number: int) -> str:
    return f"https://github.com/own/alpha/issues/{number}"


def _report(number: int, day: date, code: str, late: bool, generator: np.random.Generator) -> dict[str, str]:
    words = generator.choice(WORDS[code].split(), 5, replace=False).tolist()
    words += generator.choice(["model", "run", "today", "small", "machine", "slow"], 2, replace=False).tolist()
    words += ["reasoning"] if late and generator.random() < 0.6 else []
    words += ["fortran"] if not late and generator.random() < 0.15 else []
    return {
        "html_url": _address(number),
        "title": f"{words[0]} {words[1]}",
        "body": f"The {' '.join(words)}.",
        "created_at": f"{day.isoformat()}T12:00:00Z",
    }
