"""What the own-coin page tells people to do is exactly the table: its own words, read again, over every outcome."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from collector import designs
from collector.designs import Design
from randomized_response import Channel, forced_response, k_ary, warner
from surveys.definition.own_coin.devices import DEVICES
from surveys.definition.own_coin.instructions import Instruction, instruction_for, instructions_for
from surveys.rendering.own_coin import sentences
from tests.factories import payloads

SIZES = (2, 4, 6, 8, 12, 36)
CHOICES = ("Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir")
COIN, DIE = ("heads", "tails"), range(1, 7)
Outcome = tuple[str | int, ...]
Rules = list[tuple[str, str]]

HEADS: dict[str, Callable[[int, int], bool]] = {
    "Heads": lambda heads, coins: heads == 1 and coins == 1,
    "Tails": lambda heads, coins: heads == 0 and coins == 1,
    "Two heads": lambda heads, coins: heads == 2 and coins == 2,
    "One head and one tail": lambda heads, coins: heads == 1 and coins == 2,
    "Two tails": lambda heads, coins: heads == 0 and coins == 2,
    "Both the same": lambda heads, coins: heads in (0, 2) and coins == 2,
    "At least one head": lambda heads, coins: heads >= 1 and coins == 2,
    "At least one tail": lambda heads, coins: heads <= 1 and coins == 2,
    "Three heads": lambda heads, coins: heads == 3,
    "Two heads and one tail": lambda heads, coins: heads == 2 and coins == 3,
    "One head and two tails": lambda heads, coins: heads == 1 and coins == 3,
    "Three tails": lambda heads, coins: heads == 0 and coins == 3,
    "All three the same": lambda heads, coins: heads in (0, 3) and coins == 3,
    "At least two heads": lambda heads, coins: heads >= 2 and coins == 3,
    "At least two tails": lambda heads, coins: heads <= 1 and coins == 3,
}


def split(text: str) -> list[str]:
    return re.split(r", | or ", text)


def in_numbers(value: object, text: str) -> bool:
    """Whether the value is among "1, 3 to 5 or 6"."""
    spans = [[int(end) for end in part.split(" to ")] for part in split(text)]
    return any(span[0] <= int(str(value)) <= span[-1] for span in spans)


def by_heads(shown: str, outcome: Outcome) -> bool:
    return any(HEADS[part](outcome.count("heads"), len(outcome)) for part in split(shown))


def by_sequence(shown: str, outcome: Outcome) -> bool:
    return "–".join(map(str, outcome)) in split(shown)


def by_die(shown: str, outcome: Outcome) -> bool:
    return in_numbers(outcome[0], shown.removeprefix("The die shows "))


def by_sum(shown: str, outcome: Outcome) -> bool:
    return in_numbers(sum(map(int, outcome)), shown.removeprefix("The sum is "))


def by_coin_and_die(shown: str, outcome: Outcome) -> bool:
    coin, die = outcome

    def holds(part: str) -> bool:
        if found := re.fullmatch(r"The die shows (.*), whatever the coin", part):
            return in_numbers(die, found[1])
        if found := re.fullmatch(r"(Heads|Tails), whatever the die", part):
            return found[1].lower() == coin
        found = re.fullmatch(r"(Heads|Tails), and the die shows (.*)", part)
        assert found, part
        return found[1].lower() == coin and in_numbers(die, found[2])

    return any(map(holds, re.split(r"; or |; ", shown)))


def by_throws(shown: str, outcome: Outcome) -> bool:
    first, second = outcome

    def holds(part: str) -> bool:
        if found := re.fullmatch(r"Second throw (.*), whatever the first", part):
            return in_numbers(second, found[1])
        if found := re.fullmatch(r"First throw (.*), whatever the second", part):
            return in_numbers(first, found[1])
        found = re.fullmatch(r"First throw (.*), second throw (.*)", part)
        assert found, part
        return in_numbers(first, found[1]) and in_numbers(second, found[2])

    return any(map(holds, re.split(r"; or |; ", shown)))


READERS: dict[str, tuple[list[Outcome], Callable[[str, Outcome], bool]]] = {
    "Toss a coin where nobody sees it.": (list(product(COIN)), by_heads),
    "Toss two coins where nobody sees them.": (list(product(COIN, COIN)), by_heads),
    "Toss a coin twice where nobody sees it, and remember what came first.": (list(product(COIN, COIN)), by_sequence),
    "Throw a die where nobody sees it.": (list(product(DIE)), by_die),
    "Toss three coins where nobody sees them.": (list(product(COIN, COIN, COIN)), by_heads),
    "Toss a coin three times where nobody sees it, and remember the order.": (
        list(product(COIN, COIN, COIN)),
        by_sequence,
    ),
    "Toss a coin and throw a die where nobody sees them.": (list(product(COIN, DIE)), by_coin_and_die),
    "Throw two dice where nobody sees them, and add them up.": (list(product(DIE, DIE)), by_sum),
    "Throw a die twice where nobody sees it, and remember what came first.": (list(product(DIE, DIE)), by_throws),
}
"""For each thing to toss: every outcome it has, and how to read a line about it. Written from the words alone."""


def to_mark(told: str, truth: int, choices: tuple[str, ...]) -> int:
    """What a person marks whose true answer is this one."""
    if found := re.fullmatch(r"mark “(\w+)”, whatever your answer is\.", told):
        return choices.index(found[1])
    if told == "mark your true answer.":
        return truth
    if told == "mark the opposite of your true answer.":
        assert len(choices) == 2
        return 1 - truth
    *cases, last = told.removesuffix(".").split("; ")
    cases += [] if last == "otherwise mark your true answer" else [last]
    said = dict(re.fullmatch(r"if your answer is “(\w+)”, mark “(\w+)”", case).groups() for case in cases)  # type: ignore[union-attr]
    return choices.index(said.get(choices[truth], choices[truth]))


def in_words(instruction: Instruction, choices: tuple[str, ...]) -> tuple[str, Rules]:
    rules = [
        (sentences.outcome_sentence(instruction, place), sentences.device_sentence(rule.marks, choices))
        for place, rule in enumerate(instruction.rules)
    ]
    return str(sentences.TOSS[instruction.device.key]), rules


def obeyed(toss: str, rules: Rules, answers: int) -> list[list[Fraction]]:
    """The probabilities of what a person marks, by true answer, who does just what the words say."""
    outcomes, holds = READERS[toss]
    counts: list[Counter[int]] = [Counter() for _ in range(answers)]
    for outcome in outcomes:
        told = [
            told for shown, told in rules if shown not in ("Anything else", "Any other sum") and holds(shown, outcome)
        ]
        told = told or [rules[-1][1] for shown, _ in rules[-1:] if shown in ("Anything else", "Any other sum")]
        assert len(told) == 1, (outcome, rules)
        for truth in range(answers):
            counts[truth][to_mark(told[0], truth, CHOICES[:answers])] += 1
    return [[Fraction(count[y], len(outcomes)) for y in range(answers)] for count in counts]


def shares(weights: tuple[tuple[int, ...], ...]) -> list[list[Fraction]]:
    return [[Fraction(weight, sum(row)) for weight in row] for row in weights]


def as_item(channel: Channel) -> dict[str, object]:
    return {"name": channel.name, "weights": [list(row) for row in channel.weights]}


def mechanisms() -> Iterator[Channel]:
    """Every forced response, Warner and k-ary table whose truth is a fraction with a denominator up to 36."""
    truths = sorted({Fraction(n, d) for d in range(2, 37) for n in range(1, d)})
    for truth in truths:
        if truth != Fraction(1, 2):
            yield warner(truth=truth)
        yield from (k_ary(k, truth=truth) for k in range(2, 7))
        yield from (forced_response(truth=truth, yes=yes) for yes in (Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)))


def tables() -> Iterator[Channel]:
    """Tables of one's own that fit a device, each report possible under every answer."""
    generator = np.random.default_rng(20_240_501)
    for _ in range(1500):
        size, k = int(generator.choice(SIZES[1:])), int(generator.integers(2, 5))
        if size >= k:
            rows = 1 + generator.multinomial(size - k, [1 / k] * k, size=k)
            yield Channel(tuple(tuple(int(weight) for weight in row) for row in rows))


def test_instruction_words_give_exactly_the_channel() -> None:
    read: Counter[str] = Counter()
    for channel in [*mechanisms(), *tables()]:
        instruction = instruction_for(designs.Channel.of(as_item(channel)))
        if instruction is not None:
            toss, rules = in_words(instruction, CHOICES[: channel.answers])
            assert obeyed(toss, rules, channel.answers) == shares(channel.weights), (channel, rules)
            read[toss] += 1
    assert set(read) == set(READERS), "every device was read"
    assert sum(read.values()) > 1000


def test_instruction_rules_give_exactly_the_channel() -> None:
    for channel in [*mechanisms(), *tables()]:
        if (instruction := instruction_for(designs.Channel.of(as_item(channel)))) is None:
            continue
        shown = [outcome for rule in instruction.rules for outcome in rule.outcomes]
        assert sorted(shown, key=str) == sorted(instruction.device.outcomes, key=str)
        for truth, row in enumerate(shares(channel.weights)):
            sent = Counter[int]()
            for rule in instruction.rules:
                sent[rule.marks[truth]] += len(rule.outcomes)
            assert [Fraction(sent[y], len(shown)) for y in range(channel.answers)] == row


def test_instruction_exists_where_a_device_fits() -> None:
    for channel in mechanisms():
        fits = any(size % channel.denominator == 0 for size in SIZES)
        instruction = instruction_for(designs.Channel.of(as_item(channel)))
        assert (instruction is not None) == fits, channel
        if instruction is not None:
            smallest = next(size for size in SIZES if size % channel.denominator == 0)
            assert len(instruction.device.outcomes) == smallest


@pytest.mark.parametrize(
    ("channel", "toss", "rules"),
    [
        (
            forced_response(truth="1/2"),
            "Toss two coins where nobody sees them.",
            [
                ("Two heads", "mark “Ash”, whatever your answer is."),
                ("Two tails", "mark “Birch”, whatever your answer is."),
                ("One head and one tail", "mark your true answer."),
            ],
        ),
        (
            warner(truth="3/4"),
            "Toss two coins where nobody sees them.",
            [
                ("Two heads", "mark the opposite of your true answer."),
                ("At least one tail", "mark your true answer."),
            ],
        ),
        (
            k_ary(3, truth="1/2"),
            "Throw a die where nobody sees it.",
            [
                ("The die shows 1", "mark “Ash”, whatever your answer is."),
                ("The die shows 2", "mark “Birch”, whatever your answer is."),
                ("The die shows 3", "mark “Cedar”, whatever your answer is."),
                ("The die shows 4 to 6", "mark your true answer."),
            ],
        ),
        (
            Channel(((4, 1, 1), (2, 3, 1), (1, 1, 4))),
            "Throw a die where nobody sees it.",
            [
                ("The die shows 1", "mark “Ash”, whatever your answer is."),
                ("The die shows 2", "mark “Birch”, whatever your answer is."),
                ("The die shows 3", "mark “Cedar”, whatever your answer is."),
                ("The die shows 4", "if your answer is “Birch”, mark “Ash”; otherwise mark your true answer."),
                ("The die shows 5 or 6", "mark your true answer."),
            ],
        ),
    ],
)
def test_instruction_texts(channel: Channel, toss: str, rules: Rules) -> None:
    instruction = instruction_for(designs.Channel.of(as_item(channel)))
    assert instruction is not None
    assert in_words(instruction, CHOICES[: channel.answers]) == (toss, rules)


def test_instruction_ignores_common_factor_of_weights() -> None:
    whole, lowest = ({"name": "custom", "weights": table} for table in ([[9, 3], [3, 9]], [[3, 1], [1, 3]]))
    assert instruction_for(designs.Channel.of(whole)) == instruction_for(designs.Channel.of(lowest))


def test_instruction_follows_weights_not_mechanism_name() -> None:
    instruction = instruction_for(designs.Channel.of({"name": "warner", "weights": [[3, 1], [2, 2]]}))
    assert instruction is not None
    assert obeyed(*in_words(instruction, CHOICES[:2]), 2) == shares(((3, 1), (2, 2)))


@pytest.mark.parametrize("weights", [[[7, 3], [3, 7]], [[15, 1], [1, 15]], [[3, 2], [2, 3]], [[36, 1], [1, 36]]])
def test_instruction_channel_without_device_has_none(weights: list[list[int]]) -> None:
    assert instruction_for(designs.Channel.of({"name": "custom", "weights": weights})) is None


def test_instruction_seven_options_has_none() -> None:
    assert instruction_for(designs.Channel.of(as_item(k_ary(7, truth="1/8")))) is None


def test_instructions_one_item_without_device_has_none() -> None:
    document = payloads.document()
    assert instructions_for(Design.of(document)) is not None
    assert instructions_for(Design.of(payloads.document(rehearsal=True))) is None
    document["items"][1]["channel"]["weights"] = [[3, 1, 1], [1, 3, 1], [1, 1, 3]]
    assert instructions_for(Design.of(document)) is None


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "several_choices", "encoding": "each_option"},
        {"kind": "number"},
        {"encoding": "one_hot"},
        {"encoding": "subset"},
        {"asked_if": {"item": "cheated", "answers": [1]}},
        {"kind": "one that is not known yet"},
    ],
)
def test_instructions_item_without_single_mark_has_none(change: dict[str, object]) -> None:
    document = payloads.document()
    document["items"][1].update(change)
    assert instructions_for(Design.of(document)) is None
    document["items"][1] = payloads.document()["items"][1] | {"kind": "scale"}
    assert instructions_for(Design.of(document)) is not None


@pytest.mark.long
def test_instruction_every_channel_of_coins_or_a_die() -> None:
    """All of them, up to the device's size in choices: each report possible under every answer."""
    seen = Counter[str]()
    for size, answers in ((2, 2), (4, 2), (4, 3), (4, 4), (6, 2), (6, 3), (6, 5), (6, 6)):
        rows = [row for row in product(range(1, size + 1), repeat=answers) if sum(row) == size]
        for table in product(rows, repeat=answers):
            instruction = instruction_for(designs.Channel.of({"name": "custom", "weights": table}))
            assert instruction is not None, table
            toss, rules = in_words(instruction, CHOICES[:answers])
            assert obeyed(toss, rules, answers) == shares(table), (table, rules)
            seen[toss] += 1
    assert sum(seen.values()) > 4000


def test_instruction_needs_lists_coins_and_dice() -> None:
    by_key = {device.key: Instruction(device, ()) for device in DEVICES}

    def need(*keys: str) -> str:
        return sentences.needs([by_key[key] for key in keys])

    assert need("coin_thrice") == "one coin"
    assert need("two_coins", "coin") == "2 coins"
    assert need("coin_and_die", "two_coins", "two_dice") == "2 coins and 2 dice"
    assert need("die_twice") == "one die"
