"""Inter-annotator agreement: coefficients with errors over units and annotators, per code, per pair, per unit."""

from issuebook.stats.agreement.bootstrap import Bootstrap
from issuebook.stats.agreement.calculation import agree, agreement_of_counts
from issuebook.stats.agreement.krippendorff import alpha_of_sets, hierarchical_alpha, krippendorff_alpha
from issuebook.stats.agreement.pairs import Pair, cohen_kappa, confusion, pairs
from issuebook.stats.agreement.per_unit import per_unit
from issuebook.stats.agreement.report import Agreement, CodeAgreement, prevalence_note
from issuebook.stats.agreement.weights import Metric, Weighting, masi_distance, tree_weights, weights_of_disagreement

__all__ = [
    "Agreement",
    "Bootstrap",
    "CodeAgreement",
    "Metric",
    "Pair",
    "Weighting",
    "agree",
    "agreement_of_counts",
    "alpha_of_sets",
    "cohen_kappa",
    "confusion",
    "hierarchical_alpha",
    "krippendorff_alpha",
    "masi_distance",
    "pairs",
    "per_unit",
    "prevalence_note",
    "tree_weights",
    "weights_of_disagreement",
]
