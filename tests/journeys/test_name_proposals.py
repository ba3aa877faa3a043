"""``issuebook proposals name`` as a person types it, against an endpoint on this machine (K-T12)."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.conftest import Program, write_small_study
from tests.model_endpoint import Does, Handler, ModelServer, answers, endpoint, says
from tests.planted_reports import planted
from tests.unit.test_proposal_names import names

TOKEN = "a-token-for-names"  # noqa: S105 - it opens nothing
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json-output.md"


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory, program: Program) -> Path:
    """The small study with planted reports in eight proposals; it is only copied."""
    small_study = write_small_study(tmp_path_factory.mktemp("clustered") / "study")
    with (small_study / "study.toml").open("a") as file:
        file.write('\n[reports]\nfiles = "reports/*.jsonl"\n')
    (small_study / "reports").mkdir()
    reports = [
        {"html_url": f"https://github.com/{one.project}/issues/{at + 1}", "title": one.title, "body": one.body}
        for at, one in enumerate(planted(64))
    ]
    (small_study / "reports" / "all.jsonl").write_text("\n".join(map(json.dumps, reports)) + "\n")
    program("run", small_study, "--only", "reports", "-q", check=True)
    program("cluster", small_study, "--groups", "8", "-q", check=True)
    return small_study


@pytest.fixture
def study(clustered: Path, tmp_path: Path) -> Path:
    return shutil.copytree(clustered, tmp_path / "study")


def command(study: Path, server: ModelServer | None, *more: str) -> subprocess.Popen[str]:
    host = "" if server is None else f"127.0.0.1:{server.server_port}={TOKEN}"
    environment = {**os.environ, "PYTHONPATH": "src", "NO_COLOR": "1", "ISSUEBOOK_TOKENS": host}
    where = [] if server is None else ["--endpoint", server.address]
    arguments = [sys.executable, "-m", "issuebook", "proposals", "name", str(study), "--model", "m", "-q"]
    return subprocess.Popen(
        [*arguments, *where, *more], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    output, errors = process.communicate(timeout=120)
    assert "Traceback" not in errors, errors
    assert TOKEN not in output + errors
    return process.returncode, output, errors


def shown(program: Program, study: Path) -> Any:
    return json.loads(program("proposals", "show", study, "--json", check=True).stdout)


def stuck(reached: threading.Event) -> Does:
    def wait(handler: Handler) -> None:
        reached.set()
        time.sleep(60)

    return wait


def test_killed_in_the_middle_it_goes_on_and_asks_nothing_twice(program: Program, study: Path) -> None:
    themes = len(shown(program, study)["themes"])
    reached = threading.Event()
    with endpoint(names(), stuck(reached), names()) as server:
        process = command(study, server)
        assert reached.wait(60)
        process.kill()
        process.communicate()  # closes its pipes
        code, output, _ = finish(command(study, server, "--json"))
        done = json.loads(output)
        assert (code, done["named"] + done["named_before"], done["questions"]) == (0, 8, themes - 1)
        assert len(server.questions) == themes + 1  # and the one that was on its way when the program was killed
        code, output, _ = finish(command(study, server, "--json"))
        assert (code, json.loads(output)["questions"], len(server.questions)) == (0, 0, themes + 1)
        assert server.headers[0]["authorization"] == f"Bearer {TOKEN}"
    assert TOKEN not in "".join(path.read_text() for path in (study / "data" / "machine").iterdir())


def test_names_are_shown_as_a_models_above_the_terms_and_can_be_accepted(program: Program, study: Path) -> None:
    with endpoint(names()) as server:
        code, output, _ = finish(command(study, server, "--price-read", "2", "--price-written", "10"))
    assert code == 0
    assert "8 proposals named, 0 before" in output
    assert re.search(r"Cost of this run: 0\.\d+", output)
    found = shown(program, study)["proposals"]
    tree = program("proposals", "show", study, check=True).stdout
    assert tree.count("named by m") == tree.count("terms: ") == 8
    one, two = found[0], found[1]
    assert one["name"] in tree
    assert one["draft"]["name"] in tree
    alone = program("proposals", "show", study, one["id"], check=True).stdout
    assert "belongs here (m): It fits." in alone
    program("proposals", "rename", study, two["id"], "Mine", "--who", "mira", check=True)
    renamed = next(each for each in shown(program, study)["proposals"] if each["id"] == two["id"])
    assert (renamed["name"], renamed["named"], renamed["draft"]) == ("Mine", True, None)
    program("proposals", "accept", study, one["id"], "--code", "B.7", "--parent", "B", "--draft", check=True)
    assert one["draft"]["name"] in program("codebook", "show", study, check=True).stdout


@pytest.mark.parametrize(
    ("does", "code", "told"),
    [
        (says("no names today"), 3, "the answer is not JSON; its names stay as terms give them"),
        (names(lambda groups: groups[1:]), 3, "names came for"),
        (answers(401), 2, "refuses the token"),
        (answers(429, retry_after="86400"), 2, "1440 minutes"),
    ],
)
def test_what_a_model_does_not_give_is_told_and_terms_stay(
    program: Program, study: Path, does: Does, code: int, told: str
) -> None:
    before = shown(program, study)
    with endpoint(does) as server:
        found, output, errors = finish(command(study, server))
    assert (found, told in output + errors) == (code, True), output + errors
    assert "0 proposals named" in output
    assert shown(program, study) == before


def test_a_dry_run_sends_nothing_a_replay_needs_no_network_and_keys_are_documented(
    program: Program, study: Path
) -> None:
    documented = set(re.findall(r"`(\w+)`", PAGE.read_text().split("## issuebook proposals name\n")[1].split("## ")[0]))
    with endpoint(names()) as server:
        code, output, _ = finish(command(study, server, "--dry-run", "--json"))
        assert (code, server.questions) == (0, [])
        planned = json.loads(output)
        assert (planned["proposals"], set(planned) - documented) == (8, set())
        code, output, errors = finish(command(study, None))
        assert (code, "say where the model answers" in errors) == (2, True)
        assert finish(command(study, None, "--replay"))[0] == 3
        finish(command(study, server))
        assert server.questions[0] == planned["first"]
    (study / "data" / "proposals" / "drafts" / "all.json").unlink()
    code, output, _ = finish(command(study, None, "--replay", "--json"))
    done = json.loads(output)
    assert (code, done["named"], done["questions"], set(done) - documented) == (0, 8, 0, set())
