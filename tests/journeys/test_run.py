"""``issuebook run`` and ``verify``: what a person sees, and what stays when things go wrong."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from issuebook.adapters.workspace import FolderWorkspace

Program = Callable[..., subprocess.CompletedProcess[str]]


def stages(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    return {stage["name"]: stage["state"] for stage in json.loads(done.stdout)["stages"]}


def test_a_run_tells_where_the_report_is_and_five_telling_lines(program: Program, small_study: Path) -> None:
    done = program("run", small_study, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == f"Report: {small_study}/out/index.html"
    assert lines[1] == ("Rows: 6 read, 0 excluded, 0 quarantined; 6 distinct reports of 2 projects, 3 annotators.")
    assert lines[-1].startswith("Claims (2): holds 1, impossible 1. First to look at: bugs states 70 %")
    assert len(lines) == 6
    assert (small_study / "out" / "index.html").is_file()


def test_an_unchanged_stage_is_skipped_and_says_so(program: Program, small_study: Path) -> None:
    first = program("run", small_study, "--json", check=True)
    assert set(stages(first).values()) == {"done"}
    again = program("run", small_study, "--json", check=True)
    assert stages(again) == dict.fromkeys(stages(first), "unchanged")
    assert "import       unchanged" in again.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("claims.toml", "70 %", "60 %", ["report"]),
        ("codebook.yaml", "name: Crash", "name: Breakdown", ["report"]),
        ("study.toml", "Small study", "Smaller study", ["report"]),
        ("study.toml", 'engine = ["alpha"]', 'engine = ["beta"]', ["consensus", "agreement", "audit", "report"]),
        (
            "ratings/beta.csv",
            "b2,B.2,B.1,Q.1",
            "b2,B.2,B.2,Q.1",
            ["import", "consensus", "agreement", "audit", "report"],
        ),
    ],
)
def test_only_what_stands_on_a_change_runs_again(
    program: Program, reported_study: Path, file: str, old: str, new: str, expected: list[str]
) -> None:
    path = reported_study / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    again = stages(program("run", reported_study, "--json", check=True))
    assert [name for name, state in again.items() if state == "done"] == expected


def test_a_comparison_that_is_added_runs_alone_and_can_be_claimed(program: Program, reported_study: Path) -> None:
    planned = '[[comparison]]\nid = "both"\na = {project = "alpha"}\nb = {project = "beta"}\n'
    for file, text in (
        ("study.toml", planned),
        ("claims.toml", '[[claim]]\nid = "v"\ntext = "V"\nstated = "0.58"\nexpr = \'cramers_v(comparison="both")\'\n'),
    ):
        path = reported_study / file
        path.write_text(path.read_text() + text)
    again = program("run", reported_study, "--json", check=True)
    assert [name for name, state in stages(again).items() if state == "done"] == ["comparison", "report"]
    claim = next(each for each in json.loads(again.stdout)["claims"] if each["id"] == "v")
    assert "alpha (4 units) and beta (1 units)" in claim["computed_from"]


def test_the_audit_can_be_switched_off(program: Program, small_study: Path) -> None:
    path = small_study / "study.toml"
    path.write_text(path.read_text() + "[audit]\nrun = false\n")
    assert "audit" not in stages(program("run", small_study, "--json", check=True))


def test_a_report_that_somebody_changed_is_made_again(program: Program, reported_study: Path) -> None:
    index = reported_study / "out" / "index.html"
    before = index.read_bytes()
    index.write_text("changed by hand")
    assert stages(program("run", reported_study, "--json", check=True))["report"] == "done"
    assert index.read_bytes()[:100] == before[:100]


def test_force_runs_everything_and_only_runs_up_to_its_stage(program: Program, small_study: Path) -> None:
    assert list(stages(program("run", small_study, "--only", "consensus", "--json", check=True))) == [
        "import",
        "consensus",
    ]
    assert not (small_study / "out").exists()
    program("run", small_study, check=True)
    forced = stages(program("run", small_study, "--force", "--json", check=True))
    assert set(forced.values()) == {"done"}
    one = stages(program("run", small_study, "--force", "--only", "agreement", "--json", check=True))
    assert one == {"import": "unchanged", "consensus": "unchanged", "agreement": "done"}


def test_an_unknown_stage_is_named_with_the_nearest(program: Program, small_study: Path) -> None:
    done = program("run", small_study, "--only", "agrement")
    assert done.returncode == 2
    assert "no stage 'agrement'. Did you mean 'agreement'?" in done.stderr


def test_verify_leaves_with_one_when_a_claim_is_contradicted(program: Program, small_study: Path) -> None:
    done = program("verify", small_study)
    assert done.returncode == 1
    assert "impossible: bugs: 70 %; computed 60.00 %" in done.stdout
    assert not (small_study / "out").exists()
    claims = small_study / "claims.toml"
    claims.write_text(claims.read_text().replace("70 %", "60 %"))
    sound = program("verify", small_study, "--json")
    assert sound.returncode == 0
    assert [claim["outcome"] for claim in json.loads(sound.stdout)["claims"]] == ["holds", "holds"]


def test_the_released_final_code_is_the_consensus_and_the_majority_stays_beside_it(
    program: Program, small_study: Path
) -> None:
    claims = """
[[claim]]
id = "final"
text = "rows whose final code is not the majority"
stated = "1"
expr = "changed_by_final()"
[[claim]]
id = "ties"
text = "ties"
stated = "1"
expr = "ties()"
[[claim]]
id = "b2"
text = "a2 by its final code and b1; b2 has three different ratings and no final code"
stated = "2"
expr = 'count("B.2")'
"""
    (small_study / "claims.toml").write_text(claims)
    assert program("verify", small_study).returncode == 0


def test_unknown_codes_are_quarantined_and_listed_and_the_rest_is_kept(program: Program, small_study: Path) -> None:
    beta = small_study / "ratings" / "beta.csv"
    beta.write_text(beta.read_text().replace("Q.1", "Q.7"))
    done = program("run", small_study, "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["rows"] == {"read": 6, "kept": 6, "excluded": 0, "quarantined": 0}
    assert "Q.7" in (small_study / "data" / "account.json").read_text()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("report,anne,bob,cy,final\n", "there is a header and no row"),
        ("reprot,ann,bob,cy,final\nx,B.1,B.1,B.1,\n", "no column 'report'. Did you mean 'reprot'?"),
        ("", "the file is empty"),
        ("report,ann,bob,cy,final\nb1,B.1,B.1,B.1,\nb1,B.2,B.2,B.2,\n", "repeated: 'b1'"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_clear_error_and_the_old_report_stays(
    program: Program, reported_study: Path, text: str, told: str
) -> None:
    before = (reported_study / "out" / "index.html").read_bytes()
    (reported_study / "ratings" / "beta.csv").write_text(text)
    done = program("run", reported_study)
    assert done.returncode == 2
    assert told in done.stderr
    assert "beta.csv" in done.stderr
    assert (reported_study / "out" / "index.html").read_bytes() == before


def test_one_annotator_only_gives_a_report_in_which_agreement_is_undefined(program: Program, small_study: Path) -> None:
    for name in ("alpha", "beta"):
        (small_study / "ratings" / f"{name}.csv").write_text(f"report,ann,final\n{name}1,B.1,\n{name}2,Q.1,\n")
    done = program("run", small_study)
    assert done.returncode == 0
    assert "Agreement: Fleiss' kappa is undefined:" in done.stdout


def test_a_missing_folder_and_a_missing_pattern_say_what_to_do(program: Program, small_study: Path) -> None:
    absent = program("run", small_study / "nowhere")
    assert absent.returncode == 2
    assert "there is no such folder. Give the folder that holds study.toml." in absent.stderr
    study = small_study / "study.toml"
    study.write_text(study.read_text().replace("ratings/*.csv", "labels/*.csv"))
    none = program("run", small_study)
    assert none.returncode == 2
    assert "no file matches. Say where the data are with --data" in none.stderr


def test_a_folder_without_write_permission_is_a_clear_error(program: Program, small_study: Path) -> None:
    small_study.chmod(0o555)
    command = [sys.executable, "-m", "issuebook", "run", str(small_study)]
    if os.geteuid() == 0:  # root may write anywhere unless it gives up that right
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override", *command]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": "src"}, capture_output=True, text=True, check=False)
    small_study.chmod(0o755)
    assert done.returncode == 2
    assert "no permission to write here" in done.stderr


def test_a_full_disk_is_a_clear_error_and_the_old_report_stays(reported_study: Path, program: Program) -> None:
    before = (reported_study / "out" / "index.html").read_bytes()
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
        "sys.argv = ['issuebook', 'run', sys.argv[1], '--force']; from issuebook.cli import main; main()"
    )
    environment = {**os.environ, "PYTHONPATH": "src"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(reported_study)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "disk" in done.stderr
    assert (reported_study / "out" / "index.html").read_bytes() == before
    assert program("run", reported_study).returncode == 0


@pytest.mark.slow
def test_a_killed_run_leaves_the_old_outputs_whole_and_the_next_run_completes(
    program: Program, reported_study: Path
) -> None:
    environment = {**os.environ, "PYTHONPATH": "src"}
    draw = random.Random(7)
    for _ in range(12):
        command = [sys.executable, "-m", "issuebook", "run", str(reported_study), "--force", "-q"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.2, 1.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        workspace = FolderWorkspace(reported_study)
        promised = (reported_study / "out" / "manifest.sha256").read_text().split()
        assert workspace.published() == dict(zip(promised[1::2], promised[0::2], strict=True))
    done = program("run", reported_study, check=True)
    assert done.stdout.startswith("Report:")
    assert not list(reported_study.glob(".out.*"))


def test_two_runs_at_once_do_not_mix(program: Program, small_study: Path) -> None:
    with FolderWorkspace(small_study).lock():
        done = program("run", small_study)
    assert done.returncode == 2
    assert "another run holds this study" in done.stderr


def test_a_second_facet_is_crossed_with_the_first_in_the_report(program: Program, small_study: Path) -> None:
    stage = "  - {id: stage, name: Stage, levels: [stage], codes: [{id: t, name: Training}, {id: s, name: Serving}]}\n"
    codebook = small_study / "codebook.yaml"
    codebook.write_text(codebook.read_text() + stage)
    settings = small_study / "study.toml"
    rated = '\n[[ratings]]\nfacet = "stage"\nfiles = "stages/*.csv"\nunit = "report"\n'
    settings.write_text(settings.read_text() + rated + 'project = { place = "column", name = "of" }\n')
    (small_study / "stages").mkdir()
    (small_study / "stages" / "all.csv").write_text(
        "report,of,ann\na1,alpha,t\na2,alpha,s\na3,alpha,s\nb1,beta,t\nb2,beta,x\n"
    )
    done = program("run", small_study)
    assert done.returncode == 3, done.stderr  # x is no stage
    table = (small_study / "out" / "tables" / "theme-by-stage.csv").read_text()
    assert "B.2,Wrong result,2,1,0.5,1,0.5" in table
    assert "Theme by Stage" in (small_study / "out" / "index.html").read_text()
    again = program("run", small_study)
    assert "consensus stage unchanged" in again.stderr
    assert "done" not in again.stderr
