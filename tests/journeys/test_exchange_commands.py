"""Export and import as a person types them."""

import json
import re
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal
from tests.journeys.test_json_keys import SECTIONS
from tests.unit.annotation.test_label_exchange import busy_bench, other_bench
from tests.workbench_study import MovedClock, bench_of, write_study
from typer.testing import CliRunner, Result

from issuebook.app.annotate.export_labels import export_ratings
from issuebook.cli.main import app
from issuebook.exchange.formats import FORMATS, Format


def typed(*args: object) -> Result:
    return CliRunner().invoke(app, [*map(str, args), "--quiet"])


@pytest.mark.parametrize("form", FORMATS)
def test_a_study_goes_into_another_by_two_commands(tmp_path: Path, form: Format) -> None:
    labels = export_ratings(busy_bench(tmp_path / "one", ["a memo"]), "me")
    other_bench(tmp_path / "two").close()
    file = tmp_path / "out" / "labels.file"
    out = typed("export", tmp_path / "one", "--format", form, "--out", file)
    assert out.exit_code == 0, out.output
    assert str(file) in out.output
    back = typed("import", file, "--into", tmp_path / "two", "--format", form)
    assert back.exit_code == 0, back.output
    assert f"{labels.height} rows read = {labels.height} kept + 0 excluded + 0 quarantined" in back.output
    assert "(new here)" in back.output
    assert_frame_equal(export_ratings(bench_of(tmp_path / "two", MovedClock()), "me"), labels)


@pytest.mark.parametrize("form", FORMATS)
def test_a_study_goes_into_an_empty_one(tmp_path: Path, form: Format) -> None:
    """T4: an empty study has no report yet; it gets what the file has of them."""
    labels = export_ratings(busy_bench(tmp_path / "one", ["a memo"]), "me")
    file = tmp_path / "labels.file"
    typed("export", tmp_path / "one", "--format", form, "--out", file)
    write_study(tmp_path / "two", 0)
    (tmp_path / "two" / "reports.jsonl").unlink()
    settings = tmp_path / "two" / "study.toml"
    settings.write_text(settings.read_text().replace('units = "reports.jsonl"', ""))
    refused = CliRunner().invoke(app, ["export", str(tmp_path / "two"), "--format", "csv"])
    assert "there is nothing to label" in str(refused.exception)
    back = typed("import", file, "--into", tmp_path / "two", "--format", form)
    assert back.exit_code == 0, back.output
    again = tmp_path / "again.file"
    assert typed("export", tmp_path / "two", "--format", form, "--out", again).exit_code == 0
    assert_frame_equal(export_ratings(bench_of(tmp_path / "two", MovedClock()), "me"), labels)
    if form != "xlsx":  # a workbook holds the time at which it was written
        assert again.read_bytes() == file.read_bytes()


def test_a_dry_run_of_each_writes_nothing_and_tells_as_json(tmp_path: Path) -> None:
    busy_bench(tmp_path / "one", []).close()
    file = tmp_path / "labels.csv"
    out = typed("export", tmp_path / "one", "--format", "csv", "--out", file, "--dry-run", "--json")
    told = json.loads(out.stdout)
    assert (told["written"], file.exists()) == (False, False)
    assert {"what": "units' texts", "count": 5} in told["losses"]
    typed("export", tmp_path / "one", "--format", "csv", "--out", file)
    other_bench(tmp_path / "two").close()
    back = json.loads(
        typed("import", file, "--into", tmp_path / "two", "--format", "csv", "--dry-run", "--json").stdout
    )
    assert back["written"] is False
    [one] = back["files"]
    for name, keys in (("export", {*told, *told["losses"][0], *told["files"][0]}), ("import --format", {*back, *one})):
        assert keys <= set(re.findall(r"`(\w+)`", SECTIONS[name]))
    assert one["read"] == one["kept"] + one["excluded"] + one["quarantined"] == sum(one["rows_by_annotator"].values())
    assert export_ratings(bench_of(tmp_path / "two", MovedClock()), "me").is_empty()


def test_rows_that_cannot_be_used_are_told_and_end_with_3(tmp_path: Path) -> None:
    busy_bench(tmp_path / "one", []).close()
    other_bench(tmp_path / "two").close()
    file = tmp_path / "labels.csv"
    typed("export", tmp_path / "one", "--format", "csv", "--out", file)
    file.write_bytes(file.read_bytes().replace(b",A.1,", b",Z.9,"))
    back = typed("import", file, "--into", tmp_path / "two", "--format", "csv")
    assert back.exit_code == 3
    assert "code not in the codebook" in back.output


def test_a_codebook_goes_out_and_in_as_qdc(tmp_path: Path) -> None:
    write_study(tmp_path, units=1)
    file = tmp_path / "theme.qdc"
    out = typed("export", tmp_path, "--format", "qdc", "--facet", "theme", "--out", file)
    assert out.exit_code == 0, out.output
    assert "1 other facets" in out.output
    assert typed("import", file, "--into", tmp_path, "--format", "qdc").exit_code == 0
    assert "error: --dry-run" in failing("import", file, "--into", tmp_path, "--format", "qdc", "--dry-run")


def failing(*args: object) -> str:
    """What is printed of an error; the exit code is 2."""
    result = CliRunner().invoke(app, [*map(str, args), "--quiet"])
    assert isinstance(result.exception, Exception)
    faults = getattr(result.exception, "faults", ())
    assert faults, result.output
    return "\n".join(f"error: {fault}" for fault in faults)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--format", "csv", "--by-text"], "--by-text: is for files of issue reports"),
        (["--dry-run"], "--dry-run: is for files of ratings"),
        (["--format", "csv", "--map", "theme"], "--map theme: is not NAME=NAME"),
        (["--format", "csv", "--who", "nobody"], "--who nobody: there is no such person"),
        (["--format", "xlsx"], "no archive that can be read"),
    ],
)
def test_what_does_not_fit_together_is_refused(tmp_path: Path, args: list[str], told: str) -> None:
    other_bench(tmp_path / "two").close()
    (tmp_path / "labels.csv").write_text("a,b\n")
    assert told in failing("import", tmp_path / "labels.csv", "--into", tmp_path / "two", *args)


def test_a_study_without_ratings_says_what_to_do(tmp_path: Path) -> None:
    write_study(tmp_path, units=1)
    text = (tmp_path / "study.toml").read_text()
    (tmp_path / "study.toml").write_text(
        text[: text.index("[annotation]")] + '[[ratings]]\nfacet = "theme"\nfiles = "*.csv"\nunit = "u"\n'
    )
    assert "issuebook run" in failing("export", tmp_path, "--format", "csv")


def test_pseudonyms_are_the_same_at_every_export(tmp_path: Path) -> None:
    busy_bench(tmp_path / "one", []).close()
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file in files:
        typed("export", tmp_path / "one", "--format", "csv", "--pseudonyms", "--out", file)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert b"ada" not in first
    assert b"person-" in first
