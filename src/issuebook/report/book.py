"""The book of quantities: evaluates calls, once each, and remembers which were asked for."""

from __future__ import annotations

from dataclasses import replace

from issuebook.errors import ExpressionError, Fault
from issuebook.model.estimate import Estimate
from issuebook.model.quantity import Quantity, QuantitySet
from issuebook.report.expressions import Call, Literal, call, check
from issuebook.report.facts import Facts
from issuebook.report.quantities import OF_RATINGS, QUANTITIES


class Book:
    """Quantities of one study, evaluated on demand from its facts."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._known: dict[Call, Quantity | QuantitySet] = {}

    def evaluate(self, asked: Call) -> Quantity | QuantitySet:
        """Return what a call gives.

        Raises:
            ExpressionError: no such quantity, arguments that do not fit, or a code, project or level that the study
                does not have.
        """
        if asked not in self._known:
            check(asked, QUANTITIES)
            self._known[asked] = _named(self._computed(asked), asked)
        return self._known[asked]

    def _computed(self, asked: Call) -> Quantity | QuantitySet:
        if self.facts.unrated and asked.name in OF_RATINGS:
            return Quantity("", Estimate.missing(self.facts.unrated), "count", None, "ratings")
        return QUANTITIES[asked.name](self.facts, *asked.args, **dict(asked.kwargs))

    def one(self, name: str, *args: Literal, **kwargs: Literal | None) -> Quantity:
        """Return a single quantity by name and arguments (None is left out)."""
        found = self.evaluate(call(name, *args, **kwargs))
        if isinstance(found, QuantitySet):
            raise ExpressionError(Fault("expression", f"{found.call} gives several values, not one."))
        return found

    def many(self, name: str, *args: Literal, **kwargs: Literal | None) -> QuantitySet:
        """Return a set of quantities by name and arguments (None is left out)."""
        found = self.evaluate(call(name, *args, **kwargs))
        return found if isinstance(found, QuantitySet) else QuantitySet(found.call, (("", found),), found.unit, "")

    def asked(self) -> tuple[Quantity | QuantitySet, ...]:
        """Return everything evaluated so far, in the order of first asking."""
        return tuple(self._known.values())


def _named(found: Quantity | QuantitySet, asked: Call) -> Quantity | QuantitySet:
    if isinstance(found, Quantity):
        return replace(found, call=str(asked))
    parts = tuple((name, replace(part, call=f"{asked}[{name}]")) for name, part in found.parts)
    return replace(found, call=str(asked), parts=parts)
