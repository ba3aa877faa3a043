"""Verdicts on claims: does a stated number hold against what issuebook computes?

A stated number is read as it is written. ``39.29 %`` holds when the value rounds to it at the digits written (half a
unit of the last digit either way, so that every rounding rule is allowed). ``about 35 %`` holds within one unit of its
last significant digit. A range holds when both ends do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from math import ceil, floor

from issuebook.errors import ExpressionError
from issuebook.model.claim import Claim, Stated, parse_stated
from issuebook.model.quantity import Quantity, QuantitySet, Unit
from issuebook.report import wording
from issuebook.report.book import Book
from issuebook.report.expressions import Call, call, parse

TELLING_DIGITS = 3
"""A stated number is looked up among the other quantities only when it has this many significant digits."""

_TOLERANCE = 1e-9


class Outcome(StrEnum):
    """What a claim turned out to be."""

    HOLDS = "holds"
    DIFFERS = "differs"
    MATCHES_ANOTHER = "matches another quantity"
    IMPOSSIBLE = "impossible"
    UNKNOWN = "cannot be computed"

    @property
    def fails(self) -> bool:
        """Whether the stated number is contradicted by the data."""
        return self in (Outcome.DIFFERS, Outcome.MATCHES_ANOTHER, Outcome.IMPOSSIBLE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim, what was computed, and what follows.

    Attributes:
        claim: the claim as stated.
        outcome: the verdict.
        recomputed: the computed value as text; empty when there is none.
        reason: one or two sentences that say by how much, which other quantity, or why not.
        beside: further values asked for by the claim, as (call, text).
        computed_from: what the recomputed value rests on.
    """

    claim: Claim
    outcome: Outcome
    recomputed: str
    reason: str
    beside: tuple[tuple[str, str], ...]
    computed_from: str


def judge(claim: Claim, book: Book) -> Verdict:
    """Return the verdict on a claim. Names that the study does not have make it ``cannot be computed``."""
    beside = tuple(_beside(text, claim, book) for text in claim.beside)
    found: Quantity | QuantitySet | None = None
    if claim.expr:
        try:
            found = book.evaluate(parse(claim.expr))
        except ExpressionError as error:
            reason = " ".join(f"{fault.what} {fault.remedy}".strip() for fault in error.faults)
            return Verdict(claim, Outcome.UNKNOWN, "", reason, beside, "")
    if found is None or claim.missing:
        recomputed = wording.quantity(found) if found is not None and _values(found) else ""
        reason = claim.missing + (f" (computed here: {recomputed})" if recomputed else "")
        return Verdict(claim, Outcome.UNKNOWN, recomputed, reason, beside, found.source if found else "")
    if not _values(found):
        return Verdict(claim, Outcome.UNKNOWN, "", _why_undefined(found), beside, found.source)
    stated = parse_stated(claim.stated)
    outcome, reason = _compare(claim, stated, found, book)
    return Verdict(claim, outcome, wording.quantity(found, _digits(stated, found.unit)), reason, beside, found.source)


def _compare(claim: Claim, stated: Stated, found: Quantity | QuantitySet, book: Book) -> tuple[Outcome, str]:
    values = [_in_units_of(stated, value, found.unit) for value in _values(found)]
    if _holds(stated, min(values), max(values), is_set=isinstance(found, QuantitySet)):
        return Outcome.HOLDS, ""
    difference = _difference(stated, min(values), max(values), found.unit)
    impossible = isinstance(found, Quantity) and _impossible(claim, stated, found)
    other = _other_with_this_value(stated, found, book)
    if other is not None:
        tail = " No count out of the base rounds to the stated share." if impossible else ""
        return Outcome.MATCHES_ANOTHER, f"{difference} The stated number is that of {other}.{tail}"
    if impossible:
        base = claim.n or (found.n if isinstance(found, Quantity) else None)
        return Outcome.IMPOSSIBLE, f"no count out of {base:,} rounds to {claim.stated}; {difference}"
    return Outcome.DIFFERS, difference


def _values(found: Quantity | QuantitySet) -> list[float]:
    if isinstance(found, Quantity):
        return [] if found.value is None else [found.value]
    return [value for _, value in found.defined()]


def _in_units_of(stated: Stated, value: float, unit: Unit) -> float:
    """Return a value in the unit in which the number is stated: per cent, or as it is."""
    return 100 * value if unit == "share" and stated.percent else value


def _holds(stated: Stated, low: float, high: float, *, is_set: bool) -> bool:
    half = float(_slack(stated))
    slack = half + _TOLERANCE * max(1.0, abs(float(stated.high)))
    if stated.is_range and not is_set:
        return float(stated.low) - slack <= low and high <= float(stated.high) + slack
    return abs(low - float(stated.low)) <= slack and abs(high - float(stated.high)) <= slack


def _slack(stated: Stated) -> Decimal:
    """Return how far a value may lie from the stated number: half a unit of its last digit.

    After ``about`` it is a whole unit, and zeros at the end of a whole number beyond its first two digits are not
    taken as digits: about 13,500 allows 100, about 35 allows 1.
    """
    if not stated.about:
        return stated.step / 2
    whole = stated.low if stated.step == 1 else Decimal(0)
    zeros = len(str(whole)) - len(str(whole).rstrip("0")) if whole else 0
    return stated.step.scaleb(min(zeros, max(len(str(whole)) - 2, 0)))


def _difference(stated: Stated, low: float, high: float, unit: Unit) -> str:
    digits = _digits(stated, unit) or 0
    gaps = [f"{value - float(end):+,.{digits}f}" for value, end in ((low, stated.low), (high, stated.high))]
    told = gaps[0] if gaps[0] == gaps[1] else " and ".join(gaps)
    points = " percentage points" if stated.percent and unit == "share" else ""
    return f"the computed value lies {told}{points} from the stated one."


def _impossible(claim: Claim, stated: Stated, found: Quantity) -> bool:
    """Return whether no whole number of cases out of the base gives the stated share (the GRIM test)."""
    base = claim.n or found.n
    if found.unit != "share" or not stated.percent or stated.about or stated.is_range or not base:
        return False
    half = float(stated.step) / 2
    lowest = ceil((float(stated.low) - half) * base / 100 - _TOLERANCE)
    highest = floor((float(stated.low) + half) * base / 100 + _TOLERANCE)
    return lowest > highest


def _other_with_this_value(stated: Stated, found: Quantity | QuantitySet, book: Book) -> str | None:
    digits = str(stated.low).replace(".", "").lstrip("-0")
    if stated.about or stated.is_range or len(digits) < TELLING_DIGITS:
        return None
    for asked in _catalogue(book, found.unit):
        other = book.evaluate(asked)
        if isinstance(other, Quantity) and other.value is not None and other.call != found.call:
            value = _in_units_of(stated, other.value, other.unit)
            if _holds(stated, value, value, is_set=False):
                return other.call
    return None


def _catalogue(book: Book, unit: Unit) -> Iterator[Call]:
    """Yield the quantities that a manuscript is likely to state, to find copying slips."""
    facts = book.facts
    if unit == "coefficient":
        for scope in facts.agreement:
            yield call("fleiss_kappa", **({scope.kind: scope.value} if scope.kind != "all" else {}))
        return
    name = "share" if unit == "share" else "count"
    for node in facts.facet.walk():
        if node.depth and unit == "share":
            yield call(name, node.code.id, of=node.path[0])
        yield call(name, node.code.id)
    for project in facts.projects:
        yield call(name, project=project)
    for group in facts.groups:
        yield call(name, group=group)
    if unit == "count":
        yield from (call(other) for other in ("rows", "rows_read", "reports"))


def _why_undefined(found: Quantity | QuantitySet) -> str:
    if isinstance(found, Quantity):
        return found.estimate.undefined or ""
    reasons = dict.fromkeys(part.estimate.undefined or "" for _, part in found.parts)
    return "; ".join(reasons) or f"no values: {found.source}"


def _beside(text: str, claim: Claim, book: Book) -> tuple[str, str]:
    asked = parse(text)
    try:
        found = book.evaluate(asked)
    except ExpressionError as error:
        return str(asked), error.faults[0].what
    shown = wording.quantity(found)
    values = _values(found)
    if claim.stated and values:
        stated = parse_stated(claim.stated)
        if stated.is_range:
            inside = [
                float(stated.low) <= _in_units_of(stated, value, found.unit) <= float(stated.high) for value in values
            ]
            where = (
                "inside"
                if all(inside)
                else "outside"
                if not any(inside)
                else f"{len(inside) - sum(inside)} of {len(inside)} outside"
            )
            shown += f" ({where} the stated range)"
    return str(asked), shown


def _digits(stated: Stated, unit: Unit) -> int | None:
    """Return digits to show a recomputed value with: at least those stated, so that the reader can compare."""
    if unit == "count":
        return None
    shown = max(0, -int(stated.step.as_tuple().exponent))
    least = wording.SHARE_DIGITS if unit == "share" else wording.COEFFICIENT_DIGITS
    return max(shown, least)
