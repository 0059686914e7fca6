"""Targets and methods of numbers and of their intervals, defined here for every page and every file.

An estimate has two intervals. That of the tickets' chance alone speaks of those who took part; the other one holds the
chance of drawing them too, and speaks of the population of which they are a simple random sample, where they are one.
Where the groups' shares of the population are known, both speak of the groups weighted by them, but for a group's own.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from estimator.base.measures import MEAN
from estimator.models import Estimate
from estimator.runs.estimation import known_shares
from estimator.runs.groups import Partition
from estimator.runs.results import QuestionResults

RESPONDENTS, RESPONDENTS_WEIGHTED = "respondents", "respondents_weighted"
POPULATION, POPULATION_WEIGHTED = "population", "population_weighted"
MIXED = "mixed"
"""The target of a difference of two numbers with different targets."""

WORDS = {
    RESPONDENTS: gettext_lazy("the respondents"),
    RESPONDENTS_WEIGHTED: gettext_lazy("the respondents, weighted by the known group sizes"),
    POPULATION: gettext_lazy("the population"),
    POPULATION_WEIGHTED: gettext_lazy("the population, weighted by the known group sizes"),
}
"""The text of each target, after "for" or a comma."""

METHODS = {
    "maximum_likelihood": gettext_lazy(
        "Shares are unbiased estimates from the inverted transition matrix; the maximum-likelihood estimate "
        "between 0 and 100 % is shown (Warner, 1965; van den Hout & van der Heijden, 2002)."
    ),
    "nearest_shares": gettext_lazy(
        "Where marks or a set are sent, each share is estimated from the count of its marks; the nearest "
        "non-negative shares that add up to 100 % are shown (Held et al., 1974)."
    ),
    "own_count": gettext_lazy(
        "For several choices, each share is estimated from its own count and kept between 0 and 100 %."
    ),
    "mean_of_shares": gettext_lazy(
        "The mean of a scale is the mean of its points, weighted by their estimated shares."
    ),
    "mean_of_scores": gettext_lazy(
        "The mean of a number is the mean of unbiased scores of the responses, kept within the range."
    ),
}
"""The text of each estimation method, by its key in files."""

DIFFERENCES = {
    "recovered": gettext_lazy(
        "The interval of a change in a share is recovered from the intervals of both waves (Zou, 2007)."
    ),
    "wald": gettext_lazy(
        "The interval of a change in a mean is a normal interval from the standard errors of both waves."
    ),
}
"""The text of each interval method for differences of two estimates, by its key in files."""

_BY_ENCODING = {"one_hot": "nearest_shares", "subset": "nearest_shares", "each_option": "own_count"}


@dataclass(frozen=True)
class EstimateMeta:
    """The target and methods of a number, as keys: of WORDS, METHODS, and `wording.METHODS` for intervals.

    `noise_target` and `noise_interval` are of the interval for the tickets' chance alone, the others of that which
    holds the drawing of respondents too.
    """

    target: str
    noise_target: str
    method: str
    interval: str
    noise_interval: str


def estimate_meta(item: QuestionResults, estimate: Estimate) -> EstimateMeta:
    """The target and methods of an estimate; the methods of its intervals are those that it names itself."""
    whole, noise = (target(item.partition, estimate.stratum, sampled=sampled) for sampled in (True, False))
    method = method_of(item, mean=estimate.measure == MEAN)
    return EstimateMeta(whole, noise, method, estimate.interval, estimate.noise_interval)


def target(partition: Partition, stratum: int | None = None, *, sampled: bool) -> str:
    """The target of the numbers of a group, or of all respondents together; `sampled` as for `low` and `high`."""
    return of_numbers(weighted=stratum is None and bool(known_shares(partition)), sampled=sampled)


def of_numbers(*, weighted: bool, sampled: bool) -> str:
    if sampled:
        return POPULATION_WEIGHTED if weighted else POPULATION
    return RESPONDENTS_WEIGHTED if weighted else RESPONDENTS


def method_of(item: QuestionResults, *, mean: bool) -> str:
    """The method of estimating the shares of a question, or its mean: a key of METHODS."""
    if mean:
        return "mean_of_shares" if item.question.fits_shares else "mean_of_scores"
    return _BY_ENCODING.get(item.frozen.encoding, "maximum_likelihood")


def of_difference(*, mean: bool) -> str:
    """The method of the intervals of a difference of two shares, or of two means: a key of DIFFERENCES."""
    return "wald" if mean else "recovered"


def is_weighted(target: str) -> bool:
    return target in (RESPONDENTS_WEIGHTED, POPULATION_WEIGHTED)


def common(targets: Iterable[str]) -> str:
    """The common target of several numbers; MIXED if they differ."""
    found = set(targets)
    return found.pop() if len(found) == 1 else MIXED


def heading(targets: Iterable[str], *, sampled: bool, confidence: str) -> str:
    """The heading of a column of intervals; if only some of its rows are weighted, these must say so."""
    found = common(targets)
    named = WORDS[of_numbers(weighted=False, sampled=sampled) if found == MIXED else found]
    text = _("%(confidence)s CI with sampling, for %(target)s")
    if not sampled:
        text = _("%(confidence)s CI from randomisation alone, for %(target)s")
    return text % {"confidence": confidence, "target": named}


def of_waves(targets: Iterable[str], *, sampled: bool) -> str:
    """The target of the numbers of several waves, as text; the tables mark weighted waves if only some are."""
    found = common(targets)
    if found != MIXED:
        return str(WORDS[found])
    text = _("%(target)s (in some waves weighted by the known group sizes)")
    return text % {"target": WORDS[of_numbers(weighted=False, sampled=sampled)]}


def of_report(partition: Partition, *, sampled: bool) -> str:
    """The target of all numbers of a report, including groups, as text."""
    named = WORDS[of_numbers(weighted=False, sampled=sampled)]
    if not known_shares(partition):
        return str(named)
    text = _("%(target)s (all respondents together are weighted by the known group sizes)")
    return text % {"target": named}


def of_all(partition: Partition, *, sampled: bool) -> str:
    """The target of the numbers of all respondents together, as text."""
    return str(WORDS[target(partition, sampled=sampled)])
