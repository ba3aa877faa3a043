"""An estimated number with its uncertainty, or the reason why it has none."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic: a value with standard error and interval, or a reason why it is undefined.

    Exactly one of ``value`` and ``undefined`` is None: undefined is a value with a reason, never NaN.

    Attributes:
        value: the statistic, or None when it is undefined.
        se: standard error, or None when none is known.
        low: lower end of the interval at ``level``, or None.
        high: upper end of the interval at ``level``, or None.
        undefined: why there is no value, in words for the reader; None when there is one.
        level: confidence level of the interval, e.g. 0.95.
    """

    value: float | None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    undefined: str | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        if (self.value is None) == (self.undefined is None):
            raise ValueError("an Estimate has either a value or a reason why it is undefined")

    @classmethod
    def missing(cls, reason: str) -> Estimate:
        """Return an undefined estimate with its reason."""
        return cls(value=None, undefined=reason)

    def as_dict(self) -> dict[str, float | str | None]:
        """Return the fields as a plain mapping, ready for JSON."""
        return asdict(self)
