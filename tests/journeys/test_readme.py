"""What the README shows is what the program prints."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)


def examples() -> dict[str, list[str]]:
    """Each command of the README with the lines that follow it."""
    found: dict[str, list[str]] = {}
    for line in "".join(CONSOLE).splitlines():
        if line.startswith("$ "):
            found[line[2:]] = []
        else:
            found[list(found)[-1]].append(line)
    return found


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d s\b", "N s", text)


def printed(command: list[str], folder: Path, both: bool) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    output = subprocess.STDOUT if both else subprocess.DEVNULL
    done = subprocess.run(
        [sys.executable, "-m", "issuebook", *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=output,
        text=True,
        check=False,
    )
    return without_times(done.stdout).rstrip("\n").splitlines()


def shown(command: str) -> list[str]:
    return without_times("\n".join(examples()[command])).rstrip("\n").splitlines()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the shipped studies as they are in a fresh clone."""
    made = shutil.ignore_patterns("out", "data", "*.db*")
    for name in ("demo", "studies"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=made)
    return tmp_path


def test_make_demo_prints_what_the_readme_shows(folder: Path) -> None:
    assert printed(["run", "demo"], folder, both=True) == shown("make demo")


def test_agreement_prints_what_the_readme_shows(folder: Path) -> None:
    assert printed(["agreement", "demo/ratings"], folder, both=False) == shown("issuebook agreement demo/ratings")


def test_compare_prints_what_the_readme_shows(folder: Path) -> None:
    command = ["compare", "demo/comparison/spring.csv", "demo/comparison/autumn.csv", "--code", "type"]
    assert printed(command, folder, both=False) == shown(f"issuebook {' '.join(command)}")


@pytest.mark.shared
def test_mu2025_prints_what_the_readme_shows(folder: Path, shared: Path) -> None:
    command = ["run", "studies/mu2025", "--data", str(shared / "data" / "mu2025")]
    expected = shown("issuebook run studies/mu2025 --data ../shared/data/mu2025")
    assert printed(command, folder, both=False) == expected


def test_every_command_of_the_readme_is_tried() -> None:
    tried = {
        "make demo",
        "make test",  # this is it
        "issuebook agreement demo/ratings",
        "issuebook compare demo/comparison/spring.csv demo/comparison/autumn.csv --code type",
        "issuebook run studies/mu2025 --data ../shared/data/mu2025",
    }
    elsewhere = {  # they need a tracker: tests/trackers types them against one of its own
        "issuebook collect github:OWNER/NAME --into my-study",
        "issuebook import my-study/data/collected/*.jsonl.gz --into my-study/corpus",
    }
    assert set(examples()) == tried | elsewhere


def test_the_picture_exists_and_is_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
    assert pictures
    assert all(0 < (ROOT / picture).stat().st_size < 400_000 for picture in pictures)


def test_the_version_stands_the_same_everywhere() -> None:
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src/issuebook/__init__.py").read_text())
    assert version is not None
    for file, pattern in (
        ("pyproject.toml", r'^version = "(.+)"'),
        ("CITATION.cff", r"^version: (.+)"),
        ("CHANGELOG.md", r"^## (\S+)"),
    ):
        found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert found is not None, file
        assert found[1] == version[1], file
