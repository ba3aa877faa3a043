"""A quantity: a number that issuebook computed, with what it was computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from issuebook.model.estimate import Estimate

Unit = Literal["count", "share", "coefficient", "p"]
"""What a value means: ``count`` a number of cases, ``share`` between 0 and 1 (shown as per cent), ``coefficient``, or
``p``, a p-value.
"""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One computed number.

    Attributes:
        call: the call that gives it, in canonical form, e.g. ``share("C.1", of="C")``.
        estimate: value, interval, or the reason why there is none.
        unit: how to read the value.
        n: the number of cases it rests on (the base of a share), or None where that has no meaning.
        source: what it was computed from, in words.
    """

    call: str
    estimate: Estimate
    unit: Unit
    n: int | None
    source: str

    @property
    def value(self) -> float | None:
        """The value, or None when the quantity is undefined."""
        return self.estimate.value


@dataclass(frozen=True, slots=True)
class QuantitySet:
    """Several quantities of one kind, e.g. a coefficient for each project.

    Attributes:
        call: the call that gives the set.
        parts: the quantities, by the name of what each is about.
        unit: how to read the values.
        source: what they were computed from, in words.
    """

    call: str
    parts: tuple[tuple[str, Quantity], ...]
    unit: Unit
    source: str

    def defined(self) -> tuple[tuple[str, float], ...]:
        """Return the parts that have a value."""
        return tuple((name, part.value) for name, part in self.parts if part.value is not None)
