"""Formatting of numbers: rounded as far as their error supports, and in quotable sentences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector.designs import FEWEST_IN_GROUP
from collector.reports.selectors import ReportCounts
from collector.reports.steps import STEP
from estimator.base.languages import figures
from estimator.base.measures import CLIPPED, CLIPPED_MEAN, IMPOSSIBLE, WEIGHTED

SPACE = "\u00a0"  # no line break between a number and its sign
MOST_DECIMALS = 2

FLAGS = {
    WEIGHTED: gettext_lazy("All respondents: weighted by the known sizes of the groups."),
    CLIPPED: gettext_lazy(
        "Not every estimated share lay within 0 to 100 % before it was kept there: near the edge, chance alone does "
        "that."
    ),
    CLIPPED_MEAN: gettext_lazy(
        "Before it was kept within the range of the question, the mean lay outside: near an end, chance alone does "
        "that."
    ),
    IMPOSSIBLE: gettext_lazy(
        "The reports hold more of one answer than the table of this question can produce, by far more than chance "
        "explains. Somebody may have sent false reports."
    ),
}
"""The texts of an estimate's flags; too few reports are stated in place of the numbers."""

METHODS = {
    "exact": gettext_lazy("exact binomial interval (Blaker 2000) mapped through the table"),
    "feldman_cousins": gettext_lazy(
        "exact binomial interval for a share between 0 and 100 % (Feldman and Cousins 1998) mapped through the table"
    ),
    "clopper_pearson": gettext_lazy("Clopper-Pearson interval mapped through the table"),
    "score": gettext_lazy("score interval (Wilson) mapped through the table"),
    "convolution": gettext_lazy(
        "exact interval for the number of respondents who hold the answer: chances of a sum of two binomials "
        "(a convolution), ordered as by Feldman and Cousins (1998)"
    ),
    "mid_p": gettext_lazy("mid-p interval mapped through the table"),
    "jeffreys": gettext_lazy("Jeffreys interval mapped through the table"),
    "wald": gettext_lazy("Wald interval: the estimate and its standard error, normal approximation"),
    "recovered": gettext_lazy(
        "variances recovered from the groups' exact intervals, Clopper and Pearson's (Zou, Huang and Zhang 2009)"
    ),
    "recovered_score": gettext_lazy(
        "variances recovered from the groups' score intervals for the tickets' chance alone, with a continuity "
        "correction (Zou, Huang and Zhang 2009)"
    ),
    "delta": gettext_lazy(
        "normal interval of a ratio of two estimates (the mean of those who gave a point), its standard error by the "
        "delta method"
    ),
    "likelihood": gettext_lazy("profile likelihood interval on the simplex"),
    "bayes": gettext_lazy("densest part of the posterior under equally likely mixtures"),
    "bootstrap": gettext_lazy("bootstrap interval"),
    "beta_binomial_mixture": gettext_lazy(
        "confidence sequence: a beta-binomial mixture (Robbins 1970) mapped through the table"
    ),
    "normal_mixture": gettext_lazy("asymptotic confidence sequence: a normal mixture (Waudby-Smith et al. 2024)"),
    "none": gettext_lazy("no interval"),
}

SENTENCES = {
    ("share", "all"): gettext_lazy(
        "An estimated %(estimate)s of the %(n)s %(respondents)s (%(interval)s) have “%(choice)s” as their true answer."
    ),
    ("share", "weighted"): gettext_lazy(
        "Weighted by the known sizes of the groups, an estimated %(estimate)s of the %(n)s %(respondents)s "
        "(%(interval)s) have “%(choice)s” as their true answer."
    ),
    ("share", "group"): gettext_lazy(
        "In the group “%(group)s”, an estimated %(estimate)s of %(n)s %(respondents)s (%(interval)s) have "
        "“%(choice)s” as their true answer."
    ),
    ("one_of_several", "all"): gettext_lazy(
        "An estimated %(estimate)s of the %(n)s %(respondents)s (%(interval)s) have “%(choice)s” among their true "
        "answers."
    ),
    ("one_of_several", "weighted"): gettext_lazy(
        "Weighted by the known sizes of the groups, an estimated %(estimate)s of the %(n)s %(respondents)s "
        "(%(interval)s) have “%(choice)s” among their true answers."
    ),
    ("one_of_several", "group"): gettext_lazy(
        "In the group “%(group)s”, an estimated %(estimate)s of %(n)s %(respondents)s (%(interval)s) have "
        "“%(choice)s” among their true answers."
    ),
    ("mean", "all"): gettext_lazy("The %(n)s %(respondents)s’ mean is an estimated %(estimate)s (%(interval)s)."),
    ("mean", "weighted"): gettext_lazy(
        "Weighted by the known sizes of the groups, the mean of the %(n)s %(respondents)s is an estimated "
        "%(estimate)s (%(interval)s)."
    ),
    ("mean", "group"): gettext_lazy(
        "In the group “%(group)s”, the mean of the %(n)s %(respondents)s is an estimated %(estimate)s (%(interval)s)."
    ),
    ("mean_of_some", "all"): gettext_lazy(
        "The mean of those of the %(n)s %(respondents)s who gave a point is an estimated %(estimate)s (%(interval)s)."
    ),
    ("mean_of_some", "weighted"): gettext_lazy(
        "Weighted by the known sizes of the groups, the mean of those of the %(n)s %(respondents)s who gave a "
        "point is an estimated %(estimate)s (%(interval)s)."
    ),
    ("mean_of_some", "group"): gettext_lazy(
        "In the group “%(group)s”, the mean of those of the %(n)s %(respondents)s who gave a point is an estimated "
        "%(estimate)s (%(interval)s)."
    ),
}
"""The sentence that quotes an estimate, by what is estimated and of whom."""

EVERY_LOOK = gettext_lazy(
    "Made while reports still came in, so its intervals are valid however often you look, and whatever makes you stop. "
    "They are wider for it; the final ones are made at closing."
)
"""The text for a run whose intervals are anytime-valid."""

MEAN_ALONE = gettext_lazy(
    "Of a scale with discrete Laplace noise only the mean is shown: the shares of its points, of which it is made, are "
    "too uncertain to be read."
)


@dataclass(frozen=True)
class Unit:
    """The format of a kind of number: times `factor`, with at most `most` decimals, and `sign` after it."""

    factor: float
    most: int
    sign: str


PERCENT = Unit(100, MOST_DECIMALS, f"{SPACE}%")
PLAIN = Unit(1, 6, "")
"""The unit of the question itself, used for means."""


def unit_of(*, mean: bool) -> Unit:
    return PLAIN if mean else PERCENT


def decimals(standard_error: float | None, unit: Unit = PERCENT) -> int:
    """The number of decimals that the standard error supports."""
    if not standard_error:
        return 0
    return min(unit.most, max(0, math.ceil(-math.log10(unit.factor * standard_error))))


def value(number: float | None, places: int = 0, unit: Unit = PERCENT) -> str:
    """Format a number in its unit; a dash for None."""
    return "–" if number is None else f"{_unsigned(unit.factor * number, places)}{unit.sign}"


def percent(share: float | None, places: int = 0) -> str:
    """Format a share as a percentage; a dash for None."""
    return value(share, places)


def between(low: float | None, high: float | None, places: int = 0, unit: Unit = PERCENT) -> str:
    """Format an interval in words, rounded outwards, so that it is never narrower than computed."""
    if low is None or high is None:
        return "–"
    ends = {"low": f"{_down(low, places, unit)}{unit.sign}", "high": f"{_up(high, places, unit)}{unit.sign}"}
    return _("between %(low)s and %(high)s") % ends


def span(low: float | None, high: float | None, places: int = 0, unit: Unit = PERCENT) -> str:
    """Format an interval briefly for a table, rounded outwards."""
    if low is None or high is None:
        return "–"
    ends = {"low": _down(low, places, unit), "high": f"{_up(high, places, unit)}{unit.sign}"}
    return _("%(low)s to %(high)s") % ends


def error(difference: float | None, places: int = 1, unit: Unit = PERCENT) -> str:
    """Format a standard error: of a share in percentage points, else in the unit itself."""
    return "–" if difference is None else figures(f"{unit.factor * difference:,.{places}f}")


def point(number: float) -> str:
    """Format a number that was offered as an answer, exactly."""
    return figures(f"{number:,.10g}")


def shift_up(difference: float) -> str:
    """Format a bound in the unit of a question, rounded up to two digits."""
    if difference <= 0:
        return "0"
    places = max(0, 1 - math.floor(math.log10(difference)))
    return figures(f"{_ceil(difference * 10**places) / 10**places:,.{places}f}")


def points_up(difference: float) -> str:
    """Format a bound in percentage points, rounded up to a tenth."""
    return figures(f"{_ceil(difference * 1000) / 10:.1f}")


def count(number: float | None) -> str:
    return "–" if number is None else figures(f"{number:,.0f}")


def reports(counted: ReportCounts) -> str:
    """Format a design's number of reports; while it is open, the number counted."""
    if counted.stepwise and not counted.stored:
        return _("fewer than %(step)s") % {"step": STEP}
    return count(counted.stored)


def epsilon(value: float) -> str:
    """Format epsilon with two decimals, rounded up, to never overstate privacy."""
    return "∞" if math.isinf(value) else figures(f"{math.ceil(value * 100) / 100:.2f}")


def odds(ratio: Fraction | float) -> str:
    """Format e^epsilon as a factor, rounded up: to a tenth below ten, otherwise to a whole number."""
    if isinstance(ratio, float) and math.isinf(ratio):
        return "∞"
    tenths = math.ceil(Fraction(ratio) * 10)
    return figures(f"{tenths / 10:g}" if tenths < 100 else f"{math.ceil(Fraction(ratio)):,}")


def not_enough(n: int, *, values: bool = False, minimum: int = FEWEST_IN_GROUP) -> str:
    """The reason for a missing estimate; `values` if there are enough reports, but too few with a value."""
    if values:
        return _("Too few gave a point for a mean")
    return _("Not enough reports yet: %(n)s of %(minimum)s") % {"n": n, "minimum": minimum}


def sentence(
    of: str, *, group: str, simulated: bool, n: int, weighted: bool, estimate: str, interval: str, choice: str = ""
) -> str:
    """A quotable sentence with an estimate and its interval, or without an `estimate` too wide to be of use.

    `of`: share, one_of_several (people may hold more than one answer), mean, or mean_of_some (of those who gave a point
    alone). `simulated`: respondents are those of a rehearsal.
    """
    facts = {"group": group, "respondents": respondents(simulated=simulated), "n": count(n), "choice": choice}
    if not estimate:
        return _too_wide(of, facts, interval, weighted=weighted)
    whom = "group" if group else "weighted" if weighted else "all"
    return str(SENTENCES[of, whom]) % (facts | {"estimate": estimate, "interval": interval})


def _too_wide(of: str, facts: dict[str, str], interval: str, *, weighted: bool) -> str:
    what = _("the share of “%(choice)s” among the %(n)s %(respondents)s") % facts
    if of == "mean":
        what = _("the mean of the %(n)s %(respondents)s") % facts
    elif of == "mean_of_some":
        what = _("the mean of those of the %(n)s %(respondents)s who gave a point") % facts
    if facts["group"]:
        what = _("%(what)s in the group “%(group)s”") % {"what": what, "group": facts["group"]}
    elif weighted:
        what = _("%(what)s, weighted by the known sizes of the groups") % {"what": what}
    text = _(
        "Too few reports to tell %(what)s: the interval runs from %(interval)s, more than half of all that is possible."
    )
    return text % {"what": what, "interval": interval}


def of_largest(quoted: str, *, distinct: bool) -> str:
    """The sentence on the largest of several shares, whose interval holds for all of them together.

    `distinct`: whether that interval lies above those of all others.
    """
    text = _("%(sentence)s Its interval is one of those that hold for all choices together.")
    if not distinct:
        text = _(
            "%(sentence)s Its interval is one of those that hold for all choices together; no choice can be told to be "
            "the most frequent."
        )
    return text % {"sentence": quoted}


def respondents(*, simulated: bool) -> str:
    """The noun for respondents after a number."""
    return _("simulated respondents") if simulated else _("respondents")


def condition_sentence(question: str, answers: Sequence[str], unasked: str) -> str:
    """Who was asked, and what the others are counted as; nothing ticked where `unasked` is empty."""
    named = _(" or ").join(_("“%(answer)s”") % {"answer": answer} for answer in answers)
    if unasked:
        text = _(
            "Asked only of those who answered %(answers)s to “%(question)s”. The estimates are of all respondents: "
            "those who were not asked count as “%(unasked)s”."
        )
    else:
        text = _(
            "Asked only of those who answered %(answers)s to “%(question)s”. The estimates are of all respondents: "
            "those who were not asked count as having ticked nothing."
        )
    return text % {"answers": named, "question": question, "unasked": unasked}


def outwards(low: float, high: float, places: int, unit: Unit = PERCENT) -> tuple[float, float]:
    """Round an interval in its unit outwards to this many decimals."""
    scale = unit.factor * 10**places
    return math.floor(low * scale + 1e-9) / 10**places, _ceil(high * scale) / 10**places


def _down(number: float, places: int, unit: Unit) -> str:
    return _unsigned(outwards(number, number, places, unit)[0], places)


def _up(number: float, places: int, unit: Unit) -> str:
    return _unsigned(outwards(number, number, places, unit)[1], places)


def _ceil(value: float) -> int:
    return math.ceil(value - 1e-9)


def _unsigned(number: float, places: int) -> str:
    text = f"{number:,.{places}f}"
    return figures(text.lstrip("-") if not text.strip("-0.,") else text)
