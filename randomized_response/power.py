"""Power of a regression, by simulation: with respondents who do not keep to the tickets, if there are such."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from randomized_response._checks import as_count, as_level
from randomized_response.channel import Channel
from randomized_response.errors import ParameterError
from randomized_response.regression import logistic_regression
from randomized_response.results import Result


@dataclass(frozen=True)
class PowerEstimate(Result):
    """How a comparison of two groups would come out. Made by `regression_power`.

    Attributes
    ----------
    power, monte_carlo_error : float
        Share of the simulated surveys in which the slope's p-value is below `level`, and its standard error.
    log_odds_ratio, mean_estimate, spread : float
        The true slope, the mean of its finite estimates, and their standard deviation. Where people do not keep to the
        tickets the mean shows what bias is to be expected.
    coverage : float
        Share of the 95 % intervals that hold the true slope.
    no_estimate : float
        Share of the surveys without a finite estimate; they count as without a finding.
    rounds : int
    level : float
    """

    power: float
    monte_carlo_error: float
    log_odds_ratio: float
    mean_estimate: float
    spread: float
    coverage: float
    no_estimate: float
    rounds: int
    level: float


def regression_power(
    channel: Channel,
    n: int,
    shares: tuple[float, float],
    *,
    exposed: float = 0.5,
    protective: tuple[float, float] = (0.0, 0.0),
    random: tuple[float, float] = (0.0, 0.0),
    level: float = 0.05,
    rounds: int = 1000,
    generator: np.random.Generator | None = None,
) -> PowerEstimate:
    """Estimate the power to find a difference between two groups by `logistic_regression`, by simulated surveys.

    Parameters
    ----------
    channel : Channel
        Two answers, two reports.
    n : int
        Respondents, 20 to 1,000,000.
    shares : pair of float
        The true share of yes among the not exposed and the exposed, each in (0, 1).
    exposed : float
        Share of the respondents who are exposed, in (0, 1).
    protective, random : pairs of float
        Of each group the share who send no whatever they answered and drew, and who send yes or no by chance.
    level : float
        Of the two-sided test, in (0, 1).
    rounds : int
        Simulated surveys, 10 to 100,000.
    generator : numpy.random.Generator or None
        Source of chance; without one the same arguments give the same numbers (seed 0).

    Returns
    -------
    PowerEstimate

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    With equal shares, power is the level that the test really has. People who do not keep to the tickets cannot be told
    from others; this shows what they would do to the finding (Boeije & Lensvelt-Mulders 2002).

    References
    ----------
    Lensvelt-Mulders, G. J. L. M., Hox, J. J. & van der Heijden, P. G. M. (2005). How to improve the efficiency of
    randomised response designs. Quality & Quantity 39, 253-265. Boeije, H. & Lensvelt-Mulders, G. (2002). Honest by
    chance. Bulletin de Methodologie Sociologique 75, 24-39.

    Examples
    --------
    >>> from randomized_response import forced_response
    >>> found = regression_power(forced_response(truth="1/2"), 2000, (0.2, 0.35), rounds=200)
    >>> 0.6 < found.power < 0.95, found.monte_carlo_error < 0.04
    (True, True)
    """
    if channel.answers != 2 or channel.reports != 2:
        raise ParameterError("channel", f"must be a yes/no table; got {channel.answers} x {channel.reports}")
    size, often = as_count(n, name="n", low=20, high=1_000_000), as_count(rounds, name="rounds", low=10, high=100_000)
    alpha = as_level(level, name="level")
    yes = np.array([as_level(share, name=f"shares[{group}]") for group, share in enumerate(shares)])
    rates = _rates(channel, yes, protective, random)
    truth = float(np.log(yes[1] / (1 - yes[1])) - np.log(yes[0] / (1 - yes[0])))
    source = np.random.default_rng(0) if generator is None else generator
    many = as_level(exposed, name="exposed")
    found = np.array([_survey(channel, size, many, rates, source) for _ in range(often)])
    finite = np.isfinite(found[:, 0])
    slopes, errors, p_values = found[finite].T if finite.any() else np.full((3, 1), np.nan)
    power = float((p_values < alpha).sum()) / often
    return PowerEstimate(
        power=power,
        monte_carlo_error=float(np.sqrt(power * (1 - power) / often)),
        log_odds_ratio=truth,
        mean_estimate=float(slopes.mean()),
        spread=float(slopes.std()),
        coverage=float((np.abs(slopes - truth) <= 1.959964 * errors).mean()),
        no_estimate=float(1 - finite.mean()),
        rounds=often,
        level=alpha,
    )


def _rates(
    channel: Channel, yes: NDArray[np.float64], protective: tuple[float, float], random: tuple[float, float]
) -> NDArray[np.float64]:
    """The rate of yes in each group, of those who keep to the tickets and of the others together."""
    chance, denied = (np.asarray(pair, dtype=np.float64) for pair in (random, protective))
    for name, pair in (("random", chance), ("protective", denied)):
        if pair.shape != (2,) or not ((pair >= 0) & (pair <= 1)).all():
            raise ParameterError(name, f"must be two shares from 0 to 1, one for each group; got {pair.tolist()}")
    if (chance + denied > 1).any():
        raise ParameterError("random", f"and protective must together be at most 1; got {(chance + denied).tolist()}")
    kept = channel.matrix[0, 1] * (1 - yes) + channel.matrix[1, 1] * yes
    return np.asarray((1 - chance - denied) * kept + chance / 2)


def _survey(
    channel: Channel, n: int, exposed: float, rates: NDArray[np.float64], source: np.random.Generator
) -> tuple[float, float, float]:
    """Slope, standard error and p-value of one simulated survey; NaN without a finite estimate."""
    many = int(source.binomial(n, exposed))
    sizes = np.array([n - many, many])
    yes = source.binomial(sizes, rates)
    counts = np.array([sizes[0] - yes[0], yes[0], sizes[1] - yes[1], yes[1]])
    seen = counts > 0
    if sizes.min() == 0:
        return float("nan"), float("nan"), float("nan")
    fit = logistic_regression(
        np.array([0.0, 0.0, 1.0, 1.0])[seen], np.array([0, 1, 0, 1])[seen], channel, counts=counts[seen]
    )
    slope = float(fit.coefficients[1])
    if not (fit.converged and np.isfinite(slope)):
        return float("nan"), float("nan"), float("nan")
    return slope, float(fit.standard_errors[1]), float(fit.p_values[1])
