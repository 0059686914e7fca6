"""The difference between two independent groups that were asked the same question."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from randomized_response.results import ProportionEstimate, Result, Vector


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Differences of the shares of two groups, second minus first, by answer. Made by `compare`.

    Attributes
    ----------
    difference : array (k,)
        Of the unbiased estimates.
    standard_error : array (k,)
    low, high : array (k,)
        Interval for each difference, inside [-1, 1], built from the two groups' own intervals.
    z, p_value : array (k,)
        Difference over standard error, and its two-sided normal tail; NaN where no standard error is defined.
    n : tuple of int
    confidence : float
    interval : str
    """

    difference: Vector
    standard_error: Vector
    low: Vector
    high: Vector
    z: Vector
    p_value: Vector
    n: tuple[int, int]
    confidence: float
    interval: str

    def __str__(self) -> str:
        lines = [
            f"{self.n[1]} against {self.n[0]} reports; {100 * self.confidence:g} % intervals: {self.interval}",
            "answer  difference  std. error      low     high  p value",
        ]
        columns = (self.difference, self.standard_error, self.low, self.high, self.p_value)
        for answer, (difference, error, low, high, p_value) in enumerate(zip(*columns, strict=True)):
            lines.append(f"{answer:>6}  {difference:10.4f}  {error:10.4f}  {low:7.4f}  {high:7.4f}  {p_value:7.4f}")
        return "\n".join(lines)


def compare(first: ProportionEstimate, second: ProportionEstimate) -> Comparison:
    """The difference between the shares of two independent groups: second minus first, answer by answer.

    Parameters
    ----------
    first, second : ProportionEstimate
        Of the same answers at the same confidence; the tables may differ. People of one group are not in the other.

    Returns
    -------
    Comparison
        The interval recovers the variances from the two groups' own limits (MOVER): with estimates e and limits l, u,
        low = d - sqrt((e2 - l2)^2 + (u1 - e1)^2) and high = d + sqrt((u2 - e2)^2 + (e1 - l1)^2), d = e2 - e1 of the
        constrained estimates. It is as good as the intervals it is built from, and never outside [-1, 1].

    Raises
    ------
    ValueError
        Where answers or confidences differ.

    Notes
    -----
    The z test takes the difference as normal; with few reports its p value is too small. k answers give k tests: to
    look for any difference, multiply p values by k.

    References
    ----------
    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions. Statistics in
    Medicine 17, 873-890. Zou, G. Y. & Donner, A. (2008). Statistics in Medicine 27, 1693-1702.

    Examples
    --------
    >>> from randomized_response import estimate_proportions, forced_response
    >>> channel = forced_response(truth="1/2")
    >>> change = compare(estimate_proportions([600, 400], channel), estimate_proportions([500, 500], channel))
    >>> change.difference.round(12), change.p_value.round(6)
    (array([-0.2,  0.2]), array([6.e-06, 6.e-06]))
    """
    if len(first.unbiased) != len(second.unbiased) or first.confidence != second.confidence:
        raise ValueError("first and second must be of the same answers at the same confidence; got different ones")
    difference = second.unbiased - first.unbiased
    error = np.sqrt(first.standard_error**2 + second.standard_error**2)
    z = np.divide(difference, error, out=np.full_like(difference, np.nan), where=error > 0)
    low, high = _recovered(first, second)
    interval = first.interval if first.interval == second.interval else f"{first.interval}, {second.interval}"
    return Comparison(
        difference, error, low, high, z, 2 * special.ndtr(-np.abs(z)), (first.n, second.n), first.confidence,
        f"variances recovered from {interval}",
    )  # fmt: skip


def _recovered(first: ProportionEstimate, second: ProportionEstimate) -> tuple[Vector, Vector]:
    one, two = first.constrained, second.constrained
    below = np.hypot(two - second.low, first.high - one)
    above = np.hypot(second.high - two, one - first.low)
    low, high = np.clip(two - one - below, -1, 1), np.clip(two - one + above, -1, 1)
    unknown = np.isnan(low) | np.isnan(high)
    return np.where(unknown, -1.0, low), np.where(unknown, 1.0, high)
