"""The methods paragraphs of a report, written from its design for use in a paper without changes."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from collector.designs import FEWEST_IN_GROUP
from estimator.base import wording
from estimator.base.mechanisms import REGISTRY, RegistryEntry
from estimator.reports.references import OF_INTERVALS
from estimator.runs import targets
from estimator.runs.estimation import known_shares
from estimator.runs.results import QuestionResults, Results

LARGEST_TABLE = 5
"""Largest number of rows and columns of an inline table; the privacy label and files have larger ones."""

CITED_BY_METHOD = {"maximum_likelihood": ("warner", "hout"), "nearest_shares": ("held",)}


@dataclass(frozen=True)
class Methods:
    """Paragraphs, and the keys of the works that they cite."""

    paragraphs: tuple[str, ...]
    cited: frozenset[str]


def methods(read: Results, *, sampling: bool) -> Methods:
    """Describe the randomisation, the estimation and the intervals. `sampling` as for the report's numbers."""
    fitted = [name for name in targets.METHODS if any(name in _fitted_by(item) for item in read.items)]
    intervals = [name for name in wording.METHODS if name in set(_intervals(read, sampling=sampling))]
    cited = {"kasiviswanathan", *(OF_INTERVALS[name] for name in intervals if name in OF_INTERVALS)}
    cited |= {key for name in fitted for key in CITED_BY_METHOD.get(name, ())}
    cited |= {key for item in read.items for key in _entry(item).works}
    cited |= {"cochran"} if known_shares(read.partition) else set()
    paragraphs = (
        " ".join([_randomised(read), *(_of_question(item, number) for number, item in enumerate(read.items, 1))]),
        " ".join([str(targets.METHODS[name]) for name in fitted] + [*_notes(read)]),
        _of_intervals(read, intervals, sampling=sampling),
    )
    return Methods(tuple(paragraph for paragraph in paragraphs if paragraph), frozenset(cited))


def _randomised(read: Results) -> str:
    text = _(
        "Each answer was randomised on the respondent’s own device before anything was sent (randomised response "
        "in the local model; Kasiviswanathan et al., 2011), by a scheme of integer weights published with the "
        "questions. The privacy loss over all answers of a person is epsilon = %(epsilon)s."
    )
    return " ".join([text % {"epsilon": wording.epsilon(read.epsilon)}, *_tossed(read)])


def _tossed(read: Results) -> Iterator[str]:
    """That in some versions of the page a coin stood for the device; nothing without such versions."""
    background = read.design.background
    if any(arm.own_coin for arm in background.arms):
        pairs = zip(background.arms, background.questions[0].choices, strict=True)
        names = ", ".join(f"“{name[read.language]}”" for arm, name in pairs if arm.own_coin)
        text = _(
            "In the versions %(versions)s of the page the device drew nothing: respondents tossed a coin or die of "
            "their own by the same scheme, and what they marked was sent."
        )
        yield text % {"versions": names}


def _of_question(item: QuestionResults, number: int) -> str:
    text = _("Question %(number)s: %(mechanism)s; epsilon = %(epsilon)s.")
    facts = {"number": number, "mechanism": _mechanism(item), "epsilon": wording.epsilon(item.mechanism.epsilon)}
    return text % facts + _matrix(item)


def _entry(item: QuestionResults) -> RegistryEntry:
    """The mechanism of a question; one with an unknown name has a custom table."""
    return REGISTRY.get(item.frozen.channel.name, REGISTRY["custom"])


def _mechanism(item: QuestionResults) -> str:
    entry, channel = _entry(item), item.frozen.channel
    if item.frozen.encoding != "each_option":
        return entry.describe(channel, item.choices)
    text = _("for each option separately, %(mechanism)s")
    return text % {"mechanism": entry.describe(channel, (_("not marked"), _("marked")))}


def _matrix(item: QuestionResults) -> str:
    """The table as inline text: a row for each true answer."""
    weights = item.frozen.channel.weights
    if item.frozen.encoding != "single" or max(len(weights), len(weights[0])) > LARGEST_TABLE:
        return ""
    rows = "; ".join(", ".join(str(Fraction(weight, sum(row))) for weight in row) for row in weights)
    return " " + _("Transition matrix, one row per true answer: (%(rows)s).") % {"rows": rows}


def _notes(read: Results) -> Iterator[str]:
    if any(item.kind == "scale" and not item.question.reports_shares for item in read.items):
        yield str(wording.MEAN_ALONE)
    if known_shares(read.partition):
        yield _(
            "Estimates for all respondents combine the groups, weighted by their known population shares (Cochran, "
            "1977)."
        )


def _of_intervals(read: Results, intervals: list[str], *, sampling: bool) -> str:
    if not intervals:
        return _("There are no intervals yet.")
    named = "; ".join(str(wording.METHODS[name]) for name in intervals)
    parts = [_("Intervals at %(confidence)s: %(methods)s.") % {"confidence": confidence(read), "methods": named}]
    noise = targets.of_report(read.partition, sampled=False)
    if sampling:
        text = _(
            "The main interval covers randomisation alone and is for %(noise)s. The interval with sampling is for "
            "%(target)s, of which the respondents are a simple random sample, as the author declares; hence the "
            "design effect is 1 apart from the weights, and no finite population correction is made."
        )
        parts.append(text % {"noise": noise, "target": targets.of_report(read.partition, sampled=True)})
    else:
        parts.append(_("They cover randomisation alone and are for %(target)s.") % {"target": noise})
    if read.run.anytime:
        parts.append(str(wording.EVERY_LOOK))
    parts.append(
        _(
            "No estimate is made from fewer than %(minimum)s responses. Numbers are rounded to the digits that "
            "the standard error supports, intervals outwards; the files have every digit."
        )
        % {"minimum": FEWEST_IN_GROUP}
    )
    parts.append(_("Computed with randomized_response %(version)s.") % {"version": read.run.version})
    return " ".join(parts)


def confidence(read: Results) -> str:
    """The confidence level, as written beside the intervals."""
    return wording.value(read.run.confidence, len(f"{100 * read.run.confidence:.10g}".partition(".")[2]))


def _intervals(read: Results, *, sampling: bool) -> Iterator[str]:
    for item in read.items:
        for cell in item.shown:
            if cell.known:
                meta = targets.estimate_meta(item, cell.estimate)
                yield meta.noise_interval
                if sampling:
                    yield meta.interval


def _fitted_by(item: QuestionResults) -> Iterator[str]:
    """The estimation methods that this question needs."""
    if item.question.fits_shares:
        yield targets.method_of(item, mean=False)
    if item.question.reports_mean:
        yield targets.method_of(item, mean=True)
