"""Inter-annotator agreement: coefficients with errors over units and annotators, per code, per pair, per unit."""

from issuebook.stats.agreement.bootstrap import Bootstrap
from issuebook.stats.agreement.calculation import agree, agreement_of_counts
from issuebook.stats.agreement.pairs import Pair, cohen_kappa, confusion, pairs
from issuebook.stats.agreement.report import Agreement, CodeAgreement, prevalence_note
from issuebook.stats.agreement.weights import masi_distance, tree_weights, weights_of_disagreement

__all__ = [
    "Agreement",
    "Bootstrap",
    "CodeAgreement",
    "Pair",
    "agree",
    "agreement_of_counts",
    "cohen_kappa",
    "confusion",
    "masi_distance",
    "pairs",
    "prevalence_note",
    "tree_weights",
    "weights_of_disagreement",
]
