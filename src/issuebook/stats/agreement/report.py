"""What a calculation of agreement found, and what to say when its coefficients seem to contradict each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from issuebook.model.estimate import Estimate


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """Agreement on one code against all others.

    Attributes:
        kappa: Fleiss' kappa of "this code" against "another", with its error over units.
        count: number of ratings that gave the code.
        share: mean over units of the share of their ratings that gave the code.
    """

    kappa: Estimate
    count: int
    share: float

    def as_dict(self) -> dict[str, object]:
        """Return the fields as a plain mapping, ready for JSON."""
        return {**self.kappa.as_dict(), "count": self.count, "share": self.share}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a set of ratings.

    Attributes:
        coefficients: percent, fleiss_kappa, krippendorff_alpha, gwet_ac1 (gwet_ac2 with weights), brennan_prediger,
            conger_kappa, and cohen_kappa for two annotators; standard error and interval over units.
        jackknife: the same values with standard error and interval over annotators, each left out once.
        bootstrap: percentile intervals over resampled units; empty unless asked for.
        leave_one_out: coefficient -> annotator -> value without that annotator (None where undefined).
        per_code: each declared code against all others.
        units: number of units, rated or not.
        annotators: number of annotators; for a table of counts the largest number of ratings of a unit.
        excluded_units: units with fewer than two ratings. No pair can be formed of them, so they add nothing to the
            observed agreement; a single rating still counts in the chance terms of Fleiss, Gwet and Conger, and is
            dropped by Krippendorff's alpha.
    """

    coefficients: Mapping[str, Estimate]
    jackknife: Mapping[str, Estimate]
    bootstrap: Mapping[str, Estimate]
    leave_one_out: Mapping[str, Mapping[str, float | None]]
    per_code: Mapping[str, CodeAgreement]
    units: int
    annotators: int
    excluded_units: int

    def as_dict(self) -> dict[str, object]:
        """Return nested plain mappings, ready for JSON; keys are the attributes' names."""
        return {
            "coefficients": {name: estimate.as_dict() for name, estimate in self.coefficients.items()},
            "jackknife": {name: estimate.as_dict() for name, estimate in self.jackknife.items()},
            "bootstrap": {name: estimate.as_dict() for name, estimate in self.bootstrap.items()},
            "leave_one_out": {name: dict(values) for name, values in self.leave_one_out.items()},
            "per_code": {code: agreement.as_dict() for code, agreement in self.per_code.items()},
            "units": self.units,
            "annotators": self.annotators,
            "excluded_units": self.excluded_units,
        }


def prevalence_note(agreement: Agreement) -> str | None:
    """Return what to tell a reader who sees high agreement beside a low kappa, or None when there is no such gap.

    The prevalence paradox (Feinstein and Cicchetti 1990): when nearly all ratings give one code, chance alone produces
    most of the agreement, and kappa is small or undefined however rarely annotators differ. Said when annotators agree
    on at least 80 % of pairs and Fleiss' kappa is undefined or 0.2 or more below Gwet's coefficient.
    """
    percent = agreement.coefficients["percent"].value
    kappa = agreement.coefficients["fleiss_kappa"].value
    gwet = agreement.coefficients.get("gwet_ac1", agreement.coefficients.get("gwet_ac2"))
    if percent is None or percent < 0.8 or not agreement.per_code:
        return None
    code, most = max(agreement.per_code.items(), key=lambda item: item[1].share)
    if kappa is None and most.share > 1.0 - 1e-9:
        return (
            f"Every rating is {code}. The annotators agree, but kappa and alpha compare with chance, and with one code "
            "in use chance agreement is already complete: they are undefined, not 0 and not 1."
        )
    if kappa is None or gwet is None or gwet.value is None or gwet.value - kappa < 0.2:
        return None
    return (
        f"Annotators agree on {percent:.1%} of pairs, yet Fleiss' kappa is {kappa:.2f} (Gwet's coefficient "
        f"{gwet.value:.2f}): {most.share:.1%} of the ratings are {code}, so chance agreement is high and kappa low. "
        "Report percent agreement, both coefficients and the agreement per code; no single one of them tells the story."
    )
