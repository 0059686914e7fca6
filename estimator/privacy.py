"""What a run says of its respondents' protection, and of what false reports could do to its numbers."""

import math
from dataclasses import dataclass
from fractions import Fraction

from estimator import wording
from estimator.results import Item, Results
from randomized_response import Channel, poisoning_bound

FALSE_SHARES = (Fraction(1, 100), Fraction(1, 20))
MECHANISMS = {
    "forced_response": "forced response (two coins)",
    "warner": "Warner’s mirror",
    "k_ary": "k-ary randomized response",
    "custom": "a table of its own",
}
STORED = (
    "One row for each report: a random number, the group, one randomised symbol for each question, and whether the "
    "page or the person’s own coin randomised it. No name, no address, no browser, no time."
)


@dataclass(frozen=True)
class ItemLabel:
    """The protection of one question."""

    key: str
    wording: str
    choices: tuple[str, ...]
    channel: Channel

    @property
    def table(self) -> list[tuple[str, tuple[int, ...]]]:
        """Each answer with the number of tickets that send each report."""
        return list(zip(self.choices, self.channel.weights, strict=True))

    @property
    def columns(self) -> list[str]:
        """What the reports are called: each is one of the choices."""
        return list(self.choices)

    @property
    def denominator(self) -> str:
        return wording.count(self.channel.denominator)

    @property
    def epsilon_text(self) -> str:
        return wording.epsilon(self.channel.epsilon)

    @property
    def odds_text(self) -> str:
        return wording.odds(self.channel.ratio)

    @property
    def mechanism(self) -> str:
        name = MECHANISMS.get(self.channel.name, self.channel.name)
        truth = "" if self.channel.truth is None else f", truth probability {self.channel.truth}"
        return f"Mechanism: {name}{truth}."


@dataclass(frozen=True)
class Label:
    """The privacy label of a design."""

    items: tuple[ItemLabel, ...]
    epsilon: float
    ratio: Fraction | float
    digest: str
    model: str = "local"
    unit: str = "one person, all answers"
    stored: str = STORED

    @property
    def epsilon_text(self) -> str:
        return wording.epsilon(self.epsilon)

    @property
    def odds_text(self) -> str:
        return wording.odds(self.ratio)


@dataclass(frozen=True)
class Bound:
    """How far false reports, freely chosen, can move any share of an item."""

    share: Fraction
    false_reports: int
    n: int
    shift: float

    @property
    def percent(self) -> str:
        return wording.percent(float(self.share))

    @property
    def false(self) -> str:
        return wording.count(self.false_reports)

    @property
    def of(self) -> str:
        return wording.count(self.n)

    @property
    def points(self) -> str:
        return wording.points_up(self.shift)


def label(results: Results) -> Label:
    """The privacy label of the design that a run estimated."""
    items = tuple(ItemLabel(item.key, item.wording, item.choices, item.channel) for item in results.items)
    ratio = math.prod((item.channel.ratio for item in items), start=Fraction(1))
    return Label(items=items, epsilon=results.epsilon, ratio=ratio, digest=results.design.digest)


def bounds(item: Item) -> tuple[Bound, ...]:
    """For 1 % and 5 % false reports, rounded up to whole reports; none where there are no reports."""
    sizes = [(share, math.ceil(share * item.n)) for share in FALSE_SHARES if item.n]
    return tuple(Bound(share, false, item.n, poisoning_bound(item.n, false, item.channel)) for share, false in sizes)
