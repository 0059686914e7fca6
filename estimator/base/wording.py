"""Formatting of numbers: rounded as far as their error supports, and in quotable sentences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector.designs import FEWEST_IN_GROUP
from collector.reports.selectors import ReportCounts
from collector.reports.steps import STEP
from estimator.base.languages import figures
from estimator.base.measures import CLIPPED, CLIPPED_MEAN, IMPOSSIBLE, WEIGHTED
from estimator.base.verdict import Verdict

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


SPACE = "\u00a0"  # no line break between a number and its sign
MOST_DECIMALS = 2

FLAGS = {
    WEIGHTED: gettext_lazy("All respondents: weighted by the known group sizes."),
    CLIPPED: gettext_lazy(
        "Some unbiased estimates lay below 0 % or above 100 % and were moved to the limit; near a limit, chance "
        "alone can do that."
    ),
    CLIPPED_MEAN: gettext_lazy(
        "The unbiased estimate of the mean lay outside the range of the question and was moved to its limit; near "
        "a limit, chance alone can do that."
    ),
    IMPOSSIBLE: gettext_lazy(
        "One answer occurs more often in the responses than the randomisation scheme of this question can "
        "produce, far beyond chance. Someone may have sent false responses."
    ),
}
"""The texts of an estimate's flags; too few reports are stated in place of the numbers."""

METHODS = {
    "exact": gettext_lazy("exact binomial interval (Blaker, 2000), transformed by the randomisation scheme"),
    "feldman_cousins": gettext_lazy(
        "exact binomial interval for a share between 0 and 100 % (Feldman & Cousins, 1998), transformed by the "
        "randomisation scheme"
    ),
    "clopper_pearson": gettext_lazy("Clopper–Pearson interval, transformed by the randomisation scheme"),
    "score": gettext_lazy("Wilson score interval, transformed by the randomisation scheme"),
    "convolution": gettext_lazy(
        "exact interval for the number of respondents with the answer, from the distribution of a sum of two "
        "binomials (a convolution), ordered as by Feldman & Cousins (1998)"
    ),
    "mid_p": gettext_lazy("mid-p interval, transformed by the randomisation scheme"),
    "jeffreys": gettext_lazy("Jeffreys interval, transformed by the randomisation scheme"),
    "wald": gettext_lazy("Wald interval: the estimate and its standard error, normal approximation"),
    "recovered": gettext_lazy(
        "variances recovered from the groups’ exact Clopper–Pearson intervals (Zou, Huang & Zhang, 2009)"
    ),
    "recovered_score": gettext_lazy(
        "variances recovered from the groups’ score intervals for randomisation alone, with a continuity "
        "correction (Zou, Huang & Zhang, 2009)"
    ),
    "delta": gettext_lazy(
        "normal interval for a ratio of two estimates (the mean of those who chose a point), with its standard "
        "error by the delta method"
    ),
    "likelihood": gettext_lazy("profile likelihood interval on the simplex"),
    "bayes": gettext_lazy("highest posterior density interval under a uniform prior"),
    "bootstrap": gettext_lazy("bootstrap interval"),
    "beta_binomial_mixture": gettext_lazy(
        "confidence sequence: a beta-binomial mixture (Robbins, 1970), transformed by the randomisation scheme"
    ),
    "normal_mixture": gettext_lazy("asymptotic confidence sequence: a normal mixture (Waudby-Smith et al., 2024)"),
    "none": gettext_lazy("no interval"),
}

SENTENCES = {
    ("share", "all"): gettext_lazy(
        "Of the %(n)s %(respondents)s, an estimated %(estimate)s (%(interval)s) would truthfully answer “%(choice)s”."
    ),
    ("share", "weighted"): gettext_lazy(
        "Weighted by the known group sizes, an estimated %(estimate)s (%(interval)s) of the %(n)s %(respondents)s "
        "would truthfully answer “%(choice)s”."
    ),
    ("share", "group"): gettext_lazy(
        "In the group “%(group)s”, an estimated %(estimate)s (%(interval)s) of %(n)s %(respondents)s would truthfully "
        "answer “%(choice)s”."
    ),
    ("one_of_several", "all"): gettext_lazy(
        "Of the %(n)s %(respondents)s, an estimated %(estimate)s (%(interval)s) would truthfully tick “%(choice)s”."
    ),
    ("one_of_several", "weighted"): gettext_lazy(
        "Weighted by the known group sizes, an estimated %(estimate)s (%(interval)s) of the %(n)s %(respondents)s "
        "would truthfully tick “%(choice)s”."
    ),
    ("one_of_several", "group"): gettext_lazy(
        "In the group “%(group)s”, an estimated %(estimate)s (%(interval)s) of %(n)s %(respondents)s would truthfully "
        "tick “%(choice)s”."
    ),
    ("mean", "all"): gettext_lazy("The mean of the %(n)s %(respondents)s is an estimated %(estimate)s (%(interval)s)."),
    ("mean", "weighted"): gettext_lazy(
        "Weighted by the known group sizes, the mean of the %(n)s %(respondents)s is an estimated %(estimate)s "
        "(%(interval)s)."
    ),
    ("mean", "group"): gettext_lazy(
        "In the group “%(group)s”, the mean of the %(n)s %(respondents)s is an estimated %(estimate)s (%(interval)s)."
    ),
    ("mean_of_some", "all"): gettext_lazy(
        "Among those of the %(n)s %(respondents)s who chose a point, the mean is an estimated %(estimate)s "
        "(%(interval)s)."
    ),
    ("mean_of_some", "weighted"): gettext_lazy(
        "Weighted by the known group sizes, the mean among those of the %(n)s %(respondents)s who chose a point is an "
        "estimated %(estimate)s (%(interval)s)."
    ),
    ("mean_of_some", "group"): gettext_lazy(
        "In the group “%(group)s”, among those of the %(n)s %(respondents)s who chose a point, the mean is an "
        "estimated %(estimate)s (%(interval)s)."
    ),
}
"""The sentence that quotes an estimate, by what is estimated and of whom."""

IMPRECISE = {
    ("share", "all"): gettext_lazy("“%(choice)s”: too imprecise to report (%(n)s %(respondents)s, %(interval)s)."),
    ("share", "weighted"): gettext_lazy(
        "“%(choice)s”, weighted by the known group sizes: too imprecise to report (%(n)s %(respondents)s, "
        "%(interval)s)."
    ),
    ("share", "group"): gettext_lazy(
        "“%(choice)s” in the group “%(group)s”: too imprecise to report (%(n)s %(respondents)s, %(interval)s)."
    ),
    ("mean", "all"): gettext_lazy("Mean: too imprecise to report (%(n)s %(respondents)s, %(interval)s)."),
    ("mean", "weighted"): gettext_lazy(
        "Mean, weighted by the known group sizes: too imprecise to report (%(n)s %(respondents)s, %(interval)s)."
    ),
    ("mean", "group"): gettext_lazy(
        "Mean in the group “%(group)s”: too imprecise to report (%(n)s %(respondents)s, %(interval)s)."
    ),
}
"""The sentence in place of an estimate that is too imprecise to report: it gives the interval alone."""

EVERY_LOOK = gettext_lazy(
    "Estimated while the survey was open: these intervals stay valid however often you look and whenever you "
    "stop, and are wider for it. The final ones are estimated after closing."
)
"""The text for a run whose intervals are anytime-valid."""

MEAN_ALONE = gettext_lazy(
    "For a scale with discrete Laplace noise only the mean is shown; the shares of its points are too imprecise "
    "to report."
)


@dataclass(frozen=True)
class Unit:
    """The format of a kind of number: times `factor`, with at most `most` decimals, and `sign` after it."""

    factor: float
    most: int
    sign: "StrOrPromise"


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


def span(low: float | None, high: float | None, places: int = 0, unit: Unit = PERCENT) -> str:
    """Format an interval, rounded outwards, so that it is never narrower than computed."""
    if low is None or high is None:
        return "–"
    least, most = ends(low, high, places, unit)
    text = _("%(low)s to %(high)s") if low < 0 else _("%(low)s–%(high)s")
    return text % {"low": least, "high": f"{most}{unit.sign}"}


def ends(low: float, high: float, places: int = 0, unit: Unit = PERCENT) -> tuple[str, str]:
    """Format the ends of an interval, rounded outwards, without their unit."""
    return _down(low, places, unit), _up(high, places, unit)


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
        return _("Too few respondents chose a point for a mean")
    return _("Not enough responses yet: %(n)s of %(minimum)s") % {"n": n, "minimum": minimum}


@dataclass(frozen=True)
class Quote:
    """What a sentence quotes: numbers as text, and what they are of.

    `of`: share, one_of_several (respondents may hold more than one answer), mean, or mean_of_some (of those who chose a
    point alone). `simulated`: respondents are those of a rehearsal. `choice` is empty for a mean, `group` for all.
    """

    of: str
    n: int
    estimate: str
    interval: str
    verdict: Verdict | None
    choice: str = ""
    group: str = ""
    weighted: bool = False
    simulated: bool = False

    @property
    def whom(self) -> str:
        return "group" if self.group else "weighted" if self.weighted else "all"


def sentence(quote: Quote) -> str:
    """A quotable sentence with an estimate and its interval, or with the interval alone if that is too wide."""
    facts = {
        "group": quote.group, "respondents": respondents(simulated=quote.simulated), "n": count(quote.n),
        "choice": quote.choice, "interval": quote.interval, "estimate": quote.estimate,
    }  # fmt: skip
    if quote.verdict is Verdict.TOO_IMPRECISE:
        of = "mean" if quote.of.startswith("mean") else "share"
        return str(IMPRECISE[of, quote.whom]) % facts
    text = str(SENTENCES[quote.of, quote.whom]) % facts
    return f"{text} {_('This estimate is rough.')}" if quote.verdict is Verdict.ROUGH else text


def interval_label(confidence: str, *, both: bool) -> str:
    """The name of the main interval before its ends; `both` if another one stands beside it."""
    text = _("%(confidence)s CI from randomisation alone") if both else _("%(confidence)s CI")
    return text % {"confidence": confidence}


def of_largest(quoted: str, *, distinct: bool) -> str:
    """The sentence on the largest of several shares, whose interval holds for all of them together.

    `distinct`: whether that interval lies above those of all others.
    """
    text = _("%(sentence)s The interval is simultaneous: it holds for all choices together.")
    if not distinct:
        text = _(
            "%(sentence)s The interval is simultaneous: it holds for all choices together. The data do not show "
            "which choice is the most frequent."
        )
    return text % {"sentence": quoted}


def respondents(*, simulated: bool) -> str:
    """The noun for respondents after a number."""
    return _("simulated respondents") if simulated else _("respondents")


def versions_sentence(names: Sequence[str], *, later: bool) -> str:
    """Which versions of the page ask a question; `later` where nothing is told of it before the survey is closed."""
    text = _(
        "Asked only in these versions of the page, drawn by chance: %(versions)s. The estimates are for those who saw "
        "one of them."
    )
    if later:
        text = _(
            "Asked only in these versions of the page, drawn by chance: %(versions)s. Nothing is told by version while "
            "responses arrive, so it is estimated once the closing of the survey is final."
        )
    return text % {"versions": ", ".join(_("“%(answer)s”") % {"answer": name} for name in names)}


def condition_sentence(question: str, answers: Sequence[str], unasked: str) -> str:
    """Who was asked, and what the others are counted as; nothing ticked where `unasked` is empty."""
    named = _(" or ").join(_("“%(answer)s”") % {"answer": answer} for answer in answers)
    if unasked:
        text = _(
            "Asked only of respondents who answered %(answers)s to “%(question)s”. The estimates are for all "
            "respondents; those who were not asked count as “%(unasked)s”."
        )
    else:
        text = _(
            "Asked only of respondents who answered %(answers)s to “%(question)s”. The estimates are for all "
            "respondents; those who were not asked count as having ticked nothing."
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
