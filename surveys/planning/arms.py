"""Versions of the page in planning: what is said of them, and how large a difference a survey finds between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, hypot, sqrt
from statistics import NormalDist

from django.utils.translation import gettext as _

from collector.designs import Arm, Design, Item
from collector.designs.arms import shares_of, versions_of
from estimator.base import wording
from estimator.base.protection import ratios_of_versions
from randomized_response import Channel, epsilon_total, plan
from randomized_response.intervals import normal_quantile
from surveys.definition.mechanisms import mechanism_of
from surveys.definition.parts import BackgroundPart, ItemPart
from surveys.planning.forecast import POWER

SHARE = 0.5
"""Of yes with the first version, at which an estimate is least precise."""
STEPS = 20
LEVEL = 0.95
DISOBEY = 0.1
"""Share of people who mark No whatever their coin shows that two coins are to show."""


@dataclass(frozen=True)
class VersionPlan:
    """What a version of the page costs and tells.

    - `epsilon`: privacy loss of everything that it asks.
    - `difference`: the smallest difference from the first version, of the share of yes of a question, that is found
      with a power of POWER; None of the first version, and where none is found so often.
    """

    epsilon: float
    epsilon_text: str
    difference: float | None


def version_plans(items: Sequence[ItemPart], background: BackgroundPart) -> list[VersionPlan]:
    """The plan of each version of a draft with arms.

    Differences are those of the first yes/no question that a version asks in another way, or else of the first of all,
    from SHARE, by a test at 5 %, of as many responses as are expected. Raises ValueError where a question has no table.
    """
    arms, mechanisms = background["questions"][0]["arms"], {item["key"]: mechanism_of(item) for item in items}
    sizes = [int(share * background["expected_responses"]) for share in shares_of(arms)]
    changes = [arm.get("instead", {}) for arm in arms]
    yes_no = [item["key"] for item in items if item["kind"] == "yes_no" and "prefer_not" not in item]
    asked = versions_of(list(mechanisms), changes)
    plans = []
    for place, (instead, version, size) in enumerate(zip(changes, asked, sizes, strict=True)):
        loss = epsilon_total(mechanisms[items[number]["key"]] for number in version)
        first = next((key for key in yes_no if key in instead), next(iter(yes_no), None))
        found = None
        one, other = (mechanisms.get(key or "") for key in (first, instead.get(first or "", first)))
        if place > 0 and sizes[0] and size and isinstance(one, Channel) and isinstance(other, Channel):
            found = _smallest_difference(one, other, sizes[0], size)
        plans.append(VersionPlan(loss, wording.epsilon(loss), found))
    return plans


def responses_for_coins(items: Sequence[ItemPart], background: BackgroundPart) -> int | None:
    """The fewest responses, to all versions, with which DISOBEY is found in POWER of surveys, by a test at 5 %.

    Of the first yes/no question that two versions with a coin ask by tables that differ, from SHARE; by the normal
    approximation to the closed form of `randomized_response.cheater_detection`. None without such versions.
    """
    arms = background["questions"][0]["arms"]
    mechanisms = {item["key"]: mechanism_of(item) for item in items}
    for item in (one for one in items if one["kind"] == "yes_no" and "prefer_not" not in one):
        tossed: dict[tuple[Fraction, ...], Fraction] = {}
        for arm, share in zip(arms, shares_of(arms), strict=True):
            channel = mechanisms[arm.get("instead", {}).get(item["key"], item["key"])]
            if arm["explanation"] == "own_coin" and isinstance(channel, Channel):
                rates = tuple(Fraction(yes, sum(row)) for row in channel.weights for yes in row[1:])
                tossed[rates] = tossed.get(rates, Fraction(0)) + share
        for (one, part), (other, rest) in combinations(tossed.items(), 2):
            if one[0] * other[1] != one[1] * other[0]:
                return _for_two(one, other, (float(part), float(rest)))
    return None


def _for_two(one: Sequence[Fraction], other: Sequence[Fraction], parts: tuple[float, float]) -> int:
    """The same for two tables, by their rates of Yes where No and where Yes is true, and their parts of responses."""
    (f1, t1), (f2, t2) = (tuple(map(float, rates)) for rates in (one, other))
    det = t1 * f2 - t2 * f1

    def error(disobey: float) -> float:
        """The standard error of the share of those people, times the square root of the responses."""
        rates = [(1 - disobey) * (SHARE * t + (1 - SHARE) * f) for t, f in ((t1, f1), (t2, f2))]
        weights = ((f2 - t2) / det, (t1 - f1) / det)
        pairs = zip(weights, rates, parts, strict=True)
        return hypot(*(weight * sqrt(rate * (1 - rate) / share) for weight, rate, share in pairs))

    limit, chance = NormalDist().inv_cdf(LEVEL), NormalDist().inv_cdf(POWER)
    return ceil(((limit * error(0.0) + chance * error(DISOBEY)) / DISOBEY) ** 2)


def _smallest_difference(first: Channel, second: Channel, n: int, other_n: int) -> float | None:
    """The smallest difference from SHARE that is found with POWER, by n responses through the first and the others."""

    def error(channel: Channel, size: int, share: float) -> float:
        return plan.forecast(size, channel, [1 - share, share], answer=1).standard_error

    def found(difference: float) -> float:
        """The power, by normal approximation: limit of the test under the null, chance under the difference."""
        before = error(first, n, SHARE)
        limit = normal_quantile(LEVEL) * hypot(before, error(second, other_n, SHARE))
        return NormalDist().cdf((difference - limit) / hypot(before, error(second, other_n, SHARE - difference)))

    low, high = 0.0, SHARE
    if found(high) < POWER:
        return None
    for _step in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= POWER else (middle, high)
    return high


def arms_in_words(design: Design, arms: Sequence[Arm]) -> str:
    """What the versions of the page are, how often each is drawn, and what is alike in all of them."""
    text = _(
        "The survey compares versions of its page. Each browser draws one and sends openly which: %(versions)s. All "
        "versions use the same tickets; one that explains them after Send says so before the questions."
    )
    if len(set(design.versions)) > 1:
        text = _(
            "The survey compares versions of its page. Each browser draws one and sends openly which: %(versions)s. "
            "Some ask a question in another way; what a version does not ask is sent as a random answer that depends "
            "on nothing. One that explains the tickets after Send says so before the questions."
        )
    total, names = sum(arm.weight for arm in arms), design.background.questions[0].choices
    if tossing := [name[design.language] for name, arm in zip(names, arms, strict=True) if arm.own_coin]:
        text = _(
            "The survey compares versions of its page. Each browser draws one and sends openly which: %(versions)s. "
            "With %(tossing)s the page draws no tickets: respondents toss a coin or die of their own by the same "
            "tables and mark what it tells, and nobody sees whether they follow it. What a version does not ask is "
            "sent as a random answer that depends on nothing. A version that explains tickets after Send says so "
            "before the questions."
        )
    drawn = (
        f"“{name[design.language]}” ({wording.percent(arm.weight / total)})"
        for name, arm in zip(names, arms, strict=True)
    )
    return text % {"versions": ", ".join(drawn), "tossing": ", ".join(f"“{name}”" for name in tossing)}


def own_consents(design: Design, arms: Sequence[Arm]) -> Iterator[str]:
    """The versions with a consent statement of their own: what they tell, and the statement."""
    names = design.background.questions[0].choices
    for name, arm, ratio in zip(names, arms, ratios_of_versions(design), strict=True):
        if arm.consent:
            text = _(
                "Whoever gets the version “%(version)s” ticks a statement of its own: “%(statement)s”. Its questions "
                "together multiply these odds by at most %(odds)s."
            )
            said = {"version": name[design.language], "statement": arm.consent[design.language]}
            yield text % (said | {"odds": wording.odds(ratio)})


def versions_asking(design: Design, item: Item, language: str) -> list[str]:
    """The names of the versions of the page that ask a question; none where all do."""
    asking = [item in [design.items[place] for place in asked] for asked in design.versions]
    if all(asking):
        return []
    names = design.background.questions[0].choices
    return [name[language] for name, asks in zip(names, asking, strict=True) if asks]
