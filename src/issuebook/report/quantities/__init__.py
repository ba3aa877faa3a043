"""The registered quantities: every number that a report shows or a claim can ask for.

Each is a function of the facts and of literal text arguments, and returns a :class:`Quantity` or
:class:`QuantitySet`. ``QUANTITIES`` is the registry; a :class:`Book` evaluates calls and remembers which were asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from issuebook.model.quantity import Quantity, QuantitySet
from issuebook.report.quantities import agreement, audit, codebook, comparison, corpus, crossing, screening, shares

QUANTITIES: Mapping[str, Callable[..., Quantity | QuantitySet]] = MappingProxyType(
    {
        function.__name__: function
        for function in (
            corpus.rows,
            corpus.rows_read,
            corpus.kept_rows,
            corpus.excluded_rows,
            corpus.quarantined_rows,
            corpus.quarantined_cells,
            corpus.reports,
            corpus.repeated_reports,
            corpus.projects,
            corpus.annotators,
            corpus.ties,
            corpus.changed_by_final,
            corpus.interviews,
            shares.count,
            shares.share,
            shares.distribution,
            crossing.crossed,
            crossing.crossed_share,
            crossing.crossed_v,
            codebook.codes,
            codebook.keywords,
            screening.reports_read,
            screening.duplicates,
            screening.screened_reports,
            screening.excluded_reports,
            screening.quarantined_reports,
            screening.report_rows,
            screening.hits,
            screening.hit_nowhere_else,
            screening.only_by,
            screening.relevant_hits,
            screening.labelled_hits,
            screening.labelled_without_hit,
            screening.by_environment,
            screening.reports_by_environment,
            screening.spot_check_precision,
            screening.spot_check_missed,
            screening.spot_check_recall,
            screening.known_recall,
            agreement.fleiss_kappa,
            agreement.krippendorff_alpha,
            agreement.gwet_ac1,
            agreement.percent_agreement,
            agreement.agreement_units,
            agreement.ratings,
            comparison.cramers_v,
            comparison.bergsma_v,
            comparison.total_variation,
            comparison.chi_square,
            comparison.share_difference,
            comparison.compared_share,
            comparison.adjusted_p,
            agreement.confusion,
            audit.audit_flags,
            audit.audit_effect,
            audit.audit_observed,
            audit.audit_expected,
            audit.audit_p,
            audit.dissents,
        )
    }
)

OF_RATINGS = frozenset(
    name
    for name, function in QUANTITIES.items()
    if function.__module__ in {part.__name__ for part in (agreement, audit, comparison, crossing, shares)}
    or (function.__module__ == corpus.__name__ and function is not corpus.interviews)
    or function in (screening.labelled_hits, screening.labelled_without_hit, screening.by_environment)
)
"""The quantities that are computed from ratings, so that they are undefined until there are some."""
