"""Randomized response: channels, their exact privacy, and estimates with intervals.

A library in its own right: no web, no clock, no input or output, no hidden randomness.
"""

from randomized_response.channel import Channel
from randomized_response.mechanisms import custom, forced_response, k_ary, warner

__all__ = ["Channel", "custom", "forced_response", "k_ary", "warner"]
