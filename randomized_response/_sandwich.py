"""The covariance of a maximum: the inverse of its curvature, or the sandwich of that with scores."""

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from randomized_response._newton import Climb
from randomized_response._rows import CovariateRows

Floats = NDArray[np.float64]
Covariance = Literal["observed", "robust", "cluster"]


class Scored(Protocol):
    """A likelihood whose rows have scores, unweighted, of shape (coefficients, n)."""

    def scores(self, at: Floats) -> Floats: ...


def covariance_at(sample: Scored, rows: CovariateRows, fit: Climb, information: Covariance) -> Floats:
    """The covariance at the top of a climb: "robust" is White's (1982), "cluster" that of Liang & Zeger (1986)."""
    bread = np.linalg.inv(fit.point.information)
    if information == "observed":
        return np.asarray(bread)
    scores = sample.scores(fit.point.at)
    if information == "robust":
        return np.asarray(bread @ (scores * rows.squared_weights) @ scores.T @ bread)
    assert rows.clusters is not None
    return np.asarray(bread @ between_clusters(scores * rows.weights, rows.clusters) @ bread)


def between_clusters(scores: Floats, clusters: NDArray[np.intp]) -> Floats:
    """The outer product of the clusters' scores, times G / (G - 1) for G of them."""
    sums = np.array([np.bincount(clusters, weights=one) for one in scores])
    groups = sums.shape[1]
    return np.asarray(groups / (groups - 1) * sums @ sums.T)
