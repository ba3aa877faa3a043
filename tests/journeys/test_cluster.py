"""``issuebook cluster`` and ``issuebook proposals`` as a person types them, also without any network (K-T10)."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.conftest import Program, write_small_study
from tests.planted_reports import planted
from tests.tiny_onnx import write_model

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json-output.md"


def write_study(folder: Path) -> Path:
    """Write the small study with planted reports, of which 30 are rated as bugs and 20 as questions."""
    small_study = write_small_study(folder)
    with (small_study / "study.toml").open("a") as file:
        file.write('\n[reports]\nfiles = "reports/*.jsonl"\n')
    (small_study / "reports").mkdir()
    reports = [
        {"html_url": f"https://github.com/{one.project}/issues/{at + 1}", "title": one.title, "body": one.body}
        for at, one in enumerate(planted(80))
    ]
    (small_study / "reports" / "all.jsonl").write_text("\n".join(map(json.dumps, reports)) + "\n")
    urls = [one["html_url"] for one in reports]
    rows = [f"{urls[at]},{'B.1' if at < 30 else 'Q.1'},{'B.1' if at < 30 else 'Q.1'},," for at in range(50)]
    (small_study / "ratings" / "beta.csv").unlink()
    (small_study / "ratings" / "alpha.csv").write_text("report,ann,bob,cy,final\n" + "\n".join(rows) + "\n")
    return small_study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(tmp_path / "study")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory, program: Program) -> Path:
    """The study after its reports were imported; it is only copied."""
    folder = write_study(tmp_path_factory.mktemp("imported") / "study")
    program("run", folder, "--only", "reports", "-q", check=True)
    return folder


@pytest.fixture
def imported_study(imported: Path, tmp_path: Path) -> Path:
    return shutil.copytree(imported, tmp_path / "study")


def told(program: Program, *arguments: object) -> Any:
    return json.loads(program(*arguments, "--json", check=True).stdout)


def test_a_part_of_a_study_is_clustered_decided_and_clustered_again(program: Program, study: Path) -> None:
    program("run", study, "--only", "consensus", "-q", check=True)
    found = told(program, "cluster", study, "--type", "B", "--groups", "4", "-q")
    assert len(found["reports"]) == 30
    assert found["scope"]["name"] == "code-B"
    one, two, *_ = (proposal["id"] for proposal in found["proposals"])
    done = program("proposals", "accept", study, one, "--code", "B.3", "--parent", "B", "--who", "mira", check=True)
    assert f"mira accepted {one} as B.3" in done.stdout
    assert "B.3" in program("codebook", "show", study, check=True).stdout
    program("proposals", "reject", study, two, "--who", "mira", check=True)
    tree = program("cluster", study, "--type", "B", "-q", check=True).stdout
    assert f"Rejected: {two}" in tree
    assert "0 new reports, 0 of the others in another proposal" in tree
    assert program("proposals", "show", study, "--suggested", check=True).stdout.count("B.3\thttps://") >= 1
    program("proposals", "undo", study, "--who", "mira", check=True)
    log = program("proposals", "log", study, check=True).stdout
    assert log.count("\n") == 3
    assert "(no longer holds)" in log
    assert program("run", study, "-q").returncode == 0


def test_topics_go_out_and_come_back(program: Program, imported_study: Path, tmp_path: Path) -> None:
    found = told(program, "cluster", imported_study, "--groups", "6", "-q")
    topics, documents = tmp_path / "topics.csv", tmp_path / "documents.csv"
    program("proposals", "export", imported_study, topics, "--documents", documents, check=True)
    assert topics.read_text().startswith("Topic,Count,Name,Representation")
    program("proposals", "import", imported_study, topics, "--documents", documents, "--scope", "back", check=True)
    back = told(program, "proposals", "show", imported_study, "--scope", "back")
    assert [one["size"] for one in back["proposals"]] == sorted(
        (one["size"] for one in found["proposals"]), reverse=True
    )
    assert {one["name"] for one in back["proposals"]} == {", ".join(one["terms"][:3]) for one in found["proposals"]}
    program("proposals", "reject", imported_study, back["proposals"][0]["id"], check=True)
    again = ("proposals", "import", imported_study, topics, "--documents", documents, "--scope", "back")
    assert program(*again).returncode == 0
    documents.write_text("".join(documents.read_text().splitlines(keepends=True)[:-1]))
    others = program(*again)
    assert (others.returncode, "people decided about the topics of that name" in others.stderr) == (2, True)
    refused = program("proposals", "import", imported_study, documents, "--scope", "other")
    assert refused.returncode == 2
    assert "no column 'Representation'" in refused.stderr


def test_files_are_clustered_without_a_study(program: Program, study: Path, tmp_path: Path) -> None:
    file, out = study / "reports" / "all.jsonl", tmp_path / "out"
    done = program("cluster", file, "--groups", "8", "--out", out, "-q", check=True)
    assert done.stdout.startswith("files: 80 reports, 8 proposals")
    assert sorted(path.name for path in out.iterdir()) == ["documents.csv", "proposals.json", "topics.csv"]
    assert len(json.loads((out / "proposals.json").read_text())["reports"]) == 80
    with file.open("a") as more:
        more.write("{broken\n")
    assert program("cluster", file, "-q").returncode == 3
    refused = program("cluster", file, "--unlabelled")
    assert (refused.returncode, "files know no codes" in refused.stderr) == (2, True)


def test_what_cannot_be_clustered_is_said_with_what_to_do(program: Program, study: Path) -> None:
    settings = study / "study.toml"
    whole = settings.read_text()
    settings.write_text(whole.partition("[reports]")[0])
    without = program("cluster", study)
    assert (without.returncode, "issuebook run STUDY" in without.stderr) == (2, True)
    settings.write_text(whole)
    for asked, said in (
        (("--code", "B.9"), "has no code 'B.9'"),
        (("--project", "gamma"), "no report fits"),
        (("--embeddings", study), "needs model.onnx"),
    ):
        refused = program("cluster", study, *asked)
        assert (refused.returncode, said in refused.stderr) == (2, True)


def test_every_key_that_cluster_prints_is_documented(program: Program, imported_study: Path) -> None:
    found = told(program, "cluster", imported_study, "--groups", "3", "-q")
    section = PAGE.read_text().split("## issuebook cluster\n")[1]
    documented = set(re.findall(r"`(\w+)`", section))
    assert set(found) <= documented
    assert {key for name in ("proposals", "reports", "themes") for one in found[name] for key in one} <= documented


@pytest.mark.parametrize("embeddings", [False, True])
def test_no_network_is_needed(program: Program, imported_study: Path, tmp_path: Path, embeddings: bool) -> None:
    alone = [shutil.which("unshare") or "", "--net", "--map-root-user"]
    if not alone[0] or subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        pytest.skip("the system gives no network namespace")
    if embeddings and importlib.util.find_spec("onnxruntime") is None:
        pytest.skip("the extra 'embed' is not installed")
    more = ["--embeddings", str(write_model(tmp_path / "model"))] if embeddings else []
    command = [*alone, sys.executable, "-m", "issuebook", "cluster", str(imported_study), *more]
    environment = {**os.environ, "PYTHONPATH": "src"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("all: 80 reports")
