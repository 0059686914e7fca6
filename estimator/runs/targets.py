"""Of whom a number speaks, how it was made and how its intervals were: decided here, for every page and every file.

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
"""Of a difference of two numbers with different targets."""

WORDS = {
    RESPONDENTS: gettext_lazy("those who took part"),
    RESPONDENTS_WEIGHTED: gettext_lazy("those who took part, weighted by the known sizes of the groups"),
    POPULATION: gettext_lazy("the population"),
    POPULATION_WEIGHTED: gettext_lazy("the population, its groups weighted by their known sizes"),
}
"""What each target is called, after "for" or a comma."""

METHODS = {
    "maximum_likelihood": gettext_lazy(
        "Shares: the unbiased estimate from the inverted table; shown is the maximum-likelihood estimate within 0 to "
        "100 % (Warner, 1965; van den Hout & van der Heijden, 2002)."
    ),
    "nearest_shares": gettext_lazy(
        "Where marks or a set are sent: each share from the count of its marks; shown are the nearest shares that are "
        "not negative and sum to 100 % (Held et al., 1974)."
    ),
    "own_count": gettext_lazy("Of several choices: each share from its own count, kept within 0 to 100 %."),
    "mean_of_shares": gettext_lazy("The mean of a scale: of the points, weighted by their estimated shares."),
    "mean_of_scores": gettext_lazy(
        "The mean of a number: of scores of the reports, whose mean over the tickets is the answer itself; kept within "
        "the range."
    ),
}
"""How an estimate is made, by its key in files."""

DIFFERENCES = {
    "recovered": gettext_lazy("The interval of a change of a share is recovered from those of both waves (Zou, 2007)."),
    "wald": gettext_lazy("The interval of a change of a mean is a normal one, by the standard errors of both waves."),
}
"""How the interval of a difference of two estimates is made, by its key in files."""

_BY_ENCODING = {"one_hot": "nearest_shares", "subset": "nearest_shares", "each_option": "own_count"}


@dataclass(frozen=True)
class EstimateMeta:
    """What is to be said of a number, as keys: of WORDS, of METHODS, and of `wording.METHODS` for the intervals.

    `noise_target` and `noise_interval` are of the interval for the tickets' chance alone, the others of that which
    holds the drawing of respondents too.
    """

    target: str
    noise_target: str
    method: str
    interval: str
    noise_interval: str


def estimate_meta(item: QuestionResults, estimate: Estimate) -> EstimateMeta:
    """What is to be said of an estimate; the intervals' methods are those that the estimate itself names."""
    whole, noise = (target(item.partition, estimate.stratum, sampled=sampled) for sampled in (True, False))
    method = method_of(item, mean=estimate.measure == MEAN)
    return EstimateMeta(whole, noise, method, estimate.interval, estimate.noise_interval)


def target(partition: Partition, stratum: int | None = None, *, sampled: bool) -> str:
    """Of whom the numbers of a group speak, or of all respondents together; `sampled` as `low` and `high` are."""
    return of_numbers(weighted=stratum is None and bool(known_shares(partition)), sampled=sampled)


def of_numbers(*, weighted: bool, sampled: bool) -> str:
    if sampled:
        return POPULATION_WEIGHTED if weighted else POPULATION
    return RESPONDENTS_WEIGHTED if weighted else RESPONDENTS


def method_of(item: QuestionResults, *, mean: bool) -> str:
    """How the shares of a question, or its mean, are estimated: a key of METHODS."""
    if mean:
        return "mean_of_shares" if item.question.fits_shares else "mean_of_scores"
    return _BY_ENCODING.get(item.frozen.encoding, "maximum_likelihood")


def of_difference(*, mean: bool) -> str:
    """How the intervals of a difference of two shares, or of two means, are made: a key of DIFFERENCES."""
    return "wald" if mean else "recovered"


def is_weighted(target: str) -> bool:
    return target in (RESPONDENTS_WEIGHTED, POPULATION_WEIGHTED)


def common(targets: Iterable[str]) -> str:
    """The target of several numbers; MIXED where they have not the same."""
    found = set(targets)
    return found.pop() if len(found) == 1 else MIXED


def heading(targets: Iterable[str], *, sampled: bool, confidence: str) -> str:
    """The head of a column of intervals; where not all of its rows are weighted, those that are must say so."""
    found = common(targets)
    named = WORDS[of_numbers(weighted=False, sampled=sampled) if found == MIXED else found]
    return _("%(confidence)s interval, %(target)s") % {"confidence": confidence, "target": named}


def of_waves(targets: Iterable[str], *, sampled: bool) -> str:
    """Of whom the numbers of several waves speak, in words; the tables say which waves are weighted where some are."""
    found = common(targets)
    if found != MIXED:
        return str(WORDS[found])
    text = _("%(target)s (in some waves weighted by the known sizes of the groups)")
    return text % {"target": WORDS[of_numbers(weighted=False, sampled=sampled)]}


def of_report(partition: Partition, *, sampled: bool) -> str:
    """Of whom all numbers of a report speak, those of groups too, in words."""
    named = WORDS[of_numbers(weighted=False, sampled=sampled)]
    if not known_shares(partition):
        return str(named)
    text = _("%(target)s (all respondents together weighted by the known sizes of the groups)")
    return text % {"target": named}


def of_all(partition: Partition, *, sampled: bool) -> str:
    """Of whom the numbers of all respondents together speak, in words."""
    return str(WORDS[target(partition, sampled=sampled)])
