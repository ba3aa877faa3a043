"""docs/reference/json-output.md names every key that a command prints."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Program = Callable[..., subprocess.CompletedProcess[str]]
PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "json-output.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## issuebook (.+)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE))
BASELINE = "report,group,code,created_at,closed_at,comments,has_log\n" + "".join(
    f"{group}{n},{group},{'xy'[n % 2]},2025-01-0{1 + n % 5},2025-02-0{1 + n % 5},{n},{n % 3 == 0}\n"
    for group in ("generic", "specific", "control")
    for n in range(40)
)
COMMANDS = {
    "agreement": ["agreement", "demo/ratings"],
    "audit": ["audit", "demo/ratings", "--draws", "4"],
    "compare": ["compare", "demo/comparison/spring.csv", "demo/comparison/forum.csv", "--code", "type"],
    "aggregate": ["aggregate", "demo/ratings"],
    "stability": ["stability", "demo/ratings", "demo/ratings"],
    "compare --baseline": ["compare", "--baseline", "FILE"],
}


def records(found: dict[str, Any]) -> Iterator[str]:
    """The keys of an object, and those of the objects in its lists."""
    for key, value in found.items():
        yield key
        for part in value if isinstance(value, list) else []:
            if isinstance(part, dict):
                yield from part


@pytest.mark.parametrize("name", COMMANDS)
def test_every_key_that_a_command_prints_is_documented(program: Program, tmp_path: Path, name: str) -> None:
    (tmp_path / "baseline.csv").write_text(BASELINE)
    command = [str(tmp_path / "baseline.csv") if part == "FILE" else part for part in COMMANDS[name]]
    found = json.loads(program(*command, "--json", check=True).stdout)
    documented = set(re.findall(r"`(\w+)`", SECTIONS[name]))
    assert set(records(found)) <= documented
    assert "NaN" not in json.dumps(found)
