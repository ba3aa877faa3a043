"""``issuebook compare`` as a person types it: two groups of files, and the baseline test."""

import csv
import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Program = Callable[..., subprocess.CompletedProcess[str]]
FRAMEWORKS = ("pytorch", "tensorflow", "mindspore")


def groups(labels: Path) -> tuple[str, str]:
    """The files of the frameworks and of the toolkits, each joined by commas."""
    files = sorted(labels.glob("*.csv"))
    inside = [str(file) for file in files if file.stem in FRAMEWORKS]
    return ",".join(inside), ",".join(str(file) for file in files if file.stem not in FRAMEWORKS)


@pytest.mark.shared
def test_bugs_of_frameworks_and_toolkits_have_the_golden_values(program: Program, shared: Path) -> None:
    labels = shared / "data/mu2025/labels"
    options = ["--within", "C", "--duplicates", "rows", "--cluster-by", "none", "--names", "frameworks,toolkits"]
    result = json.loads(program("compare", *groups(labels), *options, "--json", check=True).stdout)
    assert [(group["name"], group["units"]) for group in result["groups"]] == [
        ("frameworks", 9_300),
        ("toolkits", 16_409),
    ]
    assert result["code_from"] == ["Final_Label", "Final_Label"]
    assert result["pearson"]["statistic"] == pytest.approx(1172.60, abs=5.01e-3)
    assert result["pearson"]["df"] == 9
    assert result["pearson"]["p"] == pytest.approx(9.95e-247, rel=5.1e-4)
    assert result["likelihood_ratio"]["statistic"] == pytest.approx(1190.19, abs=5.01e-3)
    assert result["cramers_v"]["value"] == pytest.approx(0.2136, abs=5.01e-5)
    assert result["bergsma_v"]["value"] == pytest.approx(0.2127, abs=5.01e-5)
    assert result["jensen_shannon_divergence"]["plug_in"] == pytest.approx(0.03622, abs=5.01e-6)
    assert result["jensen_shannon_distance"]["plug_in"] == pytest.approx(0.1903, abs=5.01e-5)
    assert result["total_variation"]["plug_in"] == pytest.approx(0.1983, abs=5.01e-5)
    codes = {code["code"]: code for code in result["per_code"]}
    assert [name for name, code in codes.items() if not code["different"]] == ["C.3", "C.6"]
    assert all(codes[name]["equivalence"]["shown"] for name in ("C.3", "C.6", "C.8"))
    for name, value in {"C.1": 0.537, "C.5": -0.662, "C.4": 0.813, "C.10": -1.043}.items():
        assert codes[name]["log_odds"]["value"] == pytest.approx(value, abs=5.01e-4)
    assert result["verdict"] == "different"
    assert result["left_out"][0] == {"undecided": 0, "outside": 319}


@pytest.mark.shared
def test_the_codebook_and_the_dotted_ids_give_the_same_comparison(program: Program, shared: Path) -> None:
    labels = shared / "data/mu2025/labels"
    files = [labels / "pytorch.csv", labels / "tensorflow.csv", "--within", "C", "--duplicates", "rows", "--json"]
    by_ids = json.loads(program("compare", *files, check=True).stdout)
    by_book = json.loads(program("compare", *files, "--codebook", "studies/mu2025/codebook.yaml", check=True).stdout)
    assert by_ids["pearson"]["statistic"] == pytest.approx(145.50, abs=5.01e-3)
    assert by_ids["per_code"] == by_book["per_code"]


@pytest.mark.shared
def test_by_default_the_reports_of_one_file_are_alike_and_the_table_follows_the_verdict(
    program: Program, shared: Path
) -> None:
    labels = shared / "data/mu2025/labels"
    done = program("compare", *groups(labels), "--within", "C", "--duplicates", "rows", check=True)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("different: The codes of mindspore and 2 more (9,300 units) and ColossalAI and 7 more")
    assert lines[2].split()[0] == "code"
    assert lines[3].split()[0] == "C.1"
    assert "Rao-Scott F" in done.stdout
    assert any(line.startswith("clusters         3 and 8") for line in lines)


def test_repeated_reports_are_refused_by_default(program: Program, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("unit,code\nu1,x\nu1,y\n")
    (tmp_path / "b.csv").write_text("unit,code\nu1,x\nu2,y\n")
    done = program("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--code", "code")
    assert done.returncode == 2
    assert "repeated" in done.stderr


def test_without_a_final_code_the_majority_counts_and_ties_are_left_out(program: Program, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("unit,ann,bob\nu1,x,x\nu2,x,y\nu3,y,y\n")
    (tmp_path / "b.csv").write_text("unit,ann,bob\nu1,x,x\nu2,y,y\n")
    result = json.loads(program("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--json", check=True).stdout)
    assert result["code_from"] == ["majority", "majority"]
    assert [group["units"] for group in result["groups"]] == [2, 2]
    assert result["left_out"][0]["undecided"] == 1
    assert result["verdict"] == "inconclusive"


def test_a_column_can_name_the_cluster(program: Program, tmp_path: Path) -> None:
    for name in ("a", "b"):
        rows = [f"{name}{n},{'xy'[n % 2]},p{n % 4}" for n in range(40)]
        (tmp_path / f"{name}.csv").write_text("unit,code,project\n" + "\n".join(rows))
    files = [tmp_path / "a.csv", tmp_path / "b.csv", "--code", "code", "--json"]
    result = json.loads(program("compare", *files, "--cluster-by", "project", check=True).stdout)
    assert result["clusters"]["clusters_a"] == 4
    assert json.loads(program("compare", *files, "--cluster-by", "none", check=True).stdout)["clusters"] is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["a.csv"], "two groups are needed"),
        (["a.csv", "b.csv", "--within", "Q"], "no code lies under 'Q'"),
        (["a.csv", "b.csv", "--names", "same,same"], "does not give two different names"),
        (["a.csv", "b.csv", "--margin", "2"], "is not between 0 and 1"),
        (["a.csv", "none.csv"], "there is no such file"),
        (["a.csv", "b.csv", "--code", "kode"], "no column 'kode'"),
        (["a.csv", "b.csv", "--code", "code", "--final", "code"], "does not go with"),
        (["--baseline", "a.csv"], "no column 'report'"),
    ],
)
def test_what_cannot_be_compared_is_said(program: Program, tmp_path: Path, arguments: list[str], expected: str) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("unit,code\nu1,C.1\nu2,C.2\nu3,C.1\n")
    done = program("compare", *(tmp_path / each if each.endswith(".csv") else each for each in arguments))
    assert done.returncode == 2, done.stdout
    assert expected in done.stderr


def baseline_table(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.shared
def test_the_labelled_reports_of_one_project_cannot_decide_the_baseline_test(
    program: Program, shared: Path, tmp_path: Path
) -> None:
    with (shared / "data/mu2025/labels/vllm.csv").open(encoding="utf-8") as file:
        label_of = {row["Issue_URL"]: row["Final_Label"] for row in csv.DictReader(file)}
    with gzip.open(shared / "data/issues/vllm.jsonl.gz", "rt", encoding="utf-8") as file:
        reports = [report for line in file if (report := json.loads(line))["html_url"] in label_of]
    assert len(reports) == 690  # every one of them was found by a keyword, so none is a control
    rows = [
        {
            "report": report["html_url"],
            "group": "specific" if "lora" in f"{report['title']} {report['body']}".lower() else "generic",
            "code": label_of[report["html_url"]],
            "created_at": report["created_at"],
            "closed_at": report["closed_at"] or "",
            "comments": report["comments"],
            "has_environment": "environment" in (report["body"] or "").lower(),
        }
        for report in reports
    ]
    table = baseline_table(tmp_path / "vllm.csv", rows)
    result = json.loads(program("compare", "--baseline", table, "--json", check=True).stdout)
    assert result["answer"] == "cannot be decided"
    assert sum(result["sizes"].values()) == 690
    assert result["sizes"]["control"] == 0
    assert result["lacking"][0] == "control: no labelled report."
    assert result["to_label"]["control"] == result["plan"]["overall"] > 1_000
    assert result["pairs"][2]["comparison"]["verdict"] in ("different", "equivalent", "inconclusive")
    assert set(result["impact"]["median_days"]) == {"generic", "specific"}
    assert result["impact"]["closing"]["p"] is not None
    assert result["impact"]["marks"]["environment"]
    told = program("compare", "--baseline", table, check=True).stdout
    assert told.startswith("Cannot be decided. Labelled reports: generic ")
    assert "labels in each group would settle it" in told


def test_the_baseline_test_counts_unlabelled_reports_as_available_and_open_ones_as_censored(
    program: Program, tmp_path: Path
) -> None:
    rows = [
        {"report": f"{group}{n}", "group": group, "code": code, "created_at": "2025-01-01", "closed_at": closed}
        for group in ("generic", "specific", "control")
        for n, (code, closed) in enumerate([("x", "2025-01-11"), ("y", "2025-01-11"), ("x", ""), ("", "")])
    ]
    table = baseline_table(tmp_path / "r.csv", rows)
    done = program("compare", "--baseline", table, "--observed", "2025-02-01", "--json", check=True)
    result = json.loads(done.stdout)
    assert result["sizes"] == {"generic": 3, "specific": 3, "control": 3}
    assert "generic has only 4 reports" in result["words"]
    assert result["impact"]["median_days"]["control"]["value"] == 10
    assert result["impact"]["closing"]["p"] == pytest.approx(1)


def test_every_cell_of_a_baseline_table_that_cannot_be_read_is_named(program: Program, tmp_path: Path) -> None:
    text = "report,group,code,created_at,closed_at,comments\nr1,other,x,,,\nr2,control,x,soon,,-1\nr2,control,,,,\n"
    (tmp_path / "r.csv").write_text(text)
    done = program("compare", "--baseline", tmp_path / "r.csv")
    assert done.returncode == 2
    for expected in ("line 2: group: 'other'", "line 3: created_at: 'soon'", "comments: '-1'", "'r2' stands twice"):
        assert expected in done.stderr


@pytest.mark.parametrize(("other", "verdict"), [("autumn", "equivalent"), ("forum", "different")])
def test_the_demo_has_a_case_of_each_verdict(program: Program, other: str, verdict: str) -> None:
    files = ["demo/comparison/spring.csv", f"demo/comparison/{other}.csv"]
    assert program("compare", *files, "--code", "type", check=True).stdout.startswith(f"{verdict}: ")


def test_the_demos_own_reports_decide_nothing(program: Program) -> None:
    training, serving = "demo/ratings/larkloom.csv,demo/ratings/gravelpipe.csv", "demo/ratings/sparrowgate.csv"
    assert program("compare", training, serving, check=True).stdout.startswith("inconclusive: Inconclusive for ")
