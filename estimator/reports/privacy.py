"""The protection of a run's respondents, and bounds on the effect of false reports."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector import designs
from collector.designs import Ceilings
from estimator.base import wording
from estimator.base.birthdays import by_birthdays
from estimator.base.measures import MEAN, SHARE
from estimator.base.mechanisms import PARAMETERS, REGISTRY
from estimator.base.protection import Odds, ratios_of_versions
from estimator.base.questions import question_of
from estimator.base.tickets import Tickets, encoding_sentence, tickets_of
from estimator.base.ways_in import WayIn, way_in
from estimator.runs.estimation import known_shares, range_of
from estimator.runs.results import QuestionResults, Results
from randomized_response import Channel, epsilon_total, poisoning_bound, poisoning_bound_of_mean
from randomized_response.questions import Mechanism

FALSE_SHARES = (Fraction(1, 100), Fraction(1, 20))
STORED = gettext_lazy(
    "One row per response: a random number, the group, the randomised answers, and whether the page or the "
    "respondent’s own coin randomised them. No name, no IP address, no browser, no time."
)
STORED_BY_BIRTHDAYS = gettext_lazy(
    "One row per response: a random number, the group, the randomised answers, and whether the page or a birthday "
    "randomised them. No name, no IP address, no browser, no time."
)


@dataclass(frozen=True)
class QuestionPrivacy:
    """The protection of one question. Made by `item_label`."""

    key: str
    wording: str
    frozen: designs.Item
    mechanism: Mechanism
    tickets: Tickets

    @property
    def epsilon_text(self) -> str:
        return wording.epsilon(self.mechanism.epsilon)

    @property
    def odds_text(self) -> str:
        return wording.odds(self.mechanism.ratio)

    @property
    def how(self) -> str:
        """A sentence on the encoding of an answer; empty for one of the choices."""
        return encoding_sentence(self.frozen)

    @property
    def named(self) -> str:
        """The name of the mechanism, with its probabilities."""
        name, values = self.frozen.channel.name, self.frozen.channel.parameters
        reported = [parameter for parameter in PARAMETERS.values() if parameter.reported and parameter.name in values]
        given = [f"{parameter.reported} {values[parameter.name]}" for parameter in reported]
        named = ", ".join([str(REGISTRY[name].title if name in REGISTRY else name), *given])
        return _("Mechanism: %(mechanism)s.") % {"mechanism": named}

    @property
    def sentence(self) -> str:
        """A sentence on the most that a report of this question reveals."""
        values = _(
            "Privacy loss (epsilon) %(epsilon)s: a response changes the odds between two answers by a factor of at "
            "most %(odds)s."
        )
        return values % {"epsilon": self.epsilon_text, "odds": self.odds_text}


@dataclass(frozen=True)
class EarlierWaves:
    """The privacy loss of earlier waves as stated by a design, and of all of them with this one.

    The numbers are the most that a person can have spent who answered each of them.
    """

    repeats: str
    spent: Fraction
    together: Fraction
    unit: str = "one person, all answers, all waves so far"

    @property
    def remembers(self) -> bool:
        """Return True if an unchanged answer was sent as the same report again."""
        return self.repeats == "remember"

    @property
    def epsilon(self) -> float:
        """The epsilon of earlier waves, rounded up."""
        return epsilon_total([Odds(self.spent)])

    @property
    def epsilon_together(self) -> float:
        """The epsilon of all waves so far, rounded up."""
        return epsilon_total([Odds(self.together)])

    @property
    def in_words(self) -> str:
        """Sentences on the total privacy loss, and on what a repeated answer adds."""
        sentences = [self._sum] if self.spent > 1 else []
        remembered = _(
            "Devices remember their tickets: an unchanged answer is sent as the same response again and adds no "
            "privacy loss; a changed one does, and may show that it changed."
        )
        return " ".join([*sentences, remembered if self.remembers else _("Each wave is randomised anew.")])

    @property
    def _sum(self) -> str:
        text = _(
            "In earlier waves and linked surveys of the same people, one person’s privacy loss can be at most "
            "epsilon %(before)s, and %(together)s with this wave: all their responses so far together change the "
            "odds by a factor of at most %(odds)s."
        )
        together = wording.epsilon(self.epsilon_together)
        return text % {"before": wording.epsilon(self.epsilon), "together": together, "odds": self.odds_text}

    @property
    def odds_text(self) -> str:
        return wording.odds(self.together)


@dataclass(frozen=True)
class PrivacyLabel:
    """The privacy label of a design. `before` is None if it states nothing on other waves."""

    items: tuple[QuestionPrivacy, ...]
    epsilon: float
    ratio: Fraction | float
    digest: str
    way_in: WayIn
    before: EarlierWaves | None = None
    ceilings: Ceilings | None = None
    birthdays: bool = False
    model: str = "local"

    @property
    def unit(self) -> str:
        """The unit of privacy of the total."""
        return "one person, all answers in this wave" if self.before else "one person, all answers"

    @property
    def stored(self) -> str:
        return str(STORED_BY_BIRTHDAYS if self.birthdays else STORED)

    @property
    def epsilon_text(self) -> str:
        return wording.epsilon(self.epsilon)

    @property
    def odds_text(self) -> str:
        return wording.odds(self.ratio)

    @property
    def uncounted(self) -> str:
        """A sentence on what the total cannot include."""
        return str(self.way_in.uncounted)

    @property
    def reason(self) -> str:
        """The reason for opening above a ceiling; empty if none was required."""
        return self.ceilings.reason if self.ceilings else ""

    @property
    def ceilings_in_words(self) -> str:
        """A sentence on the design's ceilings, before the reason for exceeding them."""
        text = _(
            "Without a stated reason, a survey opens only with an epsilon of at most %(question)s per question "
            "and %(total)s in total, earlier waves included. This survey exceeds that; the author’s reason:"
        )
        return text % {"question": self.ceilings.question, "total": self.ceilings.total} if self.ceilings else ""


@dataclass(frozen=True)
class PoisoningBound:
    """The largest shift of any share of an item, or its mean, by arbitrary false reports, in the item's unit.

    `widest` is the length of the range: a shift so long says that nothing is certain.
    """

    measure: str
    share: Fraction
    false_reports: int
    n: int
    shift: float
    widest: float

    def in_words(self, *, first: bool) -> str:
        """A part of a sentence that names the measure, so that it can be quoted."""
        of_share = self.measure == SHARE
        if self.shift >= self.widest:
            text = (
                _("with %(share)s false responses (%(false)s of %(n)s), a share could take any value")
                if of_share
                else _("with %(share)s false responses (%(false)s of %(n)s), the mean could take any value")
            )
        elif of_share:
            text = _(
                "with %(share)s false responses (%(false)s of %(n)s), no share shifts by more than %(shift)s "
                "percentage points"
            )
        else:
            text = _("with %(share)s false responses (%(false)s of %(n)s), the mean shifts by no more than %(shift)s")
        phrase = text % {
            "share": wording.percent(float(self.share)),
            "false": wording.count(self.false_reports),
            "n": wording.count(self.n),
            "shift": wording.points_up(self.shift) if of_share else wording.shift_up(self.shift),
        }
        return phrase[:1].upper() + phrase[1:] if first else phrase


def item_label(item: designs.Item, language: str) -> QuestionPrivacy:
    """The protection of an item of a frozen design, in one of its languages; a draft may lack some texts.

    Raises ValueError where its table is not one of its encoding.
    """
    question = question_of(item)
    tickets = tickets_of(item, question, language)
    return QuestionPrivacy(item.key, item.wording.get(language, ""), item, question.mechanism, tickets)


def label(results: Results) -> PrivacyLabel:
    """The privacy label of the design that a run estimated."""
    items = tuple(item_label(item.frozen, item.language) for item in results.items)
    ratio = max(ratios_of_versions(results.design))
    design, way = results.design, way_in(results.design)
    before, waves = None, design.waves
    if waves is not None:
        before = EarlierWaves(waves.repeats, waves.spent, waves.spent * Fraction(ratio))
    birthdays = by_birthdays(design)
    return PrivacyLabel(items, results.epsilon, ratio, design.digest, way, before, design.ceilings, birthdays)


def bounds(item: QuestionResults) -> tuple[PoisoningBound, ...]:
    """Bounds for 1 % and 5 % false reports, rounded up to whole reports; none if there are no reports.

    Of shares through a table that is neither one of yes/no nor k-ary there is none where a share is so near 0 that
    nothing is certain. Where groups are weighted, all false reports may stand in the group whose reports weigh most.
    """
    weight = largest_weight(item)
    if weight is None:
        return ()
    sizes = [(share, math.ceil(share * item.n)) for share in FALSE_SHARES]
    fitted = item.overall.shares if item.overall else None
    shifts = [
        (share, false, poisoning_bound(item.n, false, item.mechanism, fitted, weight))
        for share, false in sizes * item.question.reports_shares
    ]
    shares = (
        PoisoningBound(SHARE, share, false, item.n, shift, 1.0) for share, false, shift in shifts if shift < math.inf
    )
    means = (
        PoisoningBound(
            MEAN, share, false, item.n, shift_of_mean(item, false, weight), range_of(item.question, MEAN).length
        )
        for share, false in sizes * item.question.reports_mean
    )
    return *shares, *means


def bounds_in_words(item: QuestionResults) -> Iterator[str]:
    """A sentence for the shares, and one for the mean, if there are bounds."""
    for _measure, some in groupby(bounds(item), key=lambda bound: bound.measure):
        yield "; ".join(bound.in_words(first=number == 0) for number, bound in enumerate(some)) + "."


def largest_weight(item: QuestionResults) -> float | None:
    """The largest weight of a report, relative to 1 / n; None without reports, or with an empty weighted group."""
    if not item.n:
        return None
    known, sizes = known_shares(item.partition), item.totals[0].sum(axis=1).tolist()
    if not known:
        return 1.0
    return max(share * item.n / size for share, size in zip(known, sizes, strict=True)) if min(sizes) else None


def shift_of_mean(item: QuestionResults, false_reports: int, weight: float) -> float:
    """The largest shift of the mean by this many false reports, in its unit; the whole range if it is unknown."""
    assert isinstance(item.mechanism, Channel)
    values, widest = item.question.values, range_of(item.question, MEAN).length
    shares = item.overall.shares if item.overall else None
    if shares is None and None in values:
        return widest
    shift = poisoning_bound_of_mean(item.n, false_reports, item.mechanism, values, shares, weight=weight)
    return min(shift, widest)
