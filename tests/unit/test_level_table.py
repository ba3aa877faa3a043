"""A facet from tables with a column a level."""

from pathlib import Path

import pytest

from issuebook.codebook.level_table import LevelTables, facet_of_tables
from issuebook.errors import InputError

ASKED = LevelTables("symptom", levels=("theme", "symptom"))


def test_codes_of_a_cell_are_parted_at_commas_outside_parentheses_and_repeats_count_once() -> None:
    text = 'cause,signs\nBuild,"Fails (gcc, clang),hangs,Hangs"\nRun,slow\nBuild,stops\n'
    facet, notes = facet_of_tables({"a.csv": text}, ASKED)
    assert [(code, node.code.name) for code, node in facet.nodes.items()] == [
        ("1", "Build"),
        ("1.1", "Fails (gcc, clang)"),
        ("1.2", "hangs"),
        ("1.3", "stops"),
        ("2", "Run"),
        ("2.1", "slow"),
    ]
    assert [str(note) for note in notes] == ["a.csv, line 2: 1 of 3 stand there more than once, and count once."]


@pytest.mark.parametrize(
    ("row", "names"),
    [
        ('Build,"only "gcc" is known,slow"', ['only "gcc" is known', "slow"]),
        ("Build,one,two", ["one", "two"]),
    ],
)
def test_a_row_with_stray_quotes_or_commas_is_read_and_told(row: str, names: list[str]) -> None:
    facet, notes = facet_of_tables({"a.csv": f"cause,signs\n{row}\n"}, ASKED)
    assert [code.name for code in facet.codes[0].codes] == names
    assert len(notes) == 1
    assert str(notes[0]).startswith("a.csv, line 2: it ")
    assert "what follows column 1 was taken as column 2" in str(notes[0])


def test_a_code_of_a_known_name_gets_its_id_and_files_make_one_facet() -> None:
    asked = LevelTables("symptom", known={"build": "C.1", "slow": "C.1"})
    facet, _ = facet_of_tables({"a.csv": "cause,signs\nBuild,slow\n", "b.csv": "cause,signs\nBuild,hangs\n"}, asked)
    assert list(facet.nodes) == ["C.1", "C.1.1", "C.1.2"]
    assert facet.levels == ("cause", "signs")


@pytest.mark.parametrize("text", ["", "cause,signs\n", "cause\nBuild\n"])
def test_a_table_without_rows_or_with_other_columns_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="columns and"):
        facet_of_tables({"a.csv": text}, ASKED)


@pytest.mark.shared
def test_the_symptom_lists_of_the_study_become_one_facet_and_the_torn_row_is_told(shared: Path) -> None:
    folder = shared / "data" / "mu2025"
    names = ("question_intents.csv", "requirement_expections.csv", "bug_symptoms.csv")
    texts = {name: (folder / name).read_text(encoding="utf-8-sig") for name in names}
    facet, notes = facet_of_tables(texts, LevelTables("symptom", levels=("theme", "sub-theme", "symptom")))
    assert (len(facet.at_depth(0)), len(facet.at_depth(1))) == (18, 70)
    torn = [str(note) for note in notes if "taken as column 3" in str(note)]
    assert len(torn) == 1
    assert torn[0].startswith("requirement_expections.csv, line 4: it is no sound CSV")
    third = next(c for c in facet.at_depth(1) if c.name == "Dependency Version and Compatibility Management")
    assert 'Currently only "cuda" policy supported、need to extend "cpu" and "auto"' in [c.name for c in third.codes]
