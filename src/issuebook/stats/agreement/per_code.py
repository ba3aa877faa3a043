"""Agreement on each code by itself: Fleiss' kappa of "this code" against "another"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from issuebook.model.estimate import Estimate
from issuebook.stats.agreement.estimates import corrected_estimate, fleiss, why_no_pairs
from issuebook.stats.agreement.patterns import Patterns
from issuebook.stats.agreement.report import CodeAgreement
from issuebook.stats.agreement.totals import Totals, unit_agreement


def per_code(patterns: Patterns, totals: Totals, categories: Sequence[str], level: float) -> dict[str, CodeAgreement]:
    """Return each declared code's kappa (Fleiss 1971, category-wise), its number of ratings and its mean share.

    With equal numbers of ratings this is Fleiss' 1 - sum n_i (m - n_i) / (N m (m - 1) p (1 - p)). A code never given,
    or always given, has no kappa. The kappas of rare codes are low even when the code is given with care.
    """
    reason = why_no_pairs(totals)
    shares = totals.shares
    found = {}
    for category, code in enumerate(categories):
        given = patterns.count_of(category)
        count = int(patterns.multiplicity @ given)
        if reason is not None or count == 0:
            kappa = Estimate.missing(reason or "no rating gives this code")
        else:
            kappa = _kappa_of(patterns, category, float(shares[category]), level)
        found[code] = CodeAgreement(kappa, count, float(shares[category]))
    return found


def _kappa_of(patterns: Patterns, category: int, share: float, level: float) -> Estimate:
    """Return the kappa of one code: the patterns are read with two codes, 0 the others and 1 this one."""
    lookup = np.zeros(patterns.n_categories + 1, dtype=np.int32)
    lookup[category] = 1
    lookup[-1] = -1  # MISSING picks the last entry
    binary = Patterns(lookup[patterns.codes], patterns.multiplicity, patterns.of_unit, 2)
    agree = np.eye(2)
    chance = fleiss(np.array([1.0 - share, share]), agree)
    return corrected_estimate(binary, unit_agreement(binary, agree), chance, level)
