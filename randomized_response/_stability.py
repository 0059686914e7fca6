"""Bounds on the number of respondents with unchanged answers between two waves, from both estimates."""

import numpy as np
from numpy.typing import ArrayLike

from randomized_response._checks import as_count
from randomized_response.channel import Channel
from randomized_response.encodings import EachOption
from randomized_response.questions import Mechanism
from randomized_response.results import ProportionEstimate, Vector


def bounds(first: ProportionEstimate, second: ProportionEstimate, m: int, *, several: bool) -> tuple[Vector, Vector]:
    """The minimum and maximum of m who may have kept each answer, given the estimated numbers.

    Of shape (k, 1); of several options (2, k), for an option that is not ticked and for one that is.
    """
    shares = [first.constrained, second.constrained]
    one, two = (np.array([1 - share, share]) if several else share[:, None] for share in shares)
    fewest: Vector = np.maximum(m - first.n * (1 - one) - second.n * (1 - two), 0.0)
    return fewest, np.minimum(np.minimum(first.n * one, second.n * two), float(m))


def largest(most: Vector, worth: Vector, m: int) -> Vector:
    """The largest sum of worth over at most m respondents, of whom at most `most` kept each answer."""
    counts = np.broadcast_to(most, worth.shape)
    order = np.argsort(-worth, axis=0)
    left = np.cumsum(np.take_along_axis(counts, order, axis=0), axis=0)
    taken = np.diff(np.minimum(left, m), axis=0, prepend=0.0)
    return np.asarray((taken * np.take_along_axis(worth, order, axis=0)).sum(axis=0))


def as_returned(returned: int | None, *sizes: int) -> int:
    return 0 if returned is None else as_count(returned, name="returned", high=min(sizes))


def as_stayed(stayed: ArrayLike, mechanism: Mechanism, most: int) -> Vector:
    """Validate numbers of unchanged answers: shape (k, 1), for options (2, k); at most `most` in all."""
    several = isinstance(mechanism, EachOption)
    k = mechanism.answers if isinstance(mechanism, Channel) else mechanism.k
    counts = np.asarray(stayed, dtype=np.float64)
    if counts.shape != ((2, k) if several else (k,)):
        raise ValueError(f"stayed must be of shape {(2, k) if several else (k,)}; got {counts.shape}")
    if not np.all((counts >= 0) & (counts == np.floor(counts))):
        raise ValueError(f"stayed must be whole numbers of at least 0; got {counts.tolist()}")
    if counts.sum(axis=0).max() > most:
        raise ValueError(f"stayed must be at most the {most} who can have; got {counts.sum(axis=0).max():.0f}")
    return counts if several else counts[:, None]
