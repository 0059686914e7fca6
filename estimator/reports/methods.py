"""The methods paragraphs of a report, written from its design so that they can stand in a paper as they are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from collector.designs import FEWEST_IN_GROUP, Channel
from estimator.base import wording
from estimator.reports.references import OF_INTERVALS
from estimator.runs import targets
from estimator.runs.estimation import known_shares
from estimator.runs.results import Item, Results

LARGEST_TABLE = 5
"""Rows and columns up to which a paragraph holds the whole table; the privacy label and the files have larger ones."""

CITED_BY_METHOD = {"maximum_likelihood": ("warner", "hout"), "nearest_shares": ("held",)}


@dataclass(frozen=True)
class Methods:
    """Paragraphs, and the keys of the works that they cite."""

    paragraphs: tuple[str, ...]
    cited: frozenset[str]


def methods(read: Results, *, sampling: bool) -> Methods:
    """How the answers were randomised, estimated and given intervals. `sampling` as for the report's numbers."""
    fitted = [name for name in targets.METHODS if any(name in _fitted_by(item) for item in read.items)]
    intervals = [name for name in wording.METHODS if name in set(_intervals(read, sampling=sampling))]
    cited = {"kasiviswanathan", *(OF_INTERVALS[name] for name in intervals if name in OF_INTERVALS)}
    cited |= {key for name in fitted for key in CITED_BY_METHOD.get(name, ())}
    cited |= {key for item in read.items for key in _mechanism(item).cited}
    cited |= {"cochran"} if known_shares(read.partition) else set()
    paragraphs = (
        " ".join([_randomised(read), *(_of_question(item, number) for number, item in enumerate(read.items, 1))]),
        " ".join([str(targets.METHODS[name]) for name in fitted] + [*_mean_alone(read), *_weighted(read)]),
        _of_intervals(read, intervals, sampling=sampling),
    )
    return Methods(tuple(paragraph for paragraph in paragraphs if paragraph), frozenset(cited))


def _randomised(read: Results) -> str:
    text = _(
        "Each answer was randomised on the respondent’s own device before anything was sent (randomised response in "
        "the local model; Kasiviswanathan et al., 2011), by a table of integers that was published with the questions: "
        "epsilon is %(epsilon)s over all answers of a person."
    )
    return text % {"epsilon": wording.epsilon(read.epsilon)}


@dataclass(frozen=True)
class _Told:
    text: str
    cited: tuple[str, ...]


def _of_question(item: Item, number: int) -> str:
    text = _("Question %(number)s: %(mechanism)s; epsilon %(epsilon)s.")
    said = {"number": number, "mechanism": _mechanism(item).text, "epsilon": wording.epsilon(item.mechanism.epsilon)}
    return text % said + _matrix(item)


def _mechanism(item: Item) -> _Told:
    channel = item.frozen.channel
    told = _TOLD.get(channel.name, _custom)(item, channel)
    if item.frozen.encoding != "each_option":
        return told
    return _Told(_("for each option by itself, %(mechanism)s") % {"mechanism": told.text}, told.cited)


def _forced_response(item: Item, channel: Channel) -> _Told:
    text = _(
        "forced response (Boruch, 1971; Fox & Tracy, 1986): with probability %(truth)s the true answer was reported, "
        "otherwise “%(yes)s” with probability %(forced)s and “%(no)s” else"
    )
    each_option = item.frozen.encoding == "each_option"
    no, yes = (_("not marked"), _("marked")) if each_option else item.choices[:2]
    return _Told(
        text % {"truth": channel.truth, "forced": channel.parameters["yes"], "yes": yes, "no": no}, ("boruch", "fox")
    )


def _warner(item: Item, channel: Channel) -> _Told:
    text = _(
        "the design of Warner (1965): with probability %(truth)s the true answer was reported, otherwise the other one"
    )
    return _Told(text % {"truth": channel.truth}, ("warner",))


def _k_ary(item: Item, channel: Channel) -> _Told:
    text = _(
        "k-ary randomised response (Warner, 1965; Kairouz et al., 2016): with probability %(truth)s the true answer "
        "was reported, otherwise one of the %(count)s answers, drawn with equal odds"
    )
    return _Told(text % {"truth": channel.truth, "count": len(channel.weights)}, ("warner", "kairouz"))


def _unary(item: Item, channel: Channel) -> _Told:
    text = _(
        "unary encoding (Wang et al., 2017): for each of the %(count)s choices a mark was sent or none, a mark with "
        "probability %(on)s for the true answer and %(off)s for every other choice"
    )
    off, on = (Fraction(row[1], sum(row)) for row in channel.weights)
    return _Told(text % {"count": len(item.choices), "on": on, "off": off}, ("wang",))


def _subset(item: Item, channel: Channel) -> _Told:
    text = _(
        "subset selection (Ye & Barg, 2018): a set of %(size)s of the %(count)s choices was sent, which held the true "
        "answer with probability %(truth)s"
    )
    (row,) = channel.weights
    said = {"size": channel.size, "count": len(item.choices), "truth": Fraction(row[1], sum(row))}
    return _Told(text % said, ("ye",))


def _one_bit(item: Item, channel: Channel) -> _Told:
    text = _(
        "one bit for the mean (Duchi et al., 2018): one of two reports was sent, “highest” with a probability that "
        "rises in a straight line with the true number, from %(low)s to %(high)s"
    )
    low, high = (Fraction(row[1], sum(row)) for row in (channel.weights[0], channel.weights[-1]))
    return _Told(text % {"low": low, "high": high}, ("duchi",))


def _discrete_laplace(item: Item, channel: Channel) -> _Told:
    text = _(
        "the truncated geometric mechanism (discrete Laplace; Ghosh et al., 2012): a step up or down was added to the "
        "true answer, the larger the rarer, and what lay beyond an end was sent as that end"
    )
    return _Told(text, ("ghosh",))


def _custom(item: Item, channel: Channel) -> _Told:
    return _Told(_("a transition table of its own (van den Hout & van der Heijden, 2002)"), ("hout",))


_TOLD: dict[str, Callable[[Item, Channel], _Told]] = {
    "forced_response": _forced_response,
    "warner": _warner,
    "k_ary": _k_ary,
    "unary": _unary,
    "subset": _subset,
    "one_bit": _one_bit,
    "discrete_laplace": _discrete_laplace,
    "custom": _custom,
}
"""What is said of each mechanism."""


def _matrix(item: Item) -> str:
    """The table in line: a row for each true answer."""
    weights = item.frozen.channel.weights
    if item.frozen.encoding != "single" or max(len(weights), len(weights[0])) > LARGEST_TABLE:
        return ""
    rows = "; ".join(", ".join(str(Fraction(weight, sum(row))) for weight in row) for row in weights)
    return " " + _("Its transition table, a row for each true answer: (%(rows)s).") % {"rows": rows}


def _mean_alone(read: Results) -> Iterator[str]:
    if any(item.kind == "scale" and not item.question.reports_shares for item in read.items):
        yield str(wording.MEAN_ALONE)


def _weighted(read: Results) -> Iterator[str]:
    if known_shares(read.partition):
        yield _("All respondents are the groups weighted by their known shares of the population (Cochran, 1977).")


def _of_intervals(read: Results, intervals: list[str], *, sampling: bool) -> str:
    if not intervals:
        return _("There are no intervals yet.")
    named = "; ".join(str(wording.METHODS[name]) for name in intervals)
    parts = [_("Intervals at %(confidence)s: %(methods)s.") % {"confidence": confidence(read), "methods": named}]
    noise = targets.of_report(read.partition, sampled=False)
    if sampling:
        text = _(
            "One interval holds the chance of the tickets alone and is for %(noise)s; the other holds that of drawing "
            "the respondents too and is for %(target)s, of which they are a simple random sample, as its author "
            "declares: so the design effect is 1 but for the weights, and no finite population correction is made."
        )
        parts.append(text % {"noise": noise, "target": targets.of_report(read.partition, sampled=True)})
    else:
        parts.append(_("They hold the chance of the tickets and are for %(target)s.") % {"target": noise})
    if read.run.anytime:
        parts.append(str(wording.EVERY_LOOK))
    parts.append(
        _(
            "With fewer than %(minimum)s reports no estimate is made, and none is quoted whose interval is wider than "
            "half of all that is possible. What is shown is rounded as far as the standard "
            "error supports, intervals outwards; the files hold every digit."
        )
        % {"minimum": FEWEST_IN_GROUP}
    )
    parts.append(_("Computed with randomized_response %(version)s.") % {"version": read.run.version})
    return " ".join(parts)


def confidence(read: Results) -> str:
    """The level of the intervals, as it is written beside them."""
    return wording.value(read.run.confidence, len(f"{100 * read.run.confidence:.10g}".partition(".")[2]))


def _intervals(read: Results, *, sampling: bool) -> Iterator[str]:
    for item in read.items:
        for cell in item.shown:
            if cell.known:
                said = targets.meaning(item, cell.estimate)
                yield said.noise_interval
                if sampling:
                    yield said.interval


def _fitted_by(item: Item) -> Iterator[str]:
    """Which ways of estimating this question needs."""
    if item.question.fits_shares:
        yield targets.method_of(item, mean=False)
    if item.question.reports_mean:
        yield targets.method_of(item, mean=True)
