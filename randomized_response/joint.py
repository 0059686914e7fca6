"""Joint estimation of two randomized questions: joint distribution, association, test of independence."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _scipy as scipy
from randomized_response._association_limits import LikelyTables
from randomized_response._checks import as_counts, as_level
from randomized_response._diagnostics import Diagnostic, LikelihoodRatio, WaldTest, likelihood_ratio
from randomized_response._labels import in_order
from randomized_response._limits import around, wald_limits
from randomized_response.channel import Channel
from randomized_response.constrained import interior_point, maximum_likelihood
from randomized_response.correlation import CorrelationEstimate, of_moments, read_values
from randomized_response.results import Result

Floats = NDArray[np.float64]

_EDGE = 1e-9
_STEADY = 4.0


@dataclass(frozen=True)
class Association(Result):
    """A measure of association, at the constrained table.

    Its interval is the delta method's; where a cell of that table is 0, there is no standard error, and the interval is
    that of the profile likelihood, of an odds ratio from 0 or to infinity where such tables are likely.
    """

    estimate: float
    standard_error: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.4f} ({self.standard_error:.4f}), interval {self.low:.4f} to {self.high:.4f}"


@dataclass(frozen=True, eq=False)
class ConditionalEstimate(Result):
    """Shares of the answers to b given each answer to a. Made by `JointEstimate.conditional`.

    Attributes
    ----------
    shares, standard_error, low, high : array (k_a, k_b)
        Rows of shares sum to 1. NaN, with the interval [0, 1], where too few people give that answer to a.
    """

    shares: Floats
    standard_error: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False, repr=False)
class JointEstimate(Result):
    """The joint distribution of two answers, a in rows and b in columns. Made by `estimate_joint`, `weighted_joint`.

    Attributes
    ----------
    unbiased : array (k_a, k_b)
        B_a (table / n) B_b^T: sums to 1, may be negative in places.
    constrained : array (k_a, k_b)
        Maximum likelihood, never negative, of sum 1.
    standard_error : array (k_a, k_b)
        Of `unbiased`, n - 1 convention.
    covariance : array (k_a k_b, k_a k_b)
        Of `unbiased`, read row by row.
    low, high : array (k_a, k_b)
        Wald interval of each share, inside [0, 1], holding the constrained one.
    phi, odds_ratio : Association or None
        Of the constrained table; None unless both questions have two answers, and of weighted reports where that table
        has a zero.
    independence : LikelihoodRatio or WaldTest
        The test of the two answers being independent; of weighted reports Wald's.
    log_likelihood : float
        NaN of weighted reports.
    diagnostics : tuple of Diagnostic
        "boundary" where the constrained table has a zero: then the chi-square p-value is only a guide.
    """

    unbiased: Floats
    constrained: Floats
    standard_error: Floats
    covariance: Floats
    low: Floats
    high: Floats
    phi: Association | None
    odds_ratio: Association | None
    independence: LikelihoodRatio | WaldTest
    log_likelihood: float
    diagnostics: tuple[Diagnostic, ...]
    n: int
    confidence: float

    def conditional(self) -> ConditionalEstimate:
        """Estimate the shares of the answers to b given each answer to a.

        The ratio of a share of `constrained` to its row's; standard errors by the delta method from `covariance`, Wald
        intervals. A row whose share is not four standard errors above 0 has none: a ratio over it is not nearly normal.
        """
        k_a, k_b = self.constrained.shape
        spread = self.covariance.reshape(k_a, k_b, k_a, k_b)
        shares, errors = np.full((k_a, k_b), np.nan), np.full((k_a, k_b), np.nan)
        for i, row in enumerate(self.constrained):
            part, whole = spread[i, :, i, :], row.sum()
            if whole > 0 and self.unbiased[i].sum() >= _STEADY * np.sqrt(max(part.sum(), 0.0)):
                shares[i] = row / whole
                slopes = (np.eye(k_b) - shares[i][:, None]) / whole
                errors[i] = np.sqrt(np.maximum(np.einsum("jk,kl,jl->j", slopes, part, slopes), 0.0))
        reach = float(scipy.special.ndtri((1 + self.confidence) / 2)) * errors
        low, high = (np.where(np.isnan(shares), edge, np.clip(shares + side, 0.0, 1.0))
                     for edge, side in ((0.0, -reach), (1.0, reach)))  # fmt: skip
        return ConditionalEstimate(shares, errors, low, high)

    def correlation(
        self, values: ArrayLike | None = None, other_values: ArrayLike | None = None
    ) -> CorrelationEstimate:
        """Estimate the Pearson correlation of the numbers that the answers to a and to b stand for.

        Of the moments of `unbiased`, with errors by the delta method from `covariance`: the same as `correlation` finds
        from the reports of each person. `values` and `other_values` are finite numbers, one per answer to a and to b;
        0, 1, ..., k - 1 by default.
        """
        k_a, k_b = self.unbiased.shape
        a, b = read_values(values, k_a, "values"), read_values(other_values, k_b, "other_values")
        # Around their middle, so that large numbers, such as years, keep their digits.
        u, v = np.repeat(a - a.mean(), k_b), np.tile(b - b.mean(), k_a)
        parts = np.array([u, v, u * v, u**2, v**2])
        moments, spread = parts @ self.unbiased.ravel(), parts @ self.covariance @ parts.T
        return of_moments(moments, spread, self.n, self.confidence)

    def __str__(self) -> str:
        lines = [f"{self.n} pairs of reports; constrained shares (standard error of the unbiased ones)"]
        for shares, errors in zip(self.constrained, self.standard_error, strict=True):
            lines.append("  ".join(f"{x:7.4f} ({s:.4f})" for x, s in zip(shares, errors, strict=True)))
        lines += [] if self.phi is None else [f"phi: {self.phi}", f"odds ratio: {self.odds_ratio}"]
        return "\n".join([*lines, f"independence: {self.independence}", *(f"! {each}" for each in self.diagnostics)])

    __repr__ = __str__


def estimate_joint(
    table: ArrayLike, channel_a: Channel, channel_b: Channel, *, confidence: float = 0.95
) -> JointEstimate:
    """Estimate the joint distribution of two answers from the counts of both randomized reports.

    Model: each of n respondents, a random sample, has answers (i, j) with probability theta[i, j] and reports them
    through two independent draws: P(reports = (y, z)) = sum_ij P_a[i, y] theta[i, j] P_b[j, z].

    Parameters
    ----------
    table : array of shape (m_a, m_b) of whole numbers
        table[y, z] respondents reported y to question a and z to question b. A crosstab of pandas goes by its labels.
    channel_a, channel_b : Channel
        With linearly independent rows.
    confidence : float
        Level of the intervals of phi and of the odds ratio, in (0, 1).

    Returns
    -------
    JointEstimate

    Raises
    ------
    ValueError
        Where the shape is not (m_a, m_b), a count is negative or fractional, there are fewer than 2 respondents, a
        report is counted that no answer leads to, or a channel's rows are dependent.

    Notes
    -----
    covariance = (B_a x B_b) (diag(lambda) - lambda lambda^T) (B_a x B_b)^T / (n - 1). Under independence the two
    reports are independent too, so that the smaller model is fitted question by question. Phi's interval is Wald's on
    the scale of atanh, the odds ratio's on that of its logarithm, both by the delta method. Where a share of the
    constrained table is 0, both are profile likelihood intervals: all values of tables p on the simplex with
    2 (log L at the constrained table - log L at p) <= chi-squared(1) quantile, which near a boundary covers about its
    level or more. The answer to one question must not change how the other's draw is made or obeyed.

    References
    ----------
    van den Hout, A. & van der Heijden, P. G. M. (2002). Randomized response, statistical disclosure control and
    misclassification: a review. International Statistical Review 70, 269-288. Drane, W. (1976). On the theory of
    randomized responses to two sensitive questions. Communications in Statistics A 5, 565-574.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> coins = forced_response(truth="1/2")
    >>> joint = estimate_joint([[380, 190], [220, 210]], coins, coins)
    >>> joint.unbiased.round(12)
    array([[0.6 , 0.04],
           [0.1 , 0.26]])
    >>> round(joint.phi.estimate, 4), round(joint.odds_ratio.estimate, 2)
    (0.691, 39.0)
    """
    level = as_level(confidence)
    counts = read_table(table, channel_a, channel_b)
    n = int(counts.sum())
    left = np.kron(channel_a.left_inverse, channel_b.left_inverse)
    rates = counts.ravel() / n
    shape = (channel_a.answers, channel_b.answers)
    unbiased = left @ rates
    covariance = (left * rates) @ left.T - np.outer(unbiased, unbiased)
    covariance /= n - 1
    constrained, height = most_likely(counts, channel_a, channel_b, unbiased)
    apart = _independent_height(counts, channel_a, channel_b)
    pair = None
    if shape == (2, 2) and constrained.min() == 0:
        pair = _at_the_edge(counts, channel_a, channel_b, constrained.ravel(), level)
    independence = likelihood_ratio(height, apart, (shape[0] - 1) * (shape[1] - 1))
    return joint_of(unbiased, covariance, constrained, n, level, independence, height, pair)


def joint_of(
    unbiased: Floats,
    covariance: Floats,
    constrained: Floats,
    n: int,
    level: float,
    independence: LikelihoodRatio | WaldTest,
    height: float,
    pair: tuple[Association, Association] | None = None,
) -> JointEstimate:
    """The estimate from its unbiased shares, read row by row, and the most likely table.

    `pair` are phi and the odds ratio where they are not those of a 2 x 2 table without a zero.
    """
    shape = constrained.shape
    low, high = around(constrained.ravel(), *wald_limits(unbiased, covariance, level))
    if pair is None and shape == (2, 2) and constrained.min() > 0:
        pair = _associations(constrained.ravel(), covariance, level)
    phi, odds_ratio = pair or (None, None)
    return JointEstimate(
        unbiased=unbiased.reshape(shape),
        constrained=constrained,
        standard_error=np.sqrt(np.maximum(np.diag(covariance), 0.0)).reshape(shape),
        covariance=covariance,
        low=low.reshape(shape),
        high=high.reshape(shape),
        phi=phi,
        odds_ratio=odds_ratio,
        independence=independence,
        log_likelihood=height,
        diagnostics=_diagnose(constrained),
        n=n,
        confidence=level,
    )


def read_table(table: ArrayLike, channel_a: Channel, channel_b: Channel, fewest: int = 2) -> NDArray[np.int64]:
    table = in_order(table, name="table")
    try:
        given = np.asarray(table)
    except ValueError:
        raise ValueError(f"table must have rows of equal length; got {table!r}") from None
    shape = (channel_a.reports, channel_b.reports)
    if given.shape != shape:
        raise ValueError(f"table must have one row and column per report, shape {shape}; got shape {given.shape}")
    counts = as_counts(given.ravel(), name="table", size=given.size).reshape(shape)
    if counts.sum() < fewest:
        raise ValueError(f"table must hold at least {fewest} respondents; got {counts.sum()}")
    possible = np.outer(channel_a.matrix.max(axis=0) > 0, channel_b.matrix.max(axis=0) > 0)
    if (counts[~possible] > 0).any():
        y, z = np.argwhere(~possible & (counts > 0))[0]
        raise ValueError(f"table[{y}, {z}] must be 0: no answers lead to these reports; got {counts[y, z]}")
    return counts


def most_likely(counts: NDArray[np.int64] | Floats, a: Channel, b: Channel, unbiased: Floats) -> tuple[Floats, float]:
    """The maximum likelihood table on the simplex, and its log likelihood."""
    rates = counts.ravel() / float(counts.sum())
    matrix = np.asarray(np.kron(a.matrix, b.matrix), dtype=np.float64)
    square = matrix.shape[0] == matrix.shape[1]
    inside = square and unbiased.min() >= 0
    shares = unbiased / unbiased.sum() if inside else interior_point(rates, matrix)
    shares = np.where(shares < _EDGE, 0.0, shares)
    shares = shares / shares.sum()
    return shares.reshape(a.answers, b.answers), _log_likelihood(counts.ravel(), matrix.T @ shares)


def _independent_height(counts: NDArray[np.int64], a: Channel, b: Channel) -> float:
    margins = ((counts.sum(axis=1), a), (counts.sum(axis=0), b))
    return sum(_log_likelihood(margin, each.matrix.T @ maximum_likelihood(margin, each)) for margin, each in margins)


def _log_likelihood(counts: NDArray[np.int64] | Floats, rates: Floats) -> float:
    seen = counts > 0
    return float(counts[seen] @ np.log(rates[seen]))


def _diagnose(constrained: Floats) -> tuple[Diagnostic, ...]:
    zeros = np.argwhere(constrained == 0)
    if not len(zeros):
        return ()
    places = ", ".join(f"({i}, {j})" for i, j in zeros)
    message = f"the most likely share of {places} is 0: the chi-square p-value of independence is only a guide"
    return (Diagnostic("boundary", message),)


def _phi(shares: Floats) -> float:
    p00, p01, p10, p11 = shares
    spread = (p10 + p11) * (p00 + p01) * (p01 + p11) * (p00 + p10)
    return float((p00 * p11 - p01 * p10) / np.sqrt(spread)) if spread > 0 else float("nan")


def _at_the_edge(
    counts: NDArray[np.int64], a: Channel, b: Channel, shares: Floats, level: float
) -> tuple[Association, Association]:
    """Phi and the odds ratio of a 2 x 2 table with a zero, with profile likelihood intervals."""
    matrix = np.asarray(np.kron(a.matrix, b.matrix), dtype=np.float64)
    likely = LikelyTables(counts.ravel(), matrix, shares, level)
    crossed, straight, nothing = shares[1] * shares[2], shares[0] * shares[3], float("nan")
    odds = nothing if crossed == straight == 0 else float("inf") if crossed == 0 else float(straight / crossed)
    return (
        Association(_phi(shares), nothing, *likely.phi()),
        Association(odds, nothing, *likely.odds_ratio()),
    )


def _associations(shares: Floats, covariance: Floats, level: float) -> tuple[Association, Association]:
    """Phi and the odds ratio of a 2 x 2 table read row by row, with delta-method errors."""
    reach = float(scipy.special.ndtri((1 + level) / 2))
    p00, p01, p10, p11 = shares
    row, column = p10 + p11, p01 + p11
    spread = row * (1 - row) * column * (1 - column)
    phi = _phi(shares)
    to_row, to_column = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    tilt = (1 - 2 * row) / (row * (1 - row)) * to_row + (1 - 2 * column) / (column * (1 - column)) * to_column
    slope = np.array([p11, -p10, -p01, p00]) / np.sqrt(spread) - phi / 2 * tilt
    error = float(np.sqrt(slope @ covariance @ slope))
    turned = np.arctanh(phi) + reach * error / (1 - phi**2) * np.array([-1.0, 1.0])
    bends = np.array([1.0, -1.0, -1.0, 1.0]) / shares
    log_error = float(np.sqrt(bends @ covariance @ bends))
    odds = float(p00 * p11 / (p01 * p10))
    low, high = odds * np.exp(reach * log_error * np.array([-1.0, 1.0]))
    ends = np.tanh(turned)
    return Association(phi, error, float(ends[0]), float(ends[1])), Association(
        odds, odds * log_error, float(low), float(high)
    )
