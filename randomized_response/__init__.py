"""Randomized response: channels, their exact privacy, and estimates with intervals.

A library in its own right: no web, no clock, no input or output, no hidden randomness.
"""

from randomized_response.channel import Channel
from randomized_response.estimation import combine_strata, estimate_proportions
from randomized_response.mechanisms import custom, forced_response, k_ary, warner
from randomized_response.privacy import epsilon_total, poisoning_bound, posterior
from randomized_response.results import ProportionEstimate
from randomized_response.sampling import draw_ticket, read_ticket, simulate

__version__ = "0.1.0"

__all__ = [
    "Channel",
    "ProportionEstimate",
    "combine_strata",
    "custom",
    "draw_ticket",
    "epsilon_total",
    "estimate_proportions",
    "forced_response",
    "k_ary",
    "poisoning_bound",
    "posterior",
    "read_ticket",
    "simulate",
    "warner",
]
