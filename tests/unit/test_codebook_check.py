"""What a check of a codebook finds: in its own texts, and in texts that use its names."""

from pathlib import Path

import pytest

from issuebook.app.study_files import read_codebook
from issuebook.codebook.balance import check_balance
from issuebook.codebook.criteria import check_criteria, check_examples
from issuebook.codebook.names import Names, check_names, check_other_names, one_slip
from issuebook.model.codebook import Code, Example, Facet

ROOT = Path(__file__).parents[2]
STUDY = read_codebook((ROOT / "studies" / "mu2025" / "codebook.yaml").read_text(), "codebook.yaml").facet("theme")
TOOLKITS = ("pytorch", "vllm", "DeepSpeed", "Megatron-LM", "MindSpeed", "mindspore")

PAIRS = {
    "Multi-platform Interoperability": "B.1.iv",
    "Example Drift and Documentation Mismatch": "B.4.iii",
    "System Environment and Dependency Setup": "A.1.i",
    "Configuration and Parameter Usage": "A.1.ii",
    "Runtime Configuration and Launch Parameters": "A.1.ii",
    "Unexpected Behavior and Unintuitive Design": "A.3",
}
"""Names that the study of arXiv 2506.13114 uses beside those of its tree, with their codes."""

LIKE_NO_NAME = {"Multi-platform Interoperability", "Example Drift and Documentation Mismatch"}
"""Those that share no words with the name of the tree."""


def without_other_names(facet: Facet) -> Facet:
    def bare(code: Code) -> Code:
        return code.model_copy(update={"also": (), "codes": tuple(bare(child) for child in code.codes)})

    return Facet(id=facet.id, levels=facet.levels, codes=tuple(bare(code) for code in facet.codes))


def told(text: str, names: Names) -> str:
    return "\n".join(str(finding) for finding in check_names(text, "paper.txt", names))


@pytest.mark.parametrize("name", PAIRS)
def test_another_name_that_the_codebook_knows_is_found_with_the_name_of_the_tree(name: str) -> None:
    code = PAIRS[name]
    for text in (f"Many reports speak of {name}.", f"the theme {name.lower()} grows", name.replace(" ", "\n", 1)):
        found = told(text, Names(STUDY))
        assert f"is another name of {code}, which the tree calls “{STUDY.nodes[code].code.name}”" in found


@pytest.mark.parametrize("name", sorted(set(PAIRS) - LIKE_NO_NAME))
def test_a_name_that_nobody_entered_is_found_by_its_likeness(name: str) -> None:
    found = told(f"Most of these are about {name}, as users say.", Names(without_other_names(STUDY)))
    assert f"“{name}” is no name of the tree; near it: " in found
    assert f"{PAIRS[name]} “" in found


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("form", ["We call it {name} ({code}).", "| {code} {name} |"])
def test_a_name_beside_an_id_that_is_called_otherwise_is_found_even_if_unlike(name: str, form: str) -> None:
    code = PAIRS[name]
    if STUDY.nodes[code].code.name.startswith(name):
        assert told(form.format(name=STUDY.nodes[code].code.name, code=code), Names(without_other_names(STUDY))) == ""
        return
    found = told(form.format(name=name, code=code), Names(without_other_names(STUDY)))
    assert f"“{name}” stands with {code}, which is called" in found


def test_the_names_of_the_tree_are_no_finding_whatever_their_case_or_line_breaks() -> None:
    names = [node.code.name for node in STUDY.walk() if node.code.status == "active" and " " in node.code.name]
    text = ". ".join([*names, *(name.upper() for name in names), *(name.replace(" ", "\n") for name in names)])
    assert told(text, Names(STUDY)) == ""


def test_running_text_about_the_field_is_no_finding() -> None:
    text = (
        "Deep Learning Frameworks such as PyTorch, TensorFlow and MindSpore support Large Language Models. We asked "
        "eleven users, e.g. U.1 of Table 3, about DeepSeek-V3, GPT-4.1, CUDA 12.4, H.264 and the C compiler; see Fig."
    )
    assert told(text, Names(STUDY, TOOLKITS)) == ""


def test_a_slip_in_the_name_of_a_project_is_found_and_another_name_is_not() -> None:
    found = told("DeepSeed and DeepSpeed and DeepSeek run on MindSpeed.\nDeepSeed again.", Names(STUDY, TOOLKITS))
    assert found == "project: paper.txt, line 1 and 1 more: “DeepSeed” is nearly DeepSpeed. Is it a slip?"


@pytest.mark.parametrize(
    ("one", "other", "slip"),
    [
        ("deepseed", "deepspeed", True),
        ("pytorhc", "pytorch", True),
        ("pytorck", "pytorch", True),
        ("pytorchh", "pytorch", True),
        ("pytorch", "pytorch", False),
        ("deepseek", "deepspeed", False),
        ("mindspore", "mindspeed", False),
    ],
)
def test_one_slip_is_one_letter_more_less_other_or_swapped(one: str, other: str, slip: bool) -> None:
    assert one_slip(one, other) is slip
    assert one_slip(other, one) is slip


def test_ids_that_no_code_has_and_codes_without_a_name_are_found() -> None:
    table = 'U5,User,"C.6, C.11",x\nU11,User,"B.2, B.5",y\nD5,Developer,"C.3, C.11",z\n'
    found = told(table, Names(STUDY, gone={"D.1": "was merged into C.2"}))
    assert found.splitlines() == [
        "id: paper.txt, line 1 and 1 more: C.11 is no code of the tree. Name a code that exists.",
        "id: paper.txt, line 2: B.5 has no name: the codebook marks it as unnamed. Rename it once its name is known.",
    ]
    assert [finding.fails for finding in check_names(table, "", Names(STUDY)) if finding.check == "id"] == [True, False]
    assert "D.1 was merged into C.2" in told("see D.1", Names(STUDY, gone={"D.1": "was merged into C.2"}))


def test_a_name_that_a_code_had_in_an_earlier_version_is_found() -> None:
    found = told("on Weird Results mostly", Names(STUDY, former={"Weird Results": "C.4"}))
    assert "“Weird Results” is another name of C.4" in found


@pytest.mark.shared
def test_the_interview_table_of_the_study_names_two_codes_that_its_labels_do_not_have(shared: Path) -> None:
    text = (shared / "data" / "mu2025" / "interview_codebook.csv").read_text(encoding="utf-8-sig")
    found = [f for f in check_names(text, "interviews", Names(STUDY, TOOLKITS)) if f.check == "id"]
    assert [finding.what.split()[0] for finding in found] == ["C.11", "B.5"]


def facet(*codes: Code) -> Facet:
    return Facet(id="f", levels=("a", "b"), codes=codes)


def sound(code: str, name: str, **more: object) -> Code:
    return Code.model_validate({"id": code, "name": name, "definition": "d", "include": [f"only {name}"], **more})


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((sound("A", "x"),), ""),
        ((Code(id="A", name="x", include=("i",)),), "definition: A: 'x' is not defined"),
        ((Code(id="A", name="x", definition="d"),), "criteria: A: nothing says what belongs here"),
        ((sound("A", "x", include=["i", " "]),), "criteria: A: 1 criteria are empty"),
        ((sound("A", "x", include=["It ends."], exclude=["it ends"]),), "'it ends' both includes and excludes"),
        ((sound("A", "x", include=["same"]), sound("B", "y", include=["Same!"])), "A, B: 'same' includes into both"),
        ((sound("A", "x", exclude=["speed only (B)"]),), "points to B, which does not exist. Known: A."),
        ((sound("A", "x", codes=[sound("A.1", "y", exclude=["z (A.2, A)"])]),), "points to A.2, which does not exist"),
        ((sound("A", "x", exclude=["in C (a C compiler)", "else (the theme of the part)"]),), ""),
        ((sound("A", "x", exclude=["other things (A)"]),), "points to A, the code itself"),
        ((sound("A", "x", exclude=["speed (B)"]), Code(id="B", name="y", status="retired")), "B, which is retired"),
        ((sound("A", "Crash of start"), sound("B", "Start crashes")), "siblings are called 'Crash of start' and"),
        ((Code(id="A", name="?", status="unnamed"), Code(id="B", name="old", status="retired")), ""),
    ],
)  # fmt: skip
def test_what_is_missing_or_contradicts_itself_is_found(codes: tuple[Code, ...], expected: str) -> None:
    found = "\n".join(map(str, check_criteria(facet(*codes))))
    assert expected in found
    assert bool(found) == bool(expected)


def test_an_example_must_be_a_unit_that_carries_its_code() -> None:
    def with_example(unit: str) -> Facet:
        return facet(sound("A", "x", codes=[sound("A.1", "y", examples=[Example(unit=unit)])]), sound("B", "z"))

    codes_of = {"u1": frozenset({"A.1"}), "u2": frozenset({"B"}), "u3": frozenset({"A"})}
    assert check_examples(with_example("u1"), codes_of, 1) == []
    assert "u2 carries B, not A.1" in str(check_examples(with_example("u2"), codes_of, 1)[0])
    assert "u9 is no unit of the study" in str(check_examples(with_example("u9"), codes_of, 1)[0])
    assert check_examples(with_example("u3"), codes_of, 0) == []


@pytest.mark.parametrize("study", ["demo", "studies/mu2025"])
def test_the_shipped_codebooks_are_sound(study: str) -> None:
    codebook = read_codebook((ROOT / study / "codebook.yaml").read_text(), "codebook.yaml")
    assert [str(finding) for each in codebook.facets for finding in check_criteria(each)] == []


def test_the_study_goes_by_two_names_for_five_codes_and_that_fails_nothing() -> None:
    """The pairs of the study: a fact of it, which the check tells; where a text uses one, --text finds it."""
    found = check_other_names(STUDY)
    assert {finding.where for finding in found} == {"A.1.i", "A.1.ii", "A.3", "B.1.iv", "B.4.iii"}
    assert "“Minimal Working Examples” also goes by “Example Drift and Documentation Mismatch”." in str(found[-1])
    assert not any(finding.fails for finding in found)


def test_thin_and_fat_codes_are_told_and_fail_nothing() -> None:
    tree = facet(*(sound(code, name) for code, name in (("A", "x"), ("B", "y"), ("C", "z"))))
    found = check_balance(tree, {"A": 80, "B": 18, "C": 2}, 0)
    assert [(each.check, each.where, each.fails) for each in found] == [("fat", "A", False), ("thin", "C", False)]
    assert [each.check for each in check_balance(tree, {"A": 30, "B": 9, "C": 10}, 0)] == []
