"""``issuebook codebook …`` as a person types it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.conftest import Program


def edit(program: Program, study: Path, *said: object) -> str:
    done = program("codebook", "edit", study, *said, "--who", "mira", check=True)
    return done.stdout


def shown(program: Program, study: Path, *more: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(program("codebook", "show", study, "--json", *more, check=True).stdout)
    return found


def test_an_edit_is_told_logged_released_and_written_where_a_diff_can_read_it(
    program: Program, small_study: Path
) -> None:
    before = shown(program, small_study)
    told = edit(program, small_study, "rename", "B.1", "--name", "Stops", "--why", "hangs too", "--evidence", "a1")
    assert "mira renamed B.1 “Crash” to “Stops”: hangs too (evidence: a1)" in told
    edit(program, small_study, "define", "B.1", "--definition", "It ends, or never does.", "--include", "hangs")
    assert "name: Crash" in (small_study / "codebook.yaml").read_text().replace("{", "").replace(",", "\n")
    program("codebook", "release", small_study, "--name", "v2", check=True)
    text = (small_study / "codebook.yaml").read_text()
    assert "          - id: B.1\n            name: Stops\n            definition: It ends, or never does.\n" in text
    assert program("codebook", "log", small_study, check=True).stdout.count("\n") == 3
    assert shown(program, small_study, "--version", "base") == before
    differs = program("codebook", "diff", small_study, "base", "v2", "--format", "csv", check=True).stdout
    assert "renamed,theme,B.1,Stops,Crash,Stops,hangs too" in differs
    assert program("run", small_study).returncode in (0, 3)


def test_ratings_follow_a_merge_and_a_split_and_what_nobody_can_decide_is_a_list(
    program: Program, small_study: Path, tmp_path: Path
) -> None:
    program("run", small_study, "--quiet", check=True)
    edit(program, small_study, "merge", "Q.2", "--into", "Q.1")
    split = {
        "kind": "split",
        "code": "B.1",
        "parts": [
            {"code": {"id": "B.11", "name": "Crash at start"}, "rule": {"values": ["a1"]}},
            {"code": {"id": "B.12", "name": "Crash later"}, "rule": {"column": "project", "values": ["beta"]}},
        ],
    }
    done = program("codebook", "edit", small_study, "-", stdin=json.dumps(split))
    assert done.returncode == 0, done.stderr
    out = tmp_path / "migrated"
    done = program("codebook", "migrate", small_study, "--out", out, "--json", check=True)
    found = json.loads(done.stdout)
    assert (found["given"], found["ratings"], found["to_review"], found["repeated"]) == (17, 15, 2, 0)
    units = {row["code"]: row["units"] for row in found["counts"]}
    assert (units["Q.1"], units["B.11"], units["B.12"], units["Q"]) == (3, 1, 1, 3)
    assert (out / "to-review.csv").read_text().count("fits no part of the split") == 2
    edit(program, small_study, "undo", "#2")
    edit(program, small_study, "undo", "#1")
    again = json.loads(program("codebook", "migrate", small_study, "--json", check=True).stdout)
    assert (again["ratings"], again["to_review"]) == (17, 0)


def test_what_a_split_left_to_review_is_answered_in_the_table_and_counts_from_then_on(
    program: Program, small_study: Path, tmp_path: Path
) -> None:
    parts = [
        {"code": {"id": "B.11", "name": "Crash at start"}, "rule": {"values": ["a1"]}},
        {"code": {"id": "B.12", "name": "Crash later"}, "rule": {"values": ["b1"]}},
    ]
    split = json.dumps({"kind": "split", "code": "B.1", "parts": parts})
    program("codebook", "release", small_study, "--name", "v1", check=True)
    assert program("run", small_study).returncode == 0
    assert program("codebook", "edit", small_study, "-", stdin=split).returncode == 0
    program("codebook", "release", small_study, "--name", "v2", check=True)
    untold = program("codebook", "migrate", small_study, check=True).stdout
    assert 'Say which in study.toml: codebook = "…" in their [[ratings]].' in untold
    toml = small_study / "study.toml"
    toml.write_text(toml.read_text() + 'codebook = "v1"\n\n[annotation]\nper_unit = 3\n')
    assert program("run", small_study).returncode == 3
    table = tmp_path / "to-review.csv"
    assert "To answer: --out DIR" in program("codebook", "migrate", small_study, "--out", tmp_path, check=True).stdout
    rows = table.read_text().splitlines()
    table.write_text("\n".join([rows[0], *(row.replace(",B.1,", ",B.12,", 1) for row in rows[1:])]) + "\n")
    told = program("import", table, "--into", small_study, "--format", "csv", "--round", "review", check=True)
    assert "3 rows read = 3 kept + 0 excluded + 0 quarantined" in told.stdout
    assert program("run", small_study).returncode == 0
    kept = json.loads((small_study / "data" / "account.json").read_text())
    assert (kept["counts"]["kept"], kept["quarantined"]) == (6, [])


def test_an_edit_on_an_older_state_is_refused_with_what_changed(program: Program, small_study: Path) -> None:
    edit(program, small_study, "rename", "B.1", "--name", "Stops")
    done = program("codebook", "edit", small_study, "rename", "B.1", "--name", "Abort", "--on", 0)
    assert done.returncode == 2
    assert "made on #0, and since then: mira renamed B.1 to “Stops”" in done.stderr
    edit(program, small_study, "rename", "B.2", "--name", "Wrong", "--on", 0)


def test_a_change_by_hand_is_never_overwritten_and_enters_the_history_on_request(
    program: Program, small_study: Path
) -> None:
    file = small_study / "codebook.yaml"
    program("codebook", "release", small_study, "--name", "v2", check=True)
    file.write_text(file.read_text().replace("name: Crash", "name: Stops"))
    done = program("codebook", "release", small_study, "--name", "v3")
    assert done.returncode == 2
    assert "it was changed by hand since 'v2'" in done.stderr
    assert "name: Stops" in file.read_text()
    program("codebook", "import", small_study, file, check=True)
    assert "renamed B.1 “Crash” to “Stops”" in program("codebook", "log", small_study, check=True).stdout
    program("codebook", "release", small_study, "--name", "v3", check=True)


def test_a_facet_goes_out_as_refi_qda_and_comes_back_as_nothing_new(
    program: Program, small_study: Path, tmp_path: Path
) -> None:
    file = tmp_path / "theme.qdc"
    program("codebook", "export", small_study, file, check=True)
    done = program("codebook", "import", small_study, file, check=True)
    assert "Nothing differs" in done.stdout
    file.write_text(file.read_text().replace('name="Crash"', 'name="Stops"'))
    assert "1 edit," in program("codebook", "import", small_study, file, check=True).stdout


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("rename", "B.22", "--name", "x"), "facet 'theme' has no code 'B.22'. Did you mean 'B.2'?"),
        (("rename", "B.1"), "name: Field required"),
        (("renam", "B.1"), "'renam' is not known. Did you mean 'rename'?"),
        (("move", "B", "--parent", "B.1"), "a code cannot lie below itself"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    program: Program, small_study: Path, said: tuple[str, ...], told: str
) -> None:
    done = program("codebook", "edit", small_study, *said)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_check_fails_on_names_and_ids_that_the_tree_does_not_have_and_tells_saturation(
    program: Program, small_study: Path, tmp_path: Path
) -> None:
    paper, table = tmp_path / "paper.txt", tmp_path / "interviews.csv"
    paper.write_text("On crashes (B.1) and on the theme B.9.")
    table.write_text("participant,codes\nU1,B.1\nU2,Q.1\nU2,B.1\n")
    program("run", small_study, "--quiet", check=True)
    done = program("codebook", "check", small_study, "--text", paper, "--interviews", table, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert f"{paper}, line 1" in [finding["where"] for finding in found["findings"] if finding["check"] == "id"]
    assert {finding["check"] for finding in found["findings"] if finding["fails"]} == {"definition", "criteria", "id"}
    interviews = found["saturation"]["interviews"]
    assert (interviews["units"], interviews["seen"], interviews["curve"]) == (2, 2, [[1, 1], [2, 2]])
    assert found["saturation"]["reports"]["seen"] == 4


def test_a_check_of_a_sound_codebook_passes(program: Program, small_study: Path) -> None:
    sound = "definition: what it is, include: [this alone of {id}]"
    text = (small_study / "codebook.yaml").read_text()
    for code in ("Q.1", "Q.2", "B.1", "B.2", "Q", "B"):
        text = text.replace(f"id: {code},", f"id: {code} , {sound.format(id=code)},")
    (small_study / "codebook.yaml").write_text(text)
    done = program("codebook", "check", small_study, check=True)
    assert "0 failing" in done.stdout


def test_symptom_lists_become_a_facet_beside_the_others(program: Program, small_study: Path, tmp_path: Path) -> None:
    symptoms = tmp_path / "symptoms.csv"
    symptoms.write_text('cause,signs\nCrash,"stops, exits (1, 2)"\n')
    asked = ("import", small_study, symptoms, "--facet", "symptom", "--levels", "theme,symptom")
    assert "1 edit," in program("codebook", *asked, check=True).stdout
    tree = shown(program, small_study, "--facet", "symptom")
    assert [(code["id"], code["name"]) for code in tree["codes"][0]["codes"]] == [
        ("B.1.1", "stops"),
        ("B.1.2", "exits (1, 2)"),
    ]
    assert "Nothing differs" in program("codebook", *asked, check=True).stdout


def test_a_run_carries_ratings_of_an_older_version_to_the_released_one(program: Program, small_study: Path) -> None:
    edit(program, small_study, "merge", "Q.2", "--into", "Q.1")
    split = {
        "kind": "split",
        "code": "B.1",
        "parts": [
            {"code": {"id": "B.11", "name": "At start"}, "rule": {"values": ["a1"]}},
            {"code": {"id": "B.12", "name": "Later"}},
        ],
    }
    assert program("codebook", "edit", small_study, "-", stdin=json.dumps(split)).returncode == 0
    program("codebook", "release", small_study, "--name", "v2", check=True)
    settings = small_study / "study.toml"
    settings.write_text(settings.read_text() + 'codebook = "base"\n')
    (small_study / "claims.toml").unlink()
    done = program("run", small_study, "--json")
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["rows"] == {"read": 6, "kept": 6, "excluded": 0, "quarantined": 0}
    codes = (small_study / "out" / "tables" / "codes.csv").read_text()
    assert "theme,Q.1,How to,2," in codes
    assert "theme,B.11,At start,1," in codes
    assert "theme,B.12,Later,0," in codes
    open_cells = (small_study / "out" / "tables" / "quarantined-rows.csv").read_text()
    assert open_cells.count("to review: fits no part of the split") == 3
