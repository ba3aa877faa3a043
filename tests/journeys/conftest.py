"""The program as a person types it, on a small study of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

STUDY = """
[study]
title = "Small study"

[groups]
engine = ["alpha"]

[[ratings]]
files = "ratings/*.csv"
unit = "report"
final = "final"
"""

CODEBOOK = """
name: small
facets:
  - id: theme
    levels: [type, theme]
    codes:
      - {id: Q, name: Question, codes: [{id: Q.1, name: How to}, {id: Q.2, name: Why}]}
      - {id: B, name: Bug, codes: [{id: B.1, name: Crash}, {id: B.2, name: Wrong result}]}
"""

CLAIMS = """
[[claim]]
id = "all"
text = "reports"
stated = "6"
expr = "rows()"

[[claim]]
id = "bugs"
text = "part that is bugs"
stated = "70 %"
expr = 'share("B")'
"""

ALPHA = """report,ann,bob,cy,final
a1,B.1,B.1,B.1,B.1
a2,B.1,B.2,B.1,B.2
a3,Q.1,Q.1,,Q.1
a4,Q.2,Q.1,Q.2,Q.2
"""
BETA = """report,ann,bob,cy,final
b1,B.2,B.2,B.2,
b2,B.2,B.1,Q.1,
"""

Program = Callable[..., subprocess.CompletedProcess[str]]


def write_small_study(folder: Path) -> Path:
    (folder / "ratings").mkdir(parents=True)
    for name, text in (("study.toml", STUDY), ("codebook.yaml", CODEBOOK), ("claims.toml", CLAIMS)):
        (folder / name).write_text(text)
    (folder / "ratings" / "alpha.csv").write_text(ALPHA)
    (folder / "ratings" / "beta.csv").write_text(BETA)
    return folder


@pytest.fixture
def small_study(tmp_path: Path) -> Path:
    return write_small_study(tmp_path / "study")


@pytest.fixture(scope="session")
def small_study_run_once(tmp_path_factory: pytest.TempPathFactory, program: Program) -> Path:
    """The small study after its first run; it is only copied."""
    folder = write_small_study(tmp_path_factory.mktemp("ran") / "study")
    program("run", folder, "-q", check=True)
    return folder


@pytest.fixture
def reported_study(small_study_run_once: Path, tmp_path: Path) -> Path:
    """The small study as its first run leaves it."""
    return shutil.copytree(small_study_run_once, tmp_path / "study")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium: one for all journeys, since two drivers of Playwright do not live in one process."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("CI"):
            pytest.fail("Chromium is absent, and CI skips nothing")
        pytest.skip("needs Debian's Chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which finds faults of accessibility."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def program() -> Program:
    """Run ``issuebook`` with arguments and return what it printed; a traceback fails the test."""

    def run(*arguments: object, check: bool = False, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": "src", "COLUMNS": "120", "NO_COLOR": "1"}
        command = [sys.executable, "-m", "issuebook", *map(str, arguments)]
        done = subprocess.run(command, env=environment, input=stdin, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run
