"""Laws of a codebook as a file: what is written comes back, and a file leads to edits that give what it says."""

import string

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.codebook_models import FACET, START, facet_of, histories, meta

from issuebook.app.study_files import read_codebook
from issuebook.codebook.adopt import edits_between
from issuebook.codebook.apply import apply
from issuebook.codebook.diff import diff
from issuebook.codebook.edits import TEXTS
from issuebook.codebook.yaml_text import to_yaml
from issuebook.errors import EditError
from issuebook.model.codebook import Code, Codebook, Example, Facet

TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cn"]) | st.sampled_from("\n:#-'\"&*!%@`|>\\"), max_size=12
)
WORD = TEXT.filter(lambda text: text.strip() != "")
TRICKY = st.sampled_from(["no", "1.10", "null", "~", "2025-01-01", "0x1f", "- a", "a: b", "# x", "'", "<<", "é\u2028x"])
IDS = st.text(string.ascii_letters + string.digits + ".", min_size=1, max_size=4)


def codes(depth: int = 0) -> st.SearchStrategy[Code]:
    below = st.lists(codes(depth + 1), max_size=2).map(tuple) if depth < 2 else st.just(())
    texts = st.lists(WORD | TRICKY, max_size=2).map(tuple)
    return st.builds(
        Code,
        id=IDS,
        name=WORD | TRICKY,
        definition=TEXT | TRICKY,
        include=texts,
        exclude=texts,
        examples=st.lists(st.builds(Example, unit=WORD | TRICKY, note=TEXT), max_size=2).map(tuple),
        also=texts,
        note=TEXT,
        status=st.sampled_from(["active", "retired", "unnamed"]),
        codes=below,
    )


def _told_apart(code: Code, seen: set[str]) -> Code:
    name = code.id
    while name in seen:
        name += "x"
    seen.add(name)
    below = tuple(_told_apart(child, seen) for child in code.codes)
    return code.model_copy(update={"id": name, "name": f"{code.name} {name}", "codes": below})


def _facet(tops: list[Code]) -> Facet:
    seen: set[str] = set()
    return Facet(id="f", levels=("a", "b", "c"), codes=tuple(_told_apart(code, seen) for code in tops))


CODEBOOKS = st.builds(
    Codebook,
    name=WORD | TRICKY,
    version=TRICKY,
    note=TEXT,
    facets=st.lists(codes(), min_size=1, max_size=3).map(lambda tops: (_facet(tops),)),
)


@settings(max_examples=100, deadline=None)
@given(CODEBOOKS)
def test_a_codebook_written_as_yaml_comes_back_and_is_written_the_same(codebook: Codebook) -> None:
    text = to_yaml(codebook)
    back = read_codebook(text, "codebook.yaml")
    assert back == codebook
    assert to_yaml(back) == text


@settings(max_examples=60, deadline=None)
@given(histories(8))
def test_edits_that_adopt_another_codebook_give_what_it_says_and_lose_no_code(history) -> None:  # type: ignore[no-untyped-def]
    wanted = facet_of(history)
    try:
        edits = edits_between(START, history.head, lambda number: meta(number, number))
    except EditError:
        return  # a code below a retired one, or siblings that exchange their names
    found = START
    for edit in edits:
        found = apply(found, edit)
    present = found.facet(FACET)
    for code, node in wanted.nodes.items():
        assert present.nodes[code].path == node.path
        assert [getattr(present.nodes[code].code, key) for key in ("name", *TEXTS)] == [
            getattr(node.code, key) for key in ("name", *TEXTS)
        ]
    left = set(present.nodes) - set(wanted.nodes)
    assert left == set(START.facet(FACET).nodes) - set(wanted.nodes)
    assert all(present.nodes[code].code.status == "retired" for code in left)


@settings(max_examples=60, deadline=None)
@given(histories(8))
def test_a_diff_is_empty_exactly_when_the_trees_are_equal(history) -> None:  # type: ignore[no-untyped-def]
    end = len(history.entries)
    for number in range(end + 1):
        old = history.at(number)
        found = diff(old, history.head, history.steps(number, end).made)
        if old.facets == history.head.facets:
            assert [change for change in found.changes if change.kind != "split"] == []
        else:
            assert found.changes
