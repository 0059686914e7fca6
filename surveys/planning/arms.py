"""Versions of the page in planning: what is said of them, and how large a difference a survey finds between them."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from django.utils.translation import gettext as _

from collector.designs import Arm, Design, Item
from collector.designs.arms import shares_of
from estimator.base import wording
from estimator.base.protection import ratios_of_versions
from randomized_response import Channel, plan
from surveys.definition.mechanisms import mechanism_of
from surveys.definition.parts import BackgroundPart, ItemPart
from surveys.planning.forecast import POWER

SHARE = 0.5
"""Of yes with the first version, at which an estimate is least precise."""
STEPS = 20


def smallest_difference(item: ItemPart, background: BackgroundPart) -> float | None:
    """The smallest difference of a yes/no question's share, from SHARE, that is found with a power of POWER.

    Between the first version and the rarest of the others, by a test at 5 %, of as many responses as are expected.
    None where no difference is found so often.
    """
    first, *others = (int(share * background["expected_responses"]) for share in _shares(background))
    mechanism, n = mechanism_of(item), min(others)
    if not first or not n or not isinstance(mechanism, Channel):
        return None

    def found(difference: float) -> float:
        return plan.power(n, mechanism, SHARE - difference, SHARE, against_n=first)

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
    drawn = (
        f"“{name[design.language]}” ({wording.percent(arm.weight / total)})"
        for name, arm in zip(names, arms, strict=True)
    )
    return text % {"versions": ", ".join(drawn)}


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


def _shares(background: BackgroundPart) -> tuple[Fraction, ...]:
    return shares_of(background["questions"][0]["arms"])
