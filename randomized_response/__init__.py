"""Randomized response: channels, their exact privacy, and estimates with intervals.

A library in its own right: no web, no clock, no input or output, no hidden randomness.
"""

from randomized_response import plan
from randomized_response.channel import Channel
from randomized_response.comparison import Comparison, compare
from randomized_response.encodings import EachOption, SubsetSelection, UnaryEncoding
from randomized_response.estimation import estimate_proportions
from randomized_response.means import MeanEstimate, estimate_mean
from randomized_response.mechanisms import (
    crosswise,
    custom,
    discrete_laplace,
    forced_response,
    k_ary,
    kuk,
    one_bit,
    triangular,
    unrelated_question,
    warner,
)
from randomized_response.privacy import epsilon_total, false_reports_needed, poisoning_bound, posterior
from randomized_response.results import ProportionEstimate
from randomized_response.sampling import draw_ticket, read_ticket, simulate
from randomized_response.sequences import ConfidenceSequence, confidence_sequence
from randomized_response.shuffling import ShuffleAmplification, shuffle_amplification
from randomized_response.strata import combine_strata
from randomized_response.tallies import tally

__version__ = "0.1.0"

__all__ = [
    "Channel",
    "Comparison",
    "ConfidenceSequence",
    "EachOption",
    "MeanEstimate",
    "ProportionEstimate",
    "ShuffleAmplification",
    "SubsetSelection",
    "UnaryEncoding",
    "combine_strata",
    "compare",
    "confidence_sequence",
    "crosswise",
    "custom",
    "discrete_laplace",
    "draw_ticket",
    "epsilon_total",
    "estimate_mean",
    "estimate_proportions",
    "false_reports_needed",
    "forced_response",
    "k_ary",
    "kuk",
    "one_bit",
    "plan",
    "poisoning_bound",
    "posterior",
    "read_ticket",
    "shuffle_amplification",
    "simulate",
    "tally",
    "triangular",
    "unrelated_question",
    "warner",
]
