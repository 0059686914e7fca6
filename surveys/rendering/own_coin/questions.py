"""Questions with what to toss for them: those of the own-coin page, and of versions of the page with a coin."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.utils import translation

from collector.designs import Design, Item
from collector.designs.arms import tossed_items
from estimator.base import wording
from estimator.base.protection import ratios_of_versions
from estimator.base.questions import question_of
from surveys.definition.own_coin.devices import BIRTHDAYS, COIN, Outcome
from surveys.definition.own_coin.instructions import Instruction, instruction_for
from surveys.rendering import beside, claims
from surveys.rendering.own_coin import sentences

MOST_FACES = 6
"""Maximum coins and dice shown for a rule; one with more has a bar with its frequency instead."""


@dataclass(frozen=True)
class CoinRule:
    """What the device shows, what to do then, and how many outcomes it has; `pictures` of them where they are few."""

    shown: str
    action: str
    count: int
    pictures: list[Outcome]


@dataclass(frozen=True)
class CoinQuestion:
    """A question with what to toss for it."""

    name: str
    before: beside.BeforeTexts | None
    pictures: list[beside.ShownChoice]
    wording: str
    helped: bool
    choices: list[str]
    toss: str
    outcomes: int
    factor: str
    rules: list[CoinRule]


def coin_question(number: int, item: Item, instruction: Instruction, language: str, *, helped: bool) -> CoinQuestion:
    """A question with its instruction, in a language that must be active."""
    born = instruction.device in BIRTHDAYS
    choices = sentences.alike() if born else [choice[language] for choice in item.choices]
    rules = [] if born else [_rule(instruction, place, choices) for place in range(len(instruction.rules))]
    toss, outcomes = sentences.toss(instruction), len(instruction.device.outcomes)
    factor = wording.odds(_ratio(item))
    before = beside.before_in(item.before, language)
    pictures = [choice for choice in beside.shown_choices(item, language) if choice.picture]
    name, words = f"item-{number}", item.wording[language]
    return CoinQuestion(name, before, pictures, words, helped, choices, toss, outcomes, factor, rules)


def _rule(instruction: Instruction, place: int, choices: list[str]) -> CoinRule:
    rule = instruction.rules[place]
    drawn = sorted(rule.outcomes, key=str) if sum(map(len, rule.outcomes)) <= MOST_FACES else []
    shown, action = sentences.outcome_sentence(instruction, place), sentences.device_sentence(rule.marks, choices)
    return CoinRule(shown, action, len(rule.outcomes), drawn)


def _ratio(item: Item) -> Fraction:
    """The factor by which one response can multiply the odds of an answer; finite in every frozen design."""
    return Fraction(question_of(item).mechanism.ratio)


def tosses(design: Design, language: str) -> dict[str, CoinQuestion]:
    """What is tossed for the questions of versions of the page with a coin, by their keys; none of other designs."""
    with translation.override(language):
        return {
            item.key: coin_question(number, item, instruction, language, helped=False)
            for number, (item, instruction) in enumerate(_instructions(design), start=1)
        }


def of_versions(design: Design, language: str) -> Mapping[str, object]:
    """What is said before the questions in versions of the page with a coin; empty for other designs.

    The factor and the claim are those of the version that tells the most of them.
    """
    instructions = [instruction for _item, instruction in _instructions(design)]
    if not instructions:
        return {}
    pairs = zip(design.background.arms, ratios_of_versions(design), strict=True)
    factor = max(ratio for arm, ratio in pairs if arm.own_coin)
    with translation.override(language):
        return {
            "needs": sentences.needs(instructions),
            "coins": any(COIN in instruction.device.parts for instruction in instructions),
            "factor": wording.odds(factor),
            **{name: str(said) if name == "claim" else said for name, said in claims.of_page(design).items()},
        }


def _instructions(design: Design) -> list[tuple[Item, Instruction]]:
    """The questions that are tossed for in some version; opening has found an instruction for each."""
    tossed = tossed_items(design)
    found = [(item, instruction_for(item.channel)) for item in design.items if item.key in tossed]
    return [(item, instruction) for item, instruction in found if instruction is not None]
