"""Expressions are calls with literal arguments: parsed, never evaluated."""

import pytest

from issuebook.errors import ExpressionError
from issuebook.report.expressions import call, check, parse
from issuebook.report.quantities import QUANTITIES


def test_a_call_is_written_back_in_canonical_form() -> None:
    assert str(parse(" share( 'C.1',of='C' ) ")) == 'share("C.1", of="C")'
    assert parse('share("C.1", of="C")') == call("share", "C.1", of="C")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 + 1",
        "share",
        "share(count('C'))",
        "__import__('os').system('true')",
        "share(*['C'])",
        "share(**{'of': 'C'})",
        "share(f'{1}')",
        "(lambda: 1)()",
        "share('C'); share('A')",
        "share(",
        "share(None)",
        "share([1])",
        "share('\0')" + "(" * 5000,
        "\0",
    ],
)
def test_anything_but_one_call_with_literals_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


def test_an_unknown_quantity_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(ExpressionError, match="Did you mean 'share'"):
        check(parse("shares('C')"), QUANTITIES)


def test_a_wrong_argument_is_refused_with_the_usage() -> None:
    with pytest.raises(ExpressionError, match=r"Write share\(\*codes, of=…, project=…, group=…\)"):
        check(parse("share('C', within='A')"), QUANTITIES)
    with pytest.raises(ExpressionError, match="must be text"):
        check(parse("share(3)"), QUANTITIES)
