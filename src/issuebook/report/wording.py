"""How numbers are written: the same way in the report, the tables and the verdicts."""

from __future__ import annotations

from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity, QuantitySet, Unit

SHARE_DIGITS = 2
COEFFICIENT_DIGITS = 3
SMALLEST_P = 0.001
UNDEFINED = "undefined"


def number(value: float | None, unit: Unit, digits: int | None = None) -> str:
    """Return a value as text: ``38,742``, ``24.38 %``, ``0.762``; an undefined one as ``undefined``."""
    if value is None:
        return UNDEFINED
    if unit == "count":
        return f"{value:,.0f}" if value == int(value) else f"{value:,.{digits or 1}f}"
    if unit == "share":
        return f"{100 * value:.{SHARE_DIGITS if digits is None else digits}f} %"
    if unit == "p" and value < SMALLEST_P:
        return f"< {SMALLEST_P:g}"
    text = f"{value:.{COEFFICIENT_DIGITS if digits is None else digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def interval(estimate: Estimate, unit: Unit, digits: int | None = None) -> str:
    """Return an interval as text: ``24.01 to 24.76 %``; empty when there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    low, high = number(estimate.low, unit, digits), number(estimate.high, unit, digits)
    return f"{low.removesuffix(' %')} to {high}"


def quantity(found: Quantity | QuantitySet, digits: int | None = None) -> str:
    """Return a quantity as text; a set as its smallest and largest value."""
    if isinstance(found, Quantity):
        return number(found.value, found.unit, digits)
    values = [value for _, value in found.defined()]
    if not values:
        return UNDEFINED
    low, high = number(min(values), found.unit, digits), number(max(values), found.unit, digits)
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def plural(noun: str) -> str:
    """Return the plural of an English noun: ``theme`` as ``themes``, ``category`` as ``categories``."""
    if noun.endswith("y") and noun[-2:-1] not in {*"aeiou", ""}:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def counted(noun: str, found: Quantity) -> str:
    """Return a noun in the number that a count asks for."""
    return noun if found.value == 1 else plural(noun)
