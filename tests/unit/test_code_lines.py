"""Codes as lines of a text area."""

from __future__ import annotations

import pytest

from issuebook.errors import EditError
from issuebook.model.codebook import Facet
from issuebook.web.code_lines import codes_of


def test_lines_are_codes_and_indented_ones_lie_below_the_line_above() -> None:
    text = "A | one\n  A.1 | first\n\n    A.1.i\n\tA.2 | second | half\nB|two\n"
    facet = Facet.model_validate({"id": "f", "levels": ["a", "b", "c"], "codes": codes_of(text)})
    assert [(node.path, node.code.name) for node in facet.walk()] == [
        (("A",), "one"),
        (("A", "A.1"), "first"),
        (("A", "A.1", "A.1.i"), "A.1.i"),
        (("A", "A.2"), "second | half"),
        (("B",), "two"),
    ]
    assert codes_of(" \n") == []


def test_every_line_that_is_no_code_is_named() -> None:
    with pytest.raises(EditError) as refused:
        codes_of("  deep | too\nA | a\n    A.1 | too deep\n | nameless\nB |\n")
    assert [fault.where for fault in refused.value.faults] == [f"codes, line {line}" for line in (1, 3, 4, 5)]
