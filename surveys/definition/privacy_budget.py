"""Privacy budget: the least and most that a respondent to every question and wave has spent.

Pure and exact: everything is kept as odds, e^epsilon as a fraction, so that sums of epsilon are products. Where a
survey draws anew (`fresh`) each wave is spent. Where devices remember their tickets (`remember`) an answer that did not
change sends the same report again, which tells nothing more: a question spends at least nothing, and at most once for
each of its possible answers, as long as nothing of it changes and the person keeps to one device. A report that differs
from the last wave's tells besides that the answer changed; that is no part of epsilon (docs/how-to/repeat-a-survey.md).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from collector.designs import Design, Item, canonical
from estimator.base.questions import question_of
from randomized_response import EachOption, epsilon_total
from randomized_response.questions import Mechanism

LONGEST = 10**60
"""The largest denominator of a sum: a longer one is rounded up to this one."""

MOST_WAVES = 100
"""Maximum number of further waves examined."""


@dataclass(frozen=True)
class Price:
    """The privacy loss of a question of a frozen design.

    One wave of it multiplies odds by `unit` to the power of `steps`, and all waves in which it is remembered by at most
    `unit` to the power of `bound`. `same` tells it from a question that differs in anything.
    """

    key: str
    same: bytes
    unit: Fraction
    steps: int
    bound: int

    @cached_property
    def ratio(self) -> Fraction:
        """e^epsilon of one response."""
        return self.unit**self.steps

    def remembered(self, waves: int) -> Fraction:
        """e^epsilon of this many waves with remembered tickets, at most."""
        return Fraction(self.unit ** min(waves * self.steps, self.bound))


@dataclass(frozen=True)
class QuestionPrice:
    """The privacy losses of a frozen design."""

    number: int
    repeats: str
    prices: tuple[Price, ...]
    versions: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def ratio(self) -> Fraction:
        """e^epsilon of one wave, of the version that tells the most."""
        return max(self.ratios)

    @cached_property
    def ratios(self) -> tuple[Fraction, ...]:
        """e^epsilon of one wave of each version of the page, which asks the prices at these places."""
        return tuple(
            math.prod((self.prices[place].ratio for place in asked), start=Fraction(1)) for asked in self.asked
        )

    @property
    def asked(self) -> tuple[tuple[int, ...], ...]:
        """The places of the prices of each version of the page; all of them where there is one."""
        return self.versions or (tuple(range(len(self.prices))),)

    def sum_of(self, spends: Sequence["Spend"]) -> "PrivacyLossSum":
        """What one wave adds, by the spends on each question: of the version that tells the least, and the most."""
        adds = [[spends[place].adds for place in asked] for asked in self.asked]
        return PrivacyLossSum(
            min(math.prod((one.least for one in version), start=Fraction(1)) for version in adds),
            max(math.prod((one.most for one in version), start=Fraction(1)) for version in adds),
        )

    @property
    def epsilon(self) -> float:
        """Epsilon of one wave, rounded up."""
        return epsilon_of(self.ratio)

    @property
    def remembers(self) -> bool:
        return self.repeats == "remember"


@dataclass(frozen=True)
class PrivacyLossSum:
    """Lower and upper bound of odds, e^epsilon."""

    least: Fraction = Fraction(1)
    most: Fraction = Fraction(1)

    @property
    def ratio(self) -> Fraction:
        return self.most

    @property
    def epsilon_least(self) -> float:
        return epsilon_of(self.least)

    @property
    def epsilon_most(self) -> float:
        return epsilon_of(self.most)

    def plus(self, other: "PrivacyLossSum") -> "PrivacyLossSum":
        return PrivacyLossSum(_short(self.least * other.least), _short(self.most * other.most))


NOTHING = PrivacyLossSum()


@dataclass(frozen=True)
class Spend:
    """A question in one wave: this response's loss alone, the added loss, and the total of all waves so far."""

    key: str
    ratio: Fraction
    adds: PrivacyLossSum
    total: PrivacyLossSum


@dataclass(frozen=True)
class WaveSpending:
    """One wave of the budget; `total` is the sum of all waves up to this one."""

    number: int
    repeats: str
    ratio: Fraction
    items: tuple[Spend, ...]
    adds: PrivacyLossSum
    total: PrivacyLossSum

    @property
    def epsilon(self) -> float:
        """Epsilon of this wave's responses alone, rounded up."""
        return epsilon_of(self.ratio)


def priced(design: Design) -> QuestionPrice:
    """The privacy losses of a frozen design. Raises ValueError if a table does not fit its encoding."""
    prices = tuple(_price(item) for item in design.items)
    return QuestionPrice(design.version, design.repeats, prices, design.versions)


def priced_question(key: str, same: bytes, mechanism: Mechanism, answers: int) -> Price:
    """The loss of a question with this mechanism and number of possible answers."""
    unit, steps, bound = mechanism.ratio, 1, answers
    if isinstance(mechanism, EachOption):
        # Each option is remembered by itself, ticked and not ticked; with a most, fewer of them differ in a wave.
        most = mechanism.most
        unit, bound = mechanism.channel.ratio, 2 * mechanism.k
        steps = mechanism.k if most is None else min(mechanism.k, 2 * most)
    assert isinstance(unit, Fraction)  # no design has a report that rules out an answer
    return Price(key, same, unit, steps, bound)


def ledger(designs: Iterable[QuestionPrice]) -> tuple[WaveSpending, ...]:
    """The privacy loss wave by wave.

    Parameters
    ----------
    designs : iterable of QuestionPrice
        Those that anybody answered, the oldest first.

    Returns
    -------
    tuple of Wave
        Neither bound of `total` ever falls.
    """
    waves: list[WaveSpending] = []
    remembered: dict[bytes, int] = {}
    items: dict[str, PrivacyLossSum] = {}
    for design in designs:
        spends = [_spend(price, design.remembers, remembered, items) for price in design.prices]
        adds = design.sum_of(spends)
        before = waves[-1].total if waves else NOTHING
        waves.append(WaveSpending(design.number, design.repeats, design.ratio, tuple(spends), adds, before.plus(adds)))
    return tuple(waves)


def spent(designs: Iterable[QuestionPrice]) -> PrivacyLossSum:
    """The sum over all waves; zero loss if there are none."""
    waves = ledger(designs)
    return waves[-1].total if waves else NOTHING


def waves_that_fit(before: Sequence[QuestionPrice], design: QuestionPrice, limit: float) -> int | None:
    """The number of further waves that fit under the ceiling if respondents spend the most they may.

    Each wave counts in full as it opens, also where tickets are remembered: a device may have forgotten.

    Parameters
    ----------
    before : sequence of QuestionPrice
        What was spent already, the oldest first.
    limit : float
        The ceiling, as epsilon.

    Returns
    -------
    int or None
        None where more than MOST_WAVES do, which where answers are remembered may be any number.
    """
    earlier: dict[bytes, int] = {}
    for price in (price for one in before if one.remembers for price in one.prices):
        earlier[price.same] = earlier.get(price.same, 0) + 1
    total, each = spent(before).epsilon_most, [(price, epsilon_of(price.unit)) for price in design.prices]
    for wave in range(MOST_WAVES + 1):
        if total + design.epsilon > limit + 1e-9:
            return wave
        adds = [epsilon * _steps(price, design.remembers, earlier.get(price.same, 0) + wave) for price, epsilon in each]
        total += max(sum(adds[place] for place in asked) for asked in design.asked)
    return None


def epsilon_of(ratio: Fraction) -> float:
    """The natural logarithm of odds, rounded up."""
    return epsilon_total([PrivacyLossSum(most=ratio)])


def _price(item: Item) -> Price:
    return priced_question(item.key, canonical(item.document), question_of(item).mechanism, item.answer_count)


def _spend(price: Price, remembers: bool, remembered: dict[bytes, int], items: dict[str, PrivacyLossSum]) -> Spend:
    """The loss of a question in a wave; updates its total and its count of remembered waves."""
    adds = PrivacyLossSum(price.ratio, price.ratio)
    if remembers:
        times = remembered.get(price.same, 0)
        remembered[price.same] = times + 1
        more = price.remembered(times + 1) / price.remembered(times)
        adds = PrivacyLossSum(Fraction(1) if times else price.ratio, more)
    items[price.key] = total = items.get(price.key, NOTHING).plus(adds)
    return Spend(price.key, price.ratio, adds, total)


def _steps(price: Price, remembers: bool, times: int) -> int:
    """The most steps that one more wave adds, after `times` waves with remembered tickets."""
    if not remembers:
        return price.steps
    return min((times + 1) * price.steps, price.bound) - min(times * price.steps, price.bound)


def _short(ratio: Fraction) -> Fraction:
    """The same odds, or slightly rounded up if the denominator is too large."""
    if ratio.denominator <= LONGEST:
        return ratio
    return Fraction(math.ceil(ratio * LONGEST), LONGEST)
