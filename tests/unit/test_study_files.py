"""The files of a study: all faults at once, each with its file and key path."""

from collections.abc import Callable
from pathlib import Path

import pytest

from issuebook.adapters.workspace import FolderWorkspace
from issuebook.app.study_files import load_study, read_claims, read_codebook
from issuebook.errors import StudyError, UserError

STUDY = """
[study]
title = "Small"

[[ratings]]
files = "ratings.csv"
"""
CODEBOOK = """
name: small
facets:
  - id: theme
    levels: [type, theme]
    codes:
      - {id: A, name: Question}
      - {id: B, name: Bug, codes: [{id: B.10, name: Crash}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., FolderWorkspace]:
    def write(study: str = STUDY, codebook: str = CODEBOOK, claims: str | None = None) -> FolderWorkspace:
        (tmp_path / "study.toml").write_text(study)
        (tmp_path / "codebook.yaml").write_text(codebook)
        if claims is not None:
            (tmp_path / "claims.toml").write_text(claims)
        return FolderWorkspace(tmp_path)

    return write


def test_codes_stay_text_whatever_yaml_would_make_of_them() -> None:
    text = "name: x\nversion: 1.10\nfacets: [{id: f, codes: [{id: 1.10, name: no}, {id: 010, name: null}]}]"
    codebook = read_codebook(text, "codebook.yaml")
    assert codebook.version == "1.10"
    assert [(code.id, code.name) for code in codebook.facets[0].codes] == [("1.10", "no"), ("010", "null")]


def test_all_faults_of_all_files_come_in_one_error(folder: Callable[..., FolderWorkspace]) -> None:
    workspace = folder(
        study='[study]\ntitel = "x"\n[[ratings]]\nfiles = "a.csv"\nduplicate = "rows"\nlayout = "tall"\n',
        codebook="name: x\nfacets: [{id: f, codes: [{id: A, name: a, definitoin: d}, {id: A, nmae: b}]}]",
        claims='[[claim]]\nid = "a"\ntext = "t"\nstated = "many"\nexpr = "rows()"\n[[claim]]\nid = "b"\ntxt = "t"\n',
    )
    with pytest.raises(StudyError) as caught:
        load_study(workspace)
    told = str(caught.value)
    for expected in (
        "study.toml: study.title: this key is required",
        "study.toml: study.titel: unknown key 'titel'. Did you mean 'title'?",
        "study.toml: ratings[0].duplicate: unknown key 'duplicate'. Did you mean 'duplicates'?",
        "study.toml: ratings[0].layout: 'tall' is not one of 'wide' or 'long'",
        "codebook.yaml: facets[0].codes[0].definitoin: unknown key 'definitoin'. Did you mean 'definition'?",
        "codebook.yaml: facets[0].codes[1].nmae: unknown key 'nmae'. Did you mean 'name'?",
        "claims.toml: claim[0]: cannot read 'many' as a number",
        "claims.toml: claim[1].txt: unknown key 'txt'. Did you mean 'text'?",
    ):
        assert expected in told


def test_a_fault_inside_a_nested_tree_has_its_whole_path(folder: Callable[..., FolderWorkspace]) -> None:
    workspace = folder(codebook=CODEBOOK.replace("name: Crash", "name: Crash, exmaples: []"))
    with pytest.raises(StudyError, match=r"facets\[0\]\.codes\[1\]\.codes\[0\]\.exmaples.*Did you mean 'examples'"):
        load_study(workspace)


@pytest.mark.parametrize(
    ("codebook", "told"),
    [
        (CODEBOOK.replace("B.10", "A"), "code 'A' stands 2 times"),
        (CODEBOOK.replace("levels: [type, theme]", "levels: [type]"), "'B.10' lies below the last level 'type'"),
        (CODEBOOK.replace("name: Bug", "name: question"), "name 'question' stands 2 times under the top level"),
        (CODEBOOK.replace("- {id: A", "- {id: A, id: C"), "key 'id' stands twice"),
        (CODEBOOK + "  - {id: theme, codes: [{id: Z, name: z}]}\n", "facets with the same id: theme"),
        ("- a list", "this is not a mapping"),
        ("name: [", "codebook.yaml, line 2: not valid YAML"),
        ("a: " + "[" * 20_000, "exceeded maximum nesting depth"),
        ("", "this is not a mapping"),
        ("name: x\nfacets: &f [{id: f, codes: *f}]", "unconstructable recursive node"),
    ],
)
def test_an_unsound_codebook_is_refused(codebook: str, told: str) -> None:
    with pytest.raises(StudyError) as caught:
        read_codebook(codebook, "codebook.yaml")
    assert told in str(caught.value)


def test_facets_levels_and_groups_must_fit_each_other(folder: Callable[..., FolderWorkspace]) -> None:
    with pytest.raises(StudyError, match="the codebook has no facet 'them'"):
        load_study(folder(study=STUDY + 'facet = "them"\n'))
    with pytest.raises(StudyError, match="the facet has no level 'themes'"):
        load_study(folder(study=STUDY + 'level = "themes"\n'))
    with pytest.raises(StudyError, match="projects in more than one group: a"):
        load_study(folder(study=STUDY + '[groups]\nx = ["a"]\ny = ["a", "b"]\n'))


def test_claims_with_a_wrong_expression_are_all_named() -> None:
    text = """
[[claim]]
id = "one"
text = "t"
stated = "1"
expr = "cuont('A')"
beside = ["rows("]
[[claim]]
id = "two"
text = "t"
[[claim]]
id = "one"
text = "t"
stated = "1"
expr = "rows()"
"""
    with pytest.raises(StudyError) as caught:
        read_claims(text, "claims.toml")
    assert "claim[1]: give either 'stated'" in str(caught.value)
    with pytest.raises(StudyError) as caught:
        read_claims(text.replace('id = "two"\ntext = "t"', 'id = "two"\ntext = "t"\nmissing = "x"'), "claims.toml")
    assert "claims with the same id: one" in str(caught.value)
    sound = text.replace('id = "two"\ntext = "t"', 'id = "two"\ntext = "t"\nmissing = "x"').replace(
        '[[claim]]\nid = "one"\ntext = "t"\nstated = "1"\nexpr = "rows()"', ""
    )
    with pytest.raises(StudyError) as caught:
        read_claims(sound, "claims.toml")
    assert "claim[0].expr (one): no quantity 'cuont'. Did you mean 'count'?" in str(caught.value)
    assert "claim[0].beside[0] (one): 'rows(' is not a call" in str(caught.value)


def test_a_missing_study_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"study\.toml: the study needs this file"):
        load_study(FolderWorkspace(tmp_path))


def test_a_study_file_that_is_not_utf8_is_named(folder: Callable[..., FolderWorkspace], tmp_path: Path) -> None:
    workspace = folder()
    (tmp_path / "study.toml").write_bytes(b'[study]\ntitle = "\xff"\n')
    with pytest.raises(UserError, match="not UTF-8 text"):
        load_study(workspace)
