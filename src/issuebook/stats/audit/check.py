"""What a check asks, and what it found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Subject = Literal["independence", "shape", "order"]
"""What a check can speak for. ``independence``: annotators judged each unit for themselves; only these count toward a
flag. ``shape``: errors as even as a simple random model draws them, which independent annotators may also make.
``order``: columns or rows that are sorted, which has plain reasons.
"""


@dataclass(frozen=True, slots=True)
class CheckDesign:
    """The part of a check that is fixed before any data are seen.

    Attributes:
        id: short name, e.g. ``C1``.
        title: a few words.
        question: what the check asks.
        subject: what its answer can speak for.
        null_model: the model that the expectation and the p-value come from.
        statistic: what ``observed`` is.
        shows: the same as a phrase with ``{}`` for the value, to follow "the labels show".
        effect: what the effect size is.
        threshold: the effect size from which the check exceeds.
        beyond: the side of the threshold on which it exceeds.
        harmless: explanations that have nothing to do with how annotators worked, or that are good practice.
    """

    id: str
    title: str
    question: str
    subject: Subject
    null_model: str
    statistic: str
    shows: str
    effect: str
    threshold: float
    beyond: Literal["below", "above"]
    harmless: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a model expects of the statistic, with a 95 % interval where there is one."""

    model: str
    value: float
    source: Literal["analytic", "simulated"]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """One more number of a check, for the reader: what, where (a project, theme or annotator; empty for all), value."""

    what: str
    value: float
    where: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A check with its result, or the reason why it cannot be run.

    Attributes:
        design: what was asked.
        observed: the statistic.
        expected: what each null model expects; the first decides.
        effect: the effect size.
        log10_p: logarithm of the p-value, which may be too small for a float.
        figures: further numbers.
        not_applicable: why the check cannot be run on these data; everything above is then empty.
        adjusted_p: p-value after Holm across the checks of one audit.
        exceeded: whether the effect is beyond its threshold and the adjusted p-value below the level.
    """

    design: CheckDesign
    observed: float | None = None
    expected: tuple[Expectation, ...] = ()
    effect: float | None = None
    log10_p: float | None = None
    figures: tuple[Figure, ...] = ()
    not_applicable: str | None = None
    adjusted_p: float | None = None
    exceeded: bool = False

    @property
    def id(self) -> str:
        """The design's id."""
        return self.design.id

    @property
    def p(self) -> float | None:
        """The p-value; 0 where it is too small for a float (see ``log10_p``)."""
        return None if self.log10_p is None else min(1.0, 10.0**self.log10_p)

    @property
    def beyond_threshold(self) -> bool:
        """Whether the effect is beyond its threshold, significant or not."""
        if self.effect is None:
            return False
        below = self.design.beyond == "below"
        return self.effect < self.design.threshold if below else self.effect > self.design.threshold

    @property
    def wording(self) -> str:
        """The result in neutral words."""
        if self.observed is None or not self.expected:
            return f"Not applicable: {self.not_applicable}."
        first = self.expected[0]
        interval = f" [{first.low:.4g}, {first.high:.4g}]" if first.low is not None and first.high is not None else ""
        shown = (
            f"The labels show {self.design.shows.format(f'{self.observed:.4g}')}; "
            f"under {first.model} we would expect {first.value:.4g}{interval}"
        )
        if not self.exceeded:
            return f"{shown}. The difference is not beyond what this check takes as notable."
        return f"{shown}; possible reasons include {'; '.join(self.design.harmless)}. The data alone cannot tell which."

    def as_dict(self) -> dict[str, object]:
        """Return everything as a plain mapping, ready for JSON; the design's fields stand beside the result's."""
        fields = asdict(self)
        design = fields.pop("design")
        return {**design, **fields, "p": self.p, "wording": self.wording}

    def figure(self, what: str, where: str = "") -> float:
        """Return the value of one figure.

        Raises:
            KeyError: there is no such figure.
        """
        for figure in self.figures:
            if (figure.what, figure.where) == (what, where):
                return figure.value
        raise KeyError(what, where)


def not_applicable(design: CheckDesign, reason: str) -> Check:
    """Return the check with the reason why these data cannot carry it."""
    return Check(design, not_applicable=reason)
