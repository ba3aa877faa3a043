"""Stated numbers are read as people write them."""

from decimal import Decimal

import pytest

from issuebook.model.claim import parse_stated


@pytest.mark.parametrize(
    ("text", "low", "high", "step", "percent", "about"),
    [
        ("38,742", "38742", "38742", "1", False, False),
        ("39.29 %", "39.29", "39.29", "0.01", True, False),
        ("39.29%", "39.29", "39.29", "0.01", True, False),
        ("72 to 84", "72", "84", "1", False, False),
        ("72-84", "72", "84", "1", False, False),
        (".717 to .757", "0.717", "0.757", "0.001", False, False),
        ("0.717–0.757", "0.717", "0.757", "0.001", False, False),
        ("about 35 %", "35", "35", "1", True, True),
        ("~ 35%", "35", "35", "1", True, True),
        ("10 % to 20 %", "10", "20", "1", True, False),
        ("-0.5", "-0.5", "-0.5", "0.1", False, False),
    ],
)
def test_a_stated_number_is_taken_apart(text: str, low: str, high: str, step: str, percent: bool, about: bool) -> None:
    stated = parse_stated(text)
    assert (stated.low, stated.high, stated.step) == (Decimal(low), Decimal(high), Decimal(step))
    assert (stated.percent, stated.about) == (percent, about)


@pytest.mark.parametrize("text", ["", "many", "%", "3,87", "1 2", "12 of 30", "..5", "5 to", "1e5", "NaN"])
def test_what_is_no_number_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="write it like"):
        parse_stated(text)
