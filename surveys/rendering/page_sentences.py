"""What the script of a respondent's page says of the design's tables, where no script runs: for pictures of the page.

The words are the page's own sentences, and the numbers are read off the tables, as in `client/phrases.js`,
`client/shapes.js` and `client/figures.js`.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from django.utils.translation import trans_real

from collector.designs import Item
from estimator.base.languages import figures, formatted
from estimator.base.questions import question_of
from randomized_response import Channel
from surveys.definition.languages import PLURALS

Shape = Literal["two", "choice", "differ", "list", "set", "ticks", "near", "spread", "end", "values"]
"""How the tickets of a question speak; each shape has sentences of its own."""

Value = str | int | float
Table = tuple[tuple[int, ...], ...]

OF_ENCODING: dict[str, Shape] = {"one_hot": "list", "subset": "set", "each_option": "ticks"}
ALIKE: dict[Shape, str] = {"list": "set", "end": "values", "two": "choice"}
"""Shapes that share sentences with another one."""
BARS = ("near", "spread", "values")
"""Shapes whose tables are drawn as bars, the others as tickets."""
MOST_DRAWN, LONGEST_WORD = 12, 5
"""Tickets that are drawn one by one, and letters that one has room for, as in `client/pictures.js`."""

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
NAME = re.compile(r"\{(\w+)\}")


class Sentences:
    """The sentences of a page by key, with the numbers of the language that is activated."""

    def __init__(self, patterns: Mapping[str, str], *, rtl: bool) -> None:
        self._patterns = patterns
        self._rtl = rtl

    def say(self, key: str, values: Mapping[str, Value] | None = None) -> str:
        """A sentence with its placeholders filled; `count` chooses its plural form if there is one."""
        given = values or {}
        count = given.get("count")
        chosen = f"{key}.{_plural(count)}" if isinstance(count, int) else key
        pattern = next(self._patterns[one] for one in (chosen, f"{key}.other", key) if one in self._patterns)
        return NAME.sub(lambda found: self._written(given[found[1]]) if found[1] in given else found[0], pattern)

    def has(self, key: str) -> bool:
        return key in self._patterns or f"{key}.other" in self._patterns

    def _written(self, value: Value) -> str:
        if not isinstance(value, str):
            return figures(f"{value:,}" if isinstance(value, int) else f"{value:g}")
        # Invisible marks, so that what is put in leaves the words around it in order.
        mark = "\u2067" if RIGHT_TO_LEFT.search(value) else "\u2066"
        return f"{mark}{value}\u2069" if self._rtl else value


def _plural(count: int) -> str:
    """The browser's name for the plural form of a number in the language that is activated."""
    form = trans_real.translation(formatted()).plural
    return next(name for name, example in PLURALS[formatted()].items() if form(example) == form(count))


@dataclass(frozen=True)
class Phrases:
    """What is said of one question."""

    item: Item
    language: str
    sentences: Sentences

    def say(self, key: str, more: Mapping[str, Value] | None = None) -> str:
        """A sentence on the question, in its shape and with its numbers."""
        keys = (f"{key}-{self.shape}", f"{key}-{ALIKE.get(self.shape)}")
        worded = next((one for one in keys if self.sentences.has(one)), key)
        return self.sentences.say(worded, {**self._values, **(more or {})})

    def odds(self) -> list[str]:
        """The odds of the question and what belongs to them, a sentence each."""
        keys = ["odds"]
        if self.shape == "spread":
            keys.append("half")
        if self.shape == "ticks":
            keys.append("together-most" if self.most < len(self.item.choices) else "together")
        return [self.say(key) for key in [*keys, *["prefer-not"] * self.item.prefer_not, "claim"]]

    def note(self) -> str:
        """What may be answered, said before: how many may be ticked, which numbers there are; else empty."""
        if self.item.kind == "several_choices":
            key = "tick-most" if self.most < len(self.item.choices) else "tick-any"
            return self.sentences.say(key, {"count": self.most})
        grid = self.item.grid
        if grid is None:
            return ""
        points = {name: point(Fraction(getattr(grid, name))) for name in ("minimum", "maximum", "step")}
        return self.sentences.say("number-range", points)

    def tickets(self) -> dict[str, object]:
        """The box as the opening draws it: strips of tickets by name, or bars of both answers, the higher the more."""
        if self.shape in BARS:
            largest = max(max(self.weights[x]) for x in self.pair)
            square = len(self.weights) == len(self.weights[0])
            bars = [
                {
                    "name": self._strip_of(x),
                    "own": x if square else None,
                    "bars": [w / largest for w in self.weights[x]],
                }
                for x in self.pair
            ]
            return {"bars": bars, "strips": []}
        all_ = self.item.channel.denominator
        words = self._words()
        strips = [{"name": name, "own": own, "all": all_, "words": words} for name, own in self._strips()]
        return {"bars": [], "strips": strips}

    def _words(self) -> list[str]:
        """Of two answers: what each ticket always sends that does not send the answer as given, cut short if long."""
        if self.shape != "two":
            return []
        always = [min(row[x] for row in self.weights) for x in self.pair]
        labels = [self.label(x) for x in self.pair]
        short = [one if len(one) <= LONGEST_WORD else f"{one[: LONGEST_WORD - 1]}…" for one in labels]
        return [word for word, count in zip(short, always, strict=True) for _ticket in range(min(count, MOST_DRAWN))]

    def _strips(self) -> list[tuple[str, int]]:
        match self.shape:
            case "two":
                return [("", self.weights[1][1] - self.weights[0][1])]
            case "choice":
                return [("", self.weights[0][0])]
            case "set":
                return [("", self.weights[0][1])]
            case "list" | "ticks":
                return [(self.say(key), self.weights[x][1]) for key, x in (("strip-own", 1), ("strip-rest", 0))]
            case "end":
                return [(self._strip_of(x), self.weights[x][1]) for x in self.pair]
            case _:
                return [(self._strip_of(x), self.weights[x][x]) for x in self.pair]

    def _strip_of(self, x: int) -> str:
        return self.say("strip-of", {"truth": self.label(x)})

    @property
    def weights(self) -> Table:
        return self.item.channel.weights

    @property
    def most(self) -> int:
        return self.item.most if self.item.most is not None else len(self.item.choices)

    def label(self, answer: int) -> str:
        """The words of an answer: a choice, or a number of the grid."""
        if self.item.grid:
            return point(self.item.points[answer])
        return " ".join(self.item.choices[answer][self.language].split())

    @cached_property
    def shape(self) -> Shape:
        item, weights = self.item, self.weights
        if item.encoding != "single":
            return OF_ENCODING[item.encoding]
        columns = len(weights[0])
        if item.grid is not None and columns != item.answer_count:
            return "end" if columns == 2 and _rises(weights) else "values"
        if item.grid is None and len(weights) == columns == 2 and _rises(weights):
            return "two"
        if _is_symmetric(weights):
            return "choice"
        if item.grid is not None:
            return "spread" if _is_nearer(weights) else "values"
        return "near" if item.kind == "scale" and not item.prefer_not and _is_nearer(weights) else "differ"

    @cached_property
    def pair(self) -> tuple[int, int]:
        """The answer to speak of, and the one to set beside it."""
        if self.shape in (*BARS, "end"):
            return len(self.weights) - 1, 0
        return (1, 0) if self.item.kind == "yes_no" else (0, 1)

    @cached_property
    def _shares(self) -> tuple[Fraction, Fraction]:
        """How many send what the sentences speak of: of those with the answer of the pair, and with the other."""
        weights, tickets = self.weights, self.item.channel.denominator
        answer, other = self.pair
        match self.shape:
            case "list" | "ticks":
                return Fraction(weights[1][1], tickets), Fraction(weights[0][1], tickets)
            case "set":
                (lacks, holds), size = weights[0], self.item.channel.size or 0
                rest = tickets * (len(self.item.choices) - 1)
                return Fraction(holds, tickets), Fraction(holds * (size - 1) + lacks * size, rest)
            case "spread":
                upper = _upper_half(weights)
                return Fraction(sum(weights[answer][upper:]), tickets), Fraction(sum(weights[other][upper:]), tickets)
            case "end" | "values":
                return Fraction(weights[answer][-1], tickets), Fraction(weights[other][-1], tickets)
            case _:
                return Fraction(weights[answer][answer], tickets), Fraction(weights[other][answer], tickets)

    @cached_property
    def _values(self) -> dict[str, Value]:
        """Everything that a sentence on the question may speak of."""
        answer, other = self.pair
        own, cross = self._shares
        return {
            "answer": self.label(answer),
            "other": self.label(other),
            "sent": self._sent(len(self.weights[0]) - 1),
            "own": of_hundred(own),
            "cross": of_hundred(cross),
            "tickets": self.item.channel.denominator,
            "choices": len(self.item.choices),
            "values": len(self.weights[0]),
            "refusal": self.label(len(self.item.choices) - 1) if self.item.prefer_not else "",
            **self._of_shape(),
        }

    def _sent(self, symbol: int) -> str:
        if self.shape == "end":
            return self.sentences.say(("lowest", "highest")[symbol])
        if self.shape == "values":
            return self.sentences.say("report-number", {"number": symbol + 1})
        return self.label(symbol) if symbol < self.item.answer_count else ""

    def _of_shape(self) -> Mapping[str, Value]:
        weights = self.weights
        match self.shape:
            case "two":
                return {"sides": self._kinds()}
            case "choice":
                word = self.item.kind if self.item.kind in ("scale", "number") else "choice"
                return self._sides(word, weights[0][0], self.item.channel.denominator - weights[0][0])
            case "list":
                return self._sides("list", weights[1][1], weights[0][1])
            case "ticks":
                odds = {"odds": odds_up(ratio_of(self.item)), "one": odds_up(Fraction(Channel(weights).ratio))}
                return self._sides("ticks", weights[1][1], weights[0][1]) | {"most": self.most, **odds}
            case "set":
                return {"size": self.item.channel.size or 0, "count": weights[0][1]}
            case "spread":
                middle, end = (len(weights) - 1) // 2, len(weights) - 1
                ends = {"from": _upper_half(weights), "middle": middle}
                reach = {"middleReach": self._reach(middle), "endReach": self._reach(end)}
                return {name: self.label(x) for name, x in ends.items()} | reach
            case _:
                return {}

    def _kinds(self) -> str:
        """The three kinds of ticket of two answers: as given, and each answer always; without those there are not."""
        (_, second), (first, own) = self.weights
        always: list[dict[str, Value]] = [{"count": (first, second)[x], "sent": self.label(x)} for x in self.pair]
        said = [self.sentences.say("own-choice", {"count": own - second})] if own > second else []
        said += [self.sentences.say("always", values) for values in always if values["count"]]
        names = ("own", "rest", "third")
        return self.sentences.say("kinds" if len(said) > 2 else "sides", dict(zip(names, said, strict=False)))

    def _sides(self, word: str, own: int, rest: int) -> dict[str, Value]:
        said = {side: self.sentences.say(f"{side}-{word}", {"count": n}) for side, n in (("own", own), ("rest", rest))}
        return {"sides": self.sentences.say("sides", said)}

    def _reach(self, x: int) -> str:
        """How far from its answer at least half of what a row sends lies."""
        row, tickets = self.weights[x], self.item.channel.denominator
        reach = next(r for r in range(len(row)) if 2 * sum(row[max(0, x - r) : x + r + 1]) >= tickets)
        return point(reach * Fraction(self.item.grid.step)) if self.item.grid else str(reach)


def opening(questions: Sequence[Phrases]) -> str:
    """The tickets as the opening tells them: of the first question, or of all where all have the same box."""
    first = questions[0]
    boxes = {(one.item.kind, one.item.prefer_not, tuple(one.weights)) for one in questions}
    if first.shape in ("two", "choice") and len(boxes) == 1:
        return first.say("tickets-all")
    others = f" {first.sentences.say('others', {'number': 1})}" if len(questions) > 1 else ""
    return first.say("opening") + others


def sums(items: Sequence[Item], sentences: Sentences) -> dict[str, str]:
    """What all questions add up to, by part of the page."""
    ratios = [ratio_of(item) for item in items]
    total = math.prod(ratios, start=Fraction(1))
    values: dict[str, dict[str, Value]] = {
        "sum-one": {"odds": max(map(odds_up, ratios))},
        "sum-all": {"count": len(items), "odds": odds_up(total)},
        "experts": {"epsilon": epsilon_up(total)},
    }
    return {key: sentences.say(key, of) for key, of in values.items()}


def ratio_of(item: Item) -> Fraction:
    """e^epsilon of an item."""
    return Fraction(question_of(item).mechanism.ratio)


def point(number: Fraction) -> str:
    """A number as somebody would write it who answers with it."""
    text = f"{float(number):.6f}".rstrip("0").rstrip(".")
    return figures("0" if text == "-0" else text)


def of_hundred(share: Fraction) -> str:
    """A share as people of 100: "75", "<1", ">99"."""
    if 0 < share < Fraction(1, 100):
        return "<1"
    return ">99" if Fraction(99, 100) < share < 1 else str(math.floor(100 * share + Fraction(1, 2)))


def odds_up(ratio: Fraction) -> int | float:
    """A factor of odds, rounded up: to a tenth below ten, to a whole number from there."""
    tenths = math.ceil(10 * ratio)
    return tenths / 10 if tenths < 100 else math.ceil(ratio)


def epsilon_up(ratio: Fraction) -> float:
    """Epsilon, the natural logarithm of the ratio, rounded up to a hundredth."""
    return 0 if ratio == 1 else math.ceil(math.log(ratio) * 100 * (1 + 2**-48)) / 100


def _upper_half(weights: Table) -> int:
    """The place from which on a number counts as high."""
    return -(-len(weights[0]) // 2)


def _is_symmetric(weights: Table) -> bool:
    """Whether one number of tickets sends the answer, and one other each other choice."""
    own, rest = weights[0][0], weights[0][1]
    return all(weight == (own if x == y else rest) for x, row in enumerate(weights) for y, weight in enumerate(row))


def _is_nearer(weights: Table) -> bool:
    """Whether each point is sent the more often the nearer the answer is to it."""
    falls = all(
        weights[x + 1 if x < y else x - 1][y] >= weight
        for x, row in enumerate(weights)
        for y, weight in enumerate(row)
        if x != y
    )
    return falls and all(any(other[y] < row[y] for other in weights) for y, row in enumerate(weights))


def _rises(weights: Table) -> bool:
    """Whether a higher number sends the second report more often."""
    upper = [row[1] for row in weights]
    return upper == sorted(upper) and upper[-1] > upper[0]
