"""Randomized response: channels, their exact privacy, and estimates with intervals.

A library in its own right: no web, no clock, no hidden randomness; `load_bundle` alone reads a file.

Modules say `from randomized_response import _scipy as scipy`: a part is loaded when it is first named, and a process
that never estimates loads none and needs none.
"""

from randomized_response import plan
from randomized_response.bundle import Bundle, load_bundle
from randomized_response.calibration import CalibratedWeights, calibrate, trim_weights
from randomized_response.categorical import CategoricalFit, categorical_regression
from randomized_response.change import (
    ChangeEstimate,
    change_of_means,
    change_of_shares,
    noise_covariance,
    noise_of_answers,
)
from randomized_response.channel import Channel
from randomized_response.comparison import Comparison, compare
from randomized_response.corrected import CorrectedFit, corrected_regression
from randomized_response.correlation import CorrelationEstimate, correlation
from randomized_response.crosswise_checks import (
    AnchoredEstimate,
    ExtendedCrosswiseEstimate,
    anchored_crosswise,
    extended_crosswise,
)
from randomized_response.encodings import EachOption, SubsetSelection, UnaryEncoding
from randomized_response.errors import ParameterError
from randomized_response.estimation import estimate_proportions
from randomized_response.formulas import ModelMatrix, model_matrix
from randomized_response.frames import PrevalenceEstimate, prevalence
from randomized_response.items import ItemsEstimate, estimate_items
from randomized_response.joint import ConditionalEstimate, JointEstimate, estimate_joint
from randomized_response.linear import LinearFit, linear_regression
from randomized_response.margins import PredictiveMargins, predictive_margins
from randomized_response.means import MeanEstimate, estimate_mean, mean_of_shares
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
from randomized_response.multilevel import AreaEstimate, MultilevelFit, multilevel_regression
from randomized_response.power import PowerEstimate, regression_power
from randomized_response.predictors import PredictorFit, predictor_regression
from randomized_response.privacy import (
    epsilon_total,
    exceeds_epsilon,
    false_reports_needed,
    poisoning_bound,
    poisoning_bound_of_mean,
    posterior,
)
from randomized_response.questions import Question, question_of
from randomized_response.regression import LogisticFit, logistic_regression
from randomized_response.replicates import bootstrap_weights, jackknife_weights
from randomized_response.results import ProportionEstimate
from randomized_response.sampling import draw_ticket, read_ticket, simulate
from randomized_response.sequences import (
    ConfidenceSequence,
    confidence_sequence,
    errors_at_every_look,
    mean_at_every_look,
    shares_at_every_look,
)
from randomized_response.shuffling import ShuffleAmplification, shuffle_amplification
from randomized_response.simultaneous import simultaneous_level
from randomized_response.strata import collapse_strata, combine_means, combine_strata
from randomized_response.tallies import tally
from randomized_response.totals import TotalEstimate, estimate_total
from randomized_response.two_arms import (
    CheaterEstimate,
    LieDetectorEstimate,
    UnknownPrevalenceEstimate,
    cheater_channel,
    cheater_detection,
    stochastic_lie_detector,
    unknown_prevalence,
)
from randomized_response.unrelated import UnknownPrevalenceFit, unknown_prevalence_regression
from randomized_response.validity import (
    BoundedEstimate,
    RandomAnswerCurve,
    nonresponse_bounds,
    random_answer_curve,
    without_random_answers,
)
from randomized_response.weighted import estimate_weighted
from randomized_response.weighted_cells import combine_weighted, combine_weighted_means, weighted_covariance
from randomized_response.weighted_tables import weighted_joint

__version__ = "0.1.0"

__all__ = [
    "AnchoredEstimate", "AreaEstimate", "BoundedEstimate", "Bundle", "CalibratedWeights", "CategoricalFit",
    "ChangeEstimate", "Channel", "CheaterEstimate", "Comparison", "ConditionalEstimate", "ConfidenceSequence",
    "CorrectedFit", "CorrelationEstimate", "EachOption", "ExtendedCrosswiseEstimate", "ItemsEstimate", "JointEstimate",
    "LieDetectorEstimate", "LinearFit", "LogisticFit", "MeanEstimate", "ModelMatrix", "MultilevelFit",
    "ParameterError", "PowerEstimate", "PredictiveMargins", "PredictorFit", "PrevalenceEstimate",
    "ProportionEstimate", "Question",
    "RandomAnswerCurve", "ShuffleAmplification", "SubsetSelection", "TotalEstimate", "UnaryEncoding",
    "UnknownPrevalenceEstimate", "UnknownPrevalenceFit", "anchored_crosswise", "bootstrap_weights", "calibrate",
    "categorical_regression", "change_of_means", "change_of_shares", "cheater_channel", "cheater_detection",
    "collapse_strata", "combine_means", "combine_strata", "combine_weighted", "combine_weighted_means",
    "compare", "confidence_sequence", "corrected_regression", "correlation",
    "crosswise", "custom", "discrete_laplace", "draw_ticket", "epsilon_total", "errors_at_every_look",
    "estimate_items", "estimate_joint", "estimate_mean", "estimate_proportions", "estimate_total",
    "estimate_weighted", "exceeds_epsilon", "extended_crosswise", "false_reports_needed", "forced_response",
    "jackknife_weights", "k_ary", "kuk", "linear_regression", "load_bundle", "logistic_regression",
    "mean_at_every_look", "mean_of_shares", "model_matrix", "multilevel_regression", "noise_covariance",
    "noise_of_answers", "nonresponse_bounds", "one_bit", "plan", "poisoning_bound", "poisoning_bound_of_mean",
    "posterior", "predictive_margins", "predictor_regression", "prevalence", "question_of", "random_answer_curve",
    "read_ticket", "regression_power", "shares_at_every_look", "shuffle_amplification", "simulate",
    "simultaneous_level", "stochastic_lie_detector", "tally", "triangular", "trim_weights", "unknown_prevalence",
    "unknown_prevalence_regression",
    "unrelated_question", "warner", "weighted_covariance", "weighted_joint", "without_random_answers",
]  # fmt: skip
