"""Codes in a tree: by the codebook, or by dotted ids."""

import pytest

from issuebook.app.code_trees import codes_under, in_order, types_of
from issuebook.errors import InputError
from issuebook.model.codebook import Code, Facet

FACET = Facet(
    id="theme",
    levels=("type", "theme"),
    codes=(Code(id="bug", name="Bug", codes=(Code(id="crash", name="Crash"),)), Code(id="ask", name="Ask")),
)


def test_the_codebook_tells_types_and_so_do_dotted_ids() -> None:
    assert types_of(["crash", "ask"], FACET) == {"crash": "bug", "ask": "ask"}
    assert types_of(["C.1", "C.2.iv", "A.1"]) == {"C.1": "C", "C.2.iv": "C", "A.1": "A"}


@pytest.mark.parametrize(("codes", "facet"), [(["C.1", "other"], None), ([], None), (["bug", "ask"], FACET)])
def test_where_nothing_tells_types_there_are_none(codes: list[str], facet: Facet | None) -> None:
    assert types_of(codes, facet) is None


def test_codes_under_one_are_found_by_whole_parts_of_their_ids() -> None:
    assert codes_under("C.1", ["C.1", "C.10", "C.1.i"]) == ("C.1", "C.1.i")
    assert codes_under("bug", ["crash", "ask"], FACET) == ("crash",)
    with pytest.raises(InputError, match="no code lies under 'D'"):
        codes_under("D", ["C.1", "C.2"])


def test_codes_are_sorted_as_people_count() -> None:
    assert in_order(["C.10", "C.2", "A.3", "2", "10", "C"]) == ("2", "10", "A.3", "C", "C.2", "C.10")
