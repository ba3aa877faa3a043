"""A claim: a number that a manuscript states, as it is written there, with the expression that should give it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from pydantic import Field, model_validator

from issuebook.model.validation import Value


class Claim(Value):
    """A stated number and how to recompute it.

    Attributes:
        id: short name, unique in the file.
        text: what the number is about, in words.
        where: the place in the manuscript.
        stated: the number as written: ``38,742``, ``39.29 %``, ``72 to 84``, ``about 35 %``, ``.717 to .757``.
        missing: why there is no stated number; given instead of ``stated``.
        expr: call of a registered quantity with literal arguments, e.g. ``share("C.1", of="C")``.
        beside: further expressions whose values are printed with the verdict.
        n: the number of cases the manuscript gives as the base of a share; None takes the recomputed base.
        note: anything to print with the verdict.
    """

    id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    where: str = ""
    stated: str = ""
    missing: str = ""
    expr: str = ""
    beside: tuple[str, ...] = ()
    n: int | None = Field(default=None, ge=1)
    note: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> Claim:
        if bool(self.stated) == bool(self.missing):
            raise ValueError("give either 'stated' (the number as written) or 'missing' (why none is stated)")
        if self.stated:
            if not self.expr:
                raise ValueError("a stated number needs an 'expr' that should give it")
            parse_stated(self.stated)
        return self


class Claims(Value):
    """The content of claims.toml."""

    claim: tuple[Claim, ...] = ()

    @model_validator(mode="after")
    def _ids_differ(self) -> Claims:
        counts = Counter(claim.id for claim in self.claim)
        repeated = [name for name, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(f"claims with the same id: {', '.join(repeated)}")
        return self


@dataclass(frozen=True, slots=True)
class Stated:
    """A stated number, taken apart.

    Attributes:
        low: the number, or the lower end of a range, in the unit written (per cent stay per cent).
        high: the upper end of a range; equal to ``low`` for a single number.
        step: the value of the last digit written, e.g. 0.01 for ``39.29``.
        percent: whether a per-cent sign follows.
        about: whether the text says about (or around, circa, roughly, ~).
        is_range: whether a range is stated.
    """

    low: Decimal
    high: Decimal
    step: Decimal
    percent: bool
    about: bool
    is_range: bool


_NUMBER = r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?"
_STATED = re.compile(
    rf"^(?P<about>about|around|circa|ca\.|roughly|some|~)?\s*(?P<low>{_NUMBER})\s*(?P<p1>%)?"
    rf"(?:\s*(?:to|-|–|—)\s*(?P<high>{_NUMBER})\s*(?P<p2>%)?)?$",
    re.IGNORECASE,
)


def parse_stated(text: str) -> Stated:
    """Return a stated number taken apart.

    Raises:
        ValueError: the text is not a number, a per cent or a range of them.
    """
    match = _STATED.match(text.strip())
    if match is None or not _has_digit(match["low"]) or (match["high"] is not None and not _has_digit(match["high"])):
        raise ValueError(f"cannot read {text!r} as a number; write it like 38,742 or 39.29 % or 72 to 84 or about 35 %")
    low = _decimal(match["low"])
    high = _decimal(match["high"]) if match["high"] else low
    exponents = [value.as_tuple().exponent for value in (low, high)]
    finest = min(exponent for exponent in exponents if isinstance(exponent, int))
    return Stated(
        low=low,
        high=high,
        step=Decimal(1).scaleb(finest),
        percent=bool(match["p1"] or match["p2"]),
        about=bool(match["about"]),
        is_range=match["high"] is not None,
    )


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))
