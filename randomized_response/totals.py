"""Totals and means of answers from samples drawn with unequal probabilities, in strata or clusters."""

from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._checks import as_level
from randomized_response._diagnostics import Diagnostic
from randomized_response._labels import matched
from randomized_response._rows import Missing
from randomized_response.channel import Channel
from randomized_response.results import Result, answer_table

Floats = NDArray[np.float64]
Target = Literal["total", "mean"]
Estimator = Literal["horvitz_thompson", "hajek"]

_FITTING = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class TotalEstimate(Result):
    """Totals (or means) of the k answers in the population. Made by `estimate_total`.

    Attributes
    ----------
    unbiased : array (k,)
        How many people (or what share of them) give each answer; may leave the possible range. Index 1 is yes.
    constrained : array (k,)
        `unbiased` brought into [0, size of the population] or [0, 1], entry by entry. The one to show.
    standard_error, covariance : array (k,), array (k, k)
        Of `unbiased`, sampling and coin together. NaN where the estimated variance is negative or not defined.
    noise_standard_error : array (k,)
        The coin's part alone.
    low, high : array (k,)
        Wald interval (of clusters with Student's t) brought into the same range as `constrained`, which it contains;
        the whole range where there is no standard error.
    n, population_size, estimated_size : int, float or None, float
        Reports used; the given size of the population; the sum of 1 / inclusion probability.
    variance : str
        The variance estimator: "deville", "deville by strata", "clusters" or "clusters by strata".
    degrees_of_freedom : int or None
        Of Student's t in the intervals: clusters less strata. None without clusters: normal intervals.
    diagnostics : tuple of Diagnostic
        "weights" where a Horvitz-Thompson estimate rests on an `estimated_size` more than 1 % off `population_size`:
        its shares sum to the one by the other, not to 1. Empty if not.
    """

    unbiased: Floats
    constrained: Floats
    standard_error: Floats
    covariance: Floats
    noise_standard_error: Floats
    low: Floats
    high: Floats
    n: int
    dropped: int
    target: Target
    estimator: Estimator
    population_size: float | None
    estimated_size: float
    variance: str
    degrees_of_freedom: int | None
    confidence: float
    diagnostics: tuple[Diagnostic, ...]

    def __str__(self) -> str:
        head = f"{self.target} of each answer, {self.n} reports, {self.estimator}, variance: {self.variance}"
        columns = {"estimate": "14.6g", "std. error": "12.6g", "low": "14.6g", "high": "14.6g"}
        values = (self.constrained, self.standard_error, self.low, self.high)
        return "\n".join([head, *answer_table(columns, *values, gap=" "), *(f"! {each}" for each in self.diagnostics)])

    __repr__ = __str__


def estimate_total(
    reports: ArrayLike,
    channel: Channel,
    inclusion_probabilities: ArrayLike,
    population_size: float | None = None,
    target: Target = "total",
    strata: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    *,
    estimator: Estimator = "horvitz_thompson",
    confidence: float = 0.95,
    missing: Missing = "error",
) -> TotalEstimate:
    """Estimate population totals of the answers from a probability sample of randomized reports.

    Model: person i is in the sample with probability pi_i, known and positive, and reports through the channel. With
    r_i = B[:, y_i] the unbiased transform of the report (E[r_i] = 1 at i's answer, 0 elsewhere),

        total = sum r_i / pi_i (Horvitz-Thompson)        total = N sum(r_i / pi_i) / sum(1 / pi_i) (Hajek)

    and a mean is a total divided by N. Hajek's is the better one where sample sizes or weights vary.

    Parameters
    ----------
    reports : array of shape (n,)
        Symbols from 0 to the number of reports less 1. Pandas' objects, here and in what follows, are matched by their
        index; where that cannot be done they are refused.
    channel : Channel
        Any number k of answers with linearly independent rows.
    inclusion_probabilities : array of shape (n,), or one number
        In (0, 1]: of the person, through every stage of the sampling.
    population_size : float, optional
        N, at least n. Needed for a Horvitz-Thompson mean and for a Hajek total. Where the inclusion probabilities do
        not add up to it, `diagnostics` says so.
    target : {"total", "mean"}
        People, or their share.
    strata : array of shape (n,), optional
        Labels; samples of different strata are independent, so their variances add.
    clusters : array of shape (n,), optional
        Labels of the units of the first stage; one label in two strata is two clusters.
    estimator : {"horvitz_thompson", "hajek"}
        As above.
    confidence : float
        Level of the intervals, in (0, 1).
    missing : {"error", "drop"}
        Whether a NaN among the reports is an error or leaves its person out (who then counts as not sampled).

    Returns
    -------
    TotalEstimate

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    Without clusters the variance is Deville's (1993) for fixed-size sampling without replacement and high entropy,
    which needs no joint probabilities, applied to r in each stratum, plus the coin's part that it does not see:

        v = sum_i (1 - pi_i) (r_i / pi_i - A)^2 / (1 - sum_i a_i^2) + sum_i (r_i r_i^T - diag r_i) / pi_i,
        a_i = (1 - pi_i) / sum_j (1 - pi_j),    A = sum_i a_i r_i / pi_i

    (Arnab 1994; Chaudhuri 2011; RRTCS does the same). It equals the textbook variance under simple random sampling.
    With clusters it is the variance of m cluster totals t_c per stratum, m / (m - 1) sum (t_c - mean t)^2 (Hansen,
    Hurwitz & Madow 1953): it holds the coin's part already, takes clusters as drawn with replacement, and so is too
    large, not too small, where a large part of them was drawn. For Hajek's estimator r is replaced by r - mean
    (Saerndal, Swensson & Wretman 1992, result 5.7.1): that is the variance of a ratio, whether N is given or not. Where
    everybody is asked (pi = 1) only the coin's part is left. Systematic sampling makes it unreliable.

    A variance of few cluster totals is itself uncertain: intervals of clusters are Student's t with as many degrees of
    freedom as clusters less strata (Korn & Graubard 1990), exact for one stratum of normal totals. Four clusters of 25
    by two coins cover .958 so (simulated), and .860 by the normal quantile.

    References
    ----------
    Arnab, R. (1994). Non-negative variance estimator in randomized response surveys. Commun. Stat. Theory 23,
    1743-1752. Chaudhuri, A. (2011). Randomized response and indirect questioning techniques in surveys. CRC.
    Deville, J.-C. (1993). Estimation de la variance pour les enquetes en deux phases. INSEE. Deville, J.-C. & Tille, Y.
    (2005). Variance approximation under balanced sampling. JSPI 128, 569-591. Cobo, B., Rueda, M. & Arcos, A. (2021).
    RRTCS: randomized response techniques for complex surveys, version 0.0.4, CRAN. Korn, E. L. & Graubard, B. I.
    (1990). Simultaneous testing of regression coefficients with complex survey data. American Statistician 44, 270-276.

    Examples
    --------
    1000 of 10,000 people, each with the same probability, 400 of them reporting yes with two coins: 30 % of all.

    >>> from randomized_response import forced_response
    >>> t = estimate_total([1] * 400 + [0] * 600, forced_response(truth="1/2"), 0.1, population_size=10_000)
    >>> t.unbiased.round(6), t.standard_error.round(2)
    (array([7000., 3000.]), array([306.57, 306.57]))
    """
    level = as_level(confidence)
    reports, inclusion_probabilities, strata, clusters = matched(
        reports=reports, inclusion_probabilities=inclusion_probabilities, strata=strata, clusters=clusters
    )
    codes = _read_reports(reports, channel)
    chances = _read_chances(inclusion_probabilities, codes.size)
    parts = [_read_labels(labels, name, codes.size) for name, labels in (("strata", strata), ("clusters", clusters))]
    keep = _answered(codes, missing)
    size = _read_size(population_size, target, estimator, int(keep.sum()))
    unbiased = channel.left_inverse.T[codes[keep].astype(np.intp)]
    estimate, scale, shift = _point(unbiased, chances[keep], size, target, estimator)
    stratum, cluster = (part[keep] for part in parts)
    freedom = None if clusters is None else _degrees_of_freedom(stratum, cluster)
    drawn = None if clusters is None else cluster
    covariance, noise = _covariances(unbiased, shift, scale, chances[keep], stratum, drawn)
    estimated = float((1 / chances[keep]).sum())
    method = ("deville" if clusters is None else "clusters") + ("" if strata is None else " by strata")
    warnings = _diagnose(estimated, size) if estimator == "horvitz_thompson" else ()
    error, top = _root(covariance), 1.0 if target == "mean" else (size or estimated)
    reach = np.where(np.isnan(error), np.inf, _quantile(level, freedom) * error)
    low, high = (np.clip(estimate + side * reach, 0.0, top) for side in (-1, 1))
    return TotalEstimate(
        estimate, np.clip(estimate, 0.0, top), error, covariance, _root(noise), low, high,
        int(keep.sum()), int(codes.size - keep.sum()), target, estimator, population_size, estimated, method, freedom,
        level, warnings,
    )  # fmt: skip


def _diagnose(estimated: float, size: float | None) -> tuple[Diagnostic, ...]:
    """Check that the weights, 1 / inclusion probability, sum to the stated population size."""
    if size is None or abs(estimated / size - 1) <= _FITTING:
        return ()
    sums = f"the sum of 1 / inclusion_probabilities is {estimated:.6g} and not population_size, {size:.6g}"
    meaning = f"all shares together come to {estimated / size:.4g} of it instead of 1"
    return (Diagnostic("weights", f'{sums}: {meaning}; estimator="hajek" does not depend on it'),)


def _point(
    unbiased: Floats, chances: Floats, size: float | None, target: Target, estimator: Estimator
) -> tuple[Floats, float, Floats]:
    """The estimate, its factor from a sum over the sample, and the term subtracted from r in its variance."""
    weights = 1 / chances
    total = weights @ unbiased
    if estimator == "hajek":
        mean = total / weights.sum()
        whole = 1.0 if target == "mean" or size is None else size
        return mean * whole, whole / float(weights.sum()), mean
    scale = 1 / size if target == "mean" and size is not None else 1.0
    return total * scale, scale, np.zeros(unbiased.shape[1])


def _covariances(
    unbiased: Floats,
    shift: Floats,
    scale: float,
    chances: Floats,
    stratum: NDArray[np.intp],
    cluster: NDArray[np.intp] | None,
) -> tuple[Floats, Floats]:
    """The covariance of the estimate, and the coin's part of it."""
    noise = scale**2 * _coin_part(unbiased, chances)
    around = unbiased - shift
    if cluster is None:
        return scale**2 * _deville(around, chances, stratum) + noise, noise
    return scale**2 * _between_clusters(around / chances[:, None], stratum, cluster), noise


def _coin_part(unbiased: Floats, chances: Floats) -> Floats:
    """Unbiased estimate of the draws' variance: E[r r' | answer] is the covariance plus the diagonal of E[r]."""
    weights = 1 / chances
    return np.asarray((unbiased * weights[:, None]).T @ unbiased - np.diag(weights @ unbiased))


def _deville(unbiased: Floats, chances: Floats, stratum: NDArray[np.intp]) -> Floats:
    """The sampling part by Deville's (1993) estimator, summed over strata."""
    total = np.zeros((unbiased.shape[1], unbiased.shape[1]))
    for label in range(int(stratum.max()) + 1):
        here = stratum == label
        left = 1 - chances[here]
        if not here.any() or left.sum() == 0:
            continue
        shares = left / left.sum()
        lone = 1 - float(shares @ shares)
        if lone < 1e-12:
            return np.full_like(total, np.nan)
        expanded = unbiased[here] / chances[here][:, None]
        centred = expanded - shares @ expanded
        total += (centred * left[:, None]).T @ centred / lone
    return total


def _between_clusters(expanded: Floats, stratum: NDArray[np.intp], cluster: NDArray[np.intp]) -> Floats:
    """The variance of cluster totals, summed over strata; NaN where a stratum has one cluster."""
    total = np.zeros((expanded.shape[1], expanded.shape[1]))
    pairs, place = np.unique(np.column_stack([stratum, cluster]), axis=0, return_inverse=True)
    sums = np.zeros((len(pairs), expanded.shape[1]))
    np.add.at(sums, place.ravel(), expanded)
    for label in np.unique(pairs[:, 0]):
        here = sums[pairs[:, 0] == label]
        if len(here) < 2:
            return np.full_like(total, np.nan)
        centred = here - here.mean(axis=0)
        total += len(here) / (len(here) - 1) * centred.T @ centred
    return total


def _degrees_of_freedom(stratum: NDArray[np.intp], cluster: NDArray[np.intp]) -> int:
    """The number of clusters minus the number of strata."""
    return len(np.unique(np.column_stack([stratum, cluster]), axis=0)) - len(np.unique(stratum))


def _quantile(level: float, freedom: int | None) -> float:
    """The quantile of Student's t with clusters, otherwise of the normal distribution."""
    if freedom is None:
        return float(scipy.special.ndtri((1 + level) / 2))
    return float(scipy.special.stdtrit(freedom, (1 + level) / 2))


def _root(covariance: Floats) -> Floats:
    """Standard errors; NaN for a variance that was estimated as negative (rounding below zero counts as zero)."""
    variances = np.diag(covariance)
    tiny = 1e-12 * np.abs(covariance).max()
    return np.sqrt(np.where(variances < -tiny, np.nan, np.maximum(variances, 0.0)))


def _read_reports(reports: ArrayLike, channel: Channel) -> Floats:
    try:
        codes = np.asarray(reports, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"reports must be whole numbers from 0 to {channel.reports - 1}; {error}") from None
    if codes.ndim != 1 or codes.size == 0:
        raise ValueError(f"reports must have one dimension and at least 1 entry; got shape {codes.shape}")
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero(~np.isnan(codes) & ~((codes >= 0) & (codes < channel.reports) & (codes % 1 == 0)))
    if wrong.size:
        i = wrong[0]
        raise ValueError(f"reports[{i}] must be a whole number from 0 to {channel.reports - 1}; got {codes[i]:g}")
    return codes


def _answered(codes: Floats, missing: Missing) -> NDArray[np.bool_]:
    if missing not in ("error", "drop"):
        raise ValueError(f'missing must be "error" or "drop"; got {missing!r}')
    gaps = np.isnan(codes)
    if gaps.any() and missing == "error":
        raise ValueError(f'reports[{np.argmax(gaps)}] must be a whole number, or missing="drop" chosen; got nan')
    if gaps.all():
        raise ValueError(f"reports must hold at least 1 that is not missing; got 0 of {codes.size}")
    return np.asarray(~gaps)


def _read_chances(inclusion_probabilities: ArrayLike, n: int) -> Floats:
    given = np.asarray(inclusion_probabilities, dtype=np.float64)
    if given.shape not in ((), (n,)):
        raise ValueError(f"inclusion_probabilities must be one number or of shape ({n},); got shape {given.shape}")
    chances = np.broadcast_to(given, (n,))
    wrong = np.flatnonzero(~((chances > 0) & (chances <= 1)))
    if wrong.size:
        i = wrong[0]
        raise ValueError(f"inclusion_probabilities[{i}] must be greater than 0 and at most 1; got {chances[i]}")
    return chances


def _read_labels(labels: ArrayLike | None, name: str, n: int) -> NDArray[np.intp]:
    if labels is None:
        return np.zeros(n, dtype=np.intp)
    given = np.asarray(labels)
    if given.shape != (n,):
        raise ValueError(f"{name} must have one label per report, shape ({n},); got shape {given.shape}")
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise ValueError(f"{name}[{np.argmax(np.isnan(given))}] must be a label; got nan")
    return np.asarray(np.unique(given, return_inverse=True)[1], dtype=np.intp).ravel()


def _read_size(population_size: float | None, target: Target, estimator: Estimator, n: int) -> float | None:
    if target not in ("total", "mean"):
        raise ValueError(f'target must be "total" or "mean"; got {target!r}')
    if estimator not in ("horvitz_thompson", "hajek"):
        raise ValueError(f'estimator must be "horvitz_thompson" or "hajek"; got {estimator!r}')
    if population_size is None:
        if (target == "mean") == (estimator == "horvitz_thompson"):
            raise ValueError(f"population_size must be given for the {estimator} {target}; got None")
        return None
    size = float(population_size)
    if not isfinite(size) or size < n:
        raise ValueError(f"population_size must be finite and at least the number of reports, {n}; got {size}")
    return size
