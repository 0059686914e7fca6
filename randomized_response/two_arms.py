"""Designs with two random arms, for reports made with a real coin: cheating, lying, unknown prevalence.

Each arm has its own truth probability, so that two rates of yes identify two numbers. In all three designs the rates
are linear in the two numbers, estimates are in closed form, and intervals come from the profile likelihood.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import lcm

from randomized_response._arms import Arms, Rates, ShareEstimate, boundary_test, read_arms
from randomized_response._checks import FractionLike, as_probability
from randomized_response._diagnostics import LikelihoodRatio
from randomized_response.channel import Channel
from randomized_response.errors import ParameterError
from randomized_response.results import Result

Truth = FractionLike | Channel
"""The truth probability of an arm whose coin else forces a yes, or its table."""


@dataclass(frozen=True, repr=False)
class _TwoArmEstimate(Result):
    def __str__(self) -> str:
        named = {
            name: value for name, value in vars(self).items() if isinstance(value, ShareEstimate | LikelihoodRatio)
        }
        return "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in named.items())

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class CheaterEstimate(_TwoArmEstimate):
    """Shares of honest respondents and of those who cheat. Made by `cheater_detection`.

    Attributes
    ----------
    honest_yes, honest_no, cheaters : ShareEstimate
        Each with `unbiased`, `constrained`, `standard_error`, `low`, `high`; both kinds of estimate sum to 1.
    no_cheaters : LikelihoodRatio
        The test of there being no cheaters, on the boundary.
    """

    honest_yes: ShareEstimate
    honest_no: ShareEstimate
    cheaters: ShareEstimate
    no_cheaters: LikelihoodRatio
    log_likelihood: float
    confidence: float


@dataclass(frozen=True, repr=False)
class LieDetectorEstimate(_TwoArmEstimate):
    """Prevalence of a trait, and honesty of its carriers. Made by `stochastic_lie_detector`.

    Attributes
    ----------
    prevalence, honesty : ShareEstimate
        Each with `unbiased`, `constrained`, `standard_error`, `low`, `high`; honesty is a share of the carriers.
    all_honest : LikelihoodRatio
        The test of honesty = 1, on the boundary.
    """

    prevalence: ShareEstimate
    honesty: ShareEstimate
    all_honest: LikelihoodRatio
    log_likelihood: float
    confidence: float


@dataclass(frozen=True, repr=False)
class UnknownPrevalenceEstimate(_TwoArmEstimate):
    """Shares of yes to the sensitive and to the unrelated question. Made by `unknown_prevalence`.

    Attributes
    ----------
    sensitive, unrelated : ShareEstimate
        Each with `unbiased`, `constrained`, `standard_error`, `low`, `high`.
    """

    sensitive: ShareEstimate
    unrelated: ShareEstimate
    log_likelihood: float
    confidence: float


def cheater_detection(
    yes: tuple[int, int], n: tuple[int, int], truth: tuple[Truth, Truth], confidence: float = 0.95
) -> CheaterEstimate:
    """Estimate the shares of honest yes and no, and of cheaters, who say no whatever their coin says.

    Model: in arm i the coin asks for the true answer with probability p_i and forces a yes otherwise.

        P(yes | arm i) = honest_yes + (1 - p_i) honest_no,    cheaters = 1 - honest_yes - honest_no

    With tables of their own, t_i and f_i the chances that a true yes and a true no are reported as yes:
        P(yes | arm i) = t_i honest_yes + f_i honest_no

    Parameters
    ----------
    yes, n : pairs of whole numbers
        Reports of yes, and all reports (at least 2), in the two arms.
    truth : pair of exact fractions, or of binary channels
        p_1 and p_2, as text ("1/4"), Fraction or pair of integers; in [0, 1] and different. A `Channel` where the coin
        may also force a no, or ask for the opposite (Ostapczuk et al. 2009); t_1 f_2 must differ from t_2 f_1.
    confidence : float
        Level of the intervals, in (0, 1).

    Returns
    -------
    CheaterEstimate
        `honest_yes`, `honest_no`, `cheaters` (each with `unbiased`, `constrained`, `standard_error`, `low`, `high`),
        and `no_cheaters`, a likelihood-ratio test on the boundary: half chi-square with 0 and half with 1 degree of
        freedom (Self & Liang 1987).

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    Whether cheaters carry the trait cannot be known: its prevalence lies between honest_yes and honest_yes + cheaters.
    Arms must be assigned at random; the model fails where cheating depends on the arm's coin. Reports drawn by a
    program instead of a real coin cannot be disobeyed. The profile-likelihood intervals are large-sample. The cheating
    detection triangular model is this one, of reports "no to both" and "yes to at least one": truth is 1 less the known
    share of yes to each arm's harmless question.

    References
    ----------
    Clark, S. J. & Desharnais, R. A. (1998). Honest answers to embarrassing questions: detecting cheating in the
    randomized response model. Psychological Methods 3, 160-168. Self, S. G. & Liang, K.-Y. (1987). JASA 82, 605-610.
    Meisters, J., Hoffmann, A. & Musch, J. (2022). A new approach to detecting cheating in sensitive surveys: the
    cheating detection triangular model. Sociological Methods & Research.

    Examples
    --------
    >>> found = cheater_detection(yes=(650, 350), n=(1000, 1000), truth=("1/4", "3/4"))
    >>> [round(share.unbiased, 6) for share in (found.honest_yes, found.honest_no, found.cheaters)]
    [0.2, 0.6, 0.2]
    """
    arms = read_arms(yes, n, truth, confidence, tables=True)
    forced, (of_yes, of_no) = _forced(arms), _solved(arms)
    honest_yes, honest_no = arms.linear(0.0, *of_yes), arms.linear(0.0, *of_no)
    cheaters = arms.linear(1.0, -of_yes[0] - of_no[0], -of_yes[1] - of_no[1])
    top, (likely_yes, likely_no) = _best_honest(arms, forced, honest_yes[0], honest_no[0])
    likely_cheaters = max(1 - likely_yes - likely_no, 0.0)
    return CheaterEstimate(
        honest_yes=arms.share(honest_yes, likely_yes, lambda v: (forced(v, 0), forced(v, 1 - v)), top),
        honest_no=arms.share(honest_no, likely_no, lambda v: (forced(0, v), forced(1 - v, v)), top),
        cheaters=arms.share(cheaters, likely_cheaters, lambda v: (forced(0, 1 - v), forced(1 - v, 0)), top),
        no_cheaters=boundary_test(top, arms.along(forced(0, 1), forced(1, 0))[0]),
        log_likelihood=top,
        confidence=arms.confidence,
    )


def cheater_channel(truth: FractionLike, forced_no: FractionLike = "0") -> Channel:
    """The table of one arm of `cheater_detection`, for `categorical_regression`: three kinds of people, two reports.

    Rows are honest no, honest yes and cheaters, who say no whatever their coin says. With probability `truth` the coin
    asks for the true answer, with `forced_no` it forces a no, else a yes.

    Parameters
    ----------
    truth : exact fraction in [0, 1]
    forced_no : exact fraction in [0, 1 - truth]
        0 in the design of Clark and Desharnais; above it that of Ostapczuk et al., in which a no protects, too.

    Returns
    -------
    Channel
        Of one arm alone, which tells the three apart only together with another arm's.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    A list with each respondent's arm goes to `categorical_regression(..., channel=arms, labels=["honest no", "honest
    yes", "cheater"])`: honesty and cheating by covariates. The same for `stochastic_lie_detector`, whose carriers are
    honest yes and cheaters together.

    References
    ----------
    Clark, S. J. & Desharnais, R. A. (1998). Psychological Methods 3, 160-168. Ostapczuk, M., Musch, J. & Moshagen, M.
    (2009). A randomized-response investigation of the education effect in attitudes towards foreigners. European
    Journal of Social Psychology 39, 920-931.

    Examples
    --------
    >>> cheater_channel("1/4").weights
    ((1, 3), (0, 4), (4, 0))
    """
    asked = as_probability(truth, name="truth", closed=True)
    denied = as_probability(forced_no, name="forced_no", closed=True)
    if asked + denied > 1:
        raise ParameterError("forced_no", f"must be at most 1 - truth = {1 - asked}; got {denied}")
    tickets = lcm(asked.denominator, denied.denominator)
    no, yes = int((asked + denied) * tickets), int((1 - denied) * tickets)
    return Channel(((no, tickets - no), (tickets - yes, yes), (tickets, 0)), "cheater_detection", asked)


def stochastic_lie_detector(
    yes: tuple[int, int], n: tuple[int, int], truth: tuple[Truth, Truth], confidence: float = 0.95
) -> LieDetectorEstimate:
    """Estimate the prevalence of a trait if some of its carriers deny it, and nobody else lies.

    Model: in arm i the coin asks people without the trait for the truth (no) with probability p_i and else makes them
    say yes; carriers are asked for the truth (yes) either way, and say it with probability `honesty`.

        P(yes | arm i) = prevalence * honesty + (1 - prevalence) (1 - p_i)

    The rates are those of `cheater_detection` with every cheater taken for a carrier: prevalence = 1 - honest_no.

    Parameters
    ----------
    yes, n, truth, confidence :
        As for `cheater_detection`.

    Returns
    -------
    LieDetectorEstimate
        `prevalence` and `honesty` (`standard_error` by the delta method, NaN where no carriers are estimated), and
        `all_honest`, the test of honesty = 1, on the boundary like `cheater_detection`'s.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    The assumption that people without the trait never lie is what turns cheaters into carriers; where they do lie,
    saying no against the coin, prevalence is too high. Honesty is poorly known where few carry the trait.

    References
    ----------
    Moshagen, M., Musch, J. & Erdfelder, E. (2012). A stochastic lie detector. Behavior Research Methods 44, 222-231.

    Examples
    --------
    >>> found = stochastic_lie_detector(yes=(650, 350), n=(1000, 1000), truth=("1/4", "3/4"))
    >>> round(found.prevalence.unbiased, 6), round(found.honesty.unbiased, 6)
    (0.4, 0.5)
    """
    arms = read_arms(yes, n, truth, confidence, tables=True)
    forced, (of_yes, of_no) = _forced(arms), _solved(arms)
    prevalence = arms.linear(1.0, -of_no[0], -of_no[1])
    honesty = arms.ratio(of_yes, (-of_no[0], -of_no[1]), prevalence[0])
    top, (likely_yes, likely_no) = _best_honest(arms, forced, arms.linear(0.0, *of_yes)[0], 1 - prevalence[0])
    likely_honesty = min(likely_yes / (1 - likely_no), 1.0) if likely_no < 1 else float("nan")
    return LieDetectorEstimate(
        prevalence=arms.share(prevalence, 1 - likely_no, lambda v: (forced(0, 1 - v), forced(v, 1 - v)), top),
        honesty=arms.share(honesty, likely_honesty, lambda v: (forced(0, 1), forced(v, 0)), top),
        all_honest=boundary_test(top, arms.along(forced(0, 1), forced(1, 0))[0]),
        log_likelihood=top,
        confidence=arms.confidence,
    )


def unknown_prevalence(
    yes: tuple[int, int], n: tuple[int, int], truth: tuple[FractionLike, FractionLike], confidence: float = 0.95
) -> UnknownPrevalenceEstimate:
    """Estimate the share of yes to a sensitive question, and to an unrelated one of unknown prevalence.

    Model: in arm i the coin chooses the sensitive question with probability p_i and the unrelated one otherwise.

        P(yes | arm i) = p_i sensitive + (1 - p_i) unrelated

    Parameters
    ----------
    yes, n, truth, confidence :
        As for `cheater_detection`.

    Returns
    -------
    UnknownPrevalenceEstimate
        `sensitive` and `unrelated`.

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    Two numbers from two rates: nothing is left to test the model with. It needs p_1 and p_2 far apart.

    References
    ----------
    Greenberg, B. G., Abul-Ela, A.-L. A., Simmons, W. R. & Horvitz, D. G. (1969). The unrelated question randomized
    response model: theoretical framework. JASA 64, 520-539, section 3.

    Examples
    --------
    >>> found = unknown_prevalence(yes=(260, 340), n=(1000, 1000), truth=("7/10", "3/10"))
    >>> round(found.sensitive.unbiased, 6), round(found.unrelated.unbiased, 6)
    (0.2, 0.4)
    """
    arms = read_arms(yes, n, truth, confidence)
    p1, p2 = arms.truth
    share = 1 / (p1 - p2)

    def rates(sensitive: float, unrelated: float) -> Rates:
        return p1 * sensitive + (1 - p1) * unrelated, p2 * sensitive + (1 - p2) * unrelated

    sensitive = arms.linear(0.0, (1 - p2) * share, -(1 - p1) * share)
    unrelated = arms.linear(0.0, -p2 * share, p1 * share)
    inside = 0 <= sensitive[0] <= 1 and 0 <= unrelated[0] <= 1
    top, likely = arms.best((sensitive[0], unrelated[0]), inside, ((0, 0), (1, 0), (1, 1), (0, 1)), rates)
    return UnknownPrevalenceEstimate(
        sensitive=arms.share(sensitive, likely[0], lambda v: (rates(v, 0), rates(v, 1)), top),
        unrelated=arms.share(unrelated, likely[1], lambda v: (rates(0, v), rates(1, v)), top),
        log_likelihood=top,
        confidence=arms.confidence,
    )


def _forced(arms: Arms) -> Callable[[float, float], Rates]:
    """Rates of yes in both arms, from the shares of honest yes and honest no."""
    (t1, t2), (f1, f2) = arms.honest_yes, arms.honest_no
    return lambda honest_yes, honest_no: (honest_yes * t1 + honest_no * f1, honest_yes * t2 + honest_no * f2)


def _solved(arms: Arms) -> tuple[Rates, Rates]:
    """The factors by which both rates are multiplied for the shares of honest yes and of honest no."""
    (t1, t2), (f1, f2) = arms.honest_yes, arms.honest_no
    share = 1 / (t1 * f2 - t2 * f1)
    return (f2 * share, -f1 * share), (-t2 * share, t1 * share)


def _best_honest(
    arms: Arms, forced: Callable[[float, float], Rates], honest_yes: float, honest_no: float
) -> tuple[float, tuple[float, float]]:
    inside = honest_yes >= 0 and honest_no >= 0 and honest_yes + honest_no <= 1
    return arms.best((honest_yes, honest_no), inside, ((0, 0), (1, 0), (0, 1)), forced)
