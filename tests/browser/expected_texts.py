"""What the page must say of a design's tables, computed apart from the page: exact fractions, the library's encodings.

The words come from the page's own sentences; every number and every label that stands in them comes from here.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import unescape
from typing import Any

from randomized_response import Channel, EachOption, SubsetSelection, UnaryEncoding

Item = Mapping[str, Any]

BARS = ("near", "spread", "values")
MOST_TOLD = 12
LONGEST_WORD = 5


def rates(item: Item) -> list[Fraction]:
    """How often a 1 is sent where the answer is another one, and where it is this one."""
    return [Fraction(row[1], sum(row)) for row in item["channel"]["weights"]]


def ratio_of(item: Item) -> Fraction:
    """e^epsilon of an item, by the library."""
    channel, k = item["channel"], len(item["choices"])
    made: Any = None
    match item["encoding"]:
        case "one_hot":
            made = UnaryEncoding(k, on=rates(item)[1], off=rates(item)[0])
        case "subset":
            made = SubsetSelection(k, size=channel["size"], truth=rates(item)[0])
        case "each_option":
            made = EachOption(k, Channel(channel["weights"]), item.get("most"))
        case _:
            made = Channel(channel["weights"])
    return Fraction(made.ratio)


def people(share: Fraction) -> str:
    """Of a hundred: to the nearest person, never a false none or all."""
    if 0 < share < Fraction(1, 100):
        return "<1"
    return ">99" if Fraction(99, 100) < share < 1 else str(filled(share))


def filled(share: Fraction) -> int:
    return math.floor(100 * share + Fraction(1, 2))


def odds(ratio: Fraction) -> str:
    """Rounded up: to a tenth below ten, else to a whole number."""
    tenths = math.ceil(10 * ratio)
    return f"{tenths / 10:g}" if tenths < 100 else f"{math.ceil(ratio):,}"


def epsilon(ratio: Fraction) -> str:
    """ln, rounded up to a hundredth."""
    hundredths = 0 if ratio == 1 else math.ceil(100 * math.log(ratio) * (1 + 1e-14))
    return f"{hundredths / 100:g}"


def count(number: int) -> str:
    return f"{number:,}"


@dataclass(frozen=True)
class Told:
    """What is to be said and drawn of one question."""

    item: Item
    sentences: Mapping[str, str]

    @cached_property
    def weights(self) -> list[list[int]]:
        return list(self.item["channel"]["weights"])

    @property
    def tickets(self) -> int:
        return sum(self.weights[0])

    @cached_property
    def labels(self) -> list[str]:
        if self.item["kind"] != "number":
            return [choice["en"] for choice in self.item["choices"]]
        low, high, step = (Fraction(self.item["grid"][name]) for name in ("minimum", "maximum", "step"))
        return [_point(low + step * x) for x in range(int((high - low) / step) + 1)]

    @cached_property
    def manner(self) -> str:
        """By what can be sent, and how it goes with the answer."""
        named = {"one_hot": "list", "subset": "set", "each_option": "ticks"}
        if self.item["encoding"] in named:
            return named[self.item["encoding"]]
        reports = len(self.weights[0])
        number = self.item["kind"] == "number"
        if number and reports != len(self.labels):
            upper = [row[1] for row in self.weights]
            return "end" if reports == 2 and upper == sorted(upper) and upper[0] < upper[-1] else "values"
        if not number and len(self.weights) == reports == 2 and self.given > 0:
            return "two"
        if len({row[x] for x, row in enumerate(self.weights)} | {0}) == 2 and self._rest_alike():
            return "choice"
        ordered = number or (self.item["kind"] == "scale" and "prefer_not" not in self.item)
        if ordered and all(_peaks(column, y) for y, column in enumerate(zip(*self.weights, strict=True))):
            return "spread" if number else "near"
        return "values" if number else "differ"

    def _rest_alike(self) -> bool:
        return len({weight for x, row in enumerate(self.weights) for y, weight in enumerate(row) if x != y}) == 1

    @cached_property
    def pair(self) -> tuple[int, int]:
        """The answer that is spoken of, and the other."""
        if self.manner in (*BARS, "end"):
            return len(self.labels) - 1, 0
        return (1, 0) if self.item["kind"] == "yes_no" else (0, 1)

    def sent(self, y: int) -> str:
        if self.manner == "end":
            return ("lowest", "highest")[y]
        return f"value {y + 1}" if self.manner == "values" else self.labels[y]

    def share(self, x: int) -> Fraction:
        """Of those with answer x, how many send what the sentences speak of."""
        own = x == self.pair[0]
        match self.manner:
            case "list" | "ticks":
                return rates(self.item)[own]
            case "set":
                hit = rates(self.item)[0]
                made = SubsetSelection(len(self.labels), size=self.item["channel"]["size"], truth=hit)
                return made.hit if own else made.miss
            case "spread":
                return sum((self.row(x)[y] for y in range(self.upper, len(self.labels))), Fraction(0))
            case "end" | "values":
                return self.row(x)[-1]
        return self.row(x)[self.pair[0]]

    def row(self, x: int) -> list[Fraction]:
        return [Fraction(weight, self.tickets) for weight in self.weights[x]]

    @property
    def upper(self) -> int:
        return -(-len(self.labels) // 2)

    def reach(self, x: int) -> str:
        """The least distance within which at least half of what answer x sends lies."""
        row = self.row(x)
        far = next(r for r in range(len(row)) if 2 * sum(p for y, p in enumerate(row) if abs(x - y) <= r) >= 1)
        return _point(far * Fraction(self.item["grid"]["step"]))

    def say(self, key: str, **more: str) -> str:
        pattern = self._pattern(key)
        values = self.values | more
        return re.sub(r"\{(\w+)\}", lambda found: values[found[1]], pattern)

    def _pattern(self, key: str, number: int | None = None) -> str:
        form = "one" if (self.own_tickets if number is None else number) == 1 else "other"
        alike = {"list": "set", "end": "values", "two": "choice"}.get(self.manner)
        for name in (f"{key}-{self.manner}", f"{key}-{alike}", key):
            for found in (f"{name}.{form}", name):
                if found in self.sentences:
                    return self.sentences[found]
        raise KeyError(key)

    @property
    def given(self) -> int:
        """Of two answers: the tickets that send either as it is given, where none sends the opposite of both."""
        return self.tickets - self.weights[1][0] - self.weights[0][1]

    @property
    def own_tickets(self) -> int:
        match self.item["encoding"]:
            case "single":
                return self.given if self.manner == "two" else self.weights[0][0]
            case "subset":
                return self.weights[0][1]
        return self.weights[1][1]

    @cached_property
    def values(self) -> dict[str, str]:
        answer, other = self.pair
        ends = {}
        if self.manner == "spread":
            middle = (len(self.labels) - 1) // 2
            ends = {"from": self.labels[self.upper], "middle": self.labels[middle], "middleReach": self.reach(middle)}
            ends["endReach"] = self.reach(answer)
        return ends | {
            "answer": self.labels[answer],
            "other": self.labels[other],
            "sent": self.sent(len(self.weights[0]) - 1),
            "own": people(self.share(answer)),
            "cross": people(self.share(other)),
            "tickets": count(self.tickets),
            "choices": str(len(self.labels)),
            "values": str(len(self.weights[0])),
            "size": str(self.item["channel"].get("size", "")),
            "count": count(self.own_tickets),
            "most": str(self.item.get("most", "")),
            "one": odds(Fraction(Channel(self.weights).ratio)) if self.manner == "ticks" else "",
            "odds": odds(ratio_of(self.item)),
            "refusal": self.labels[-1],
            "sides": self._sides(),
        }

    def _sides(self) -> str:
        if self.manner == "two":
            return ", ".join(self._kinds())
        kind = self.item["kind"]
        word = (kind if kind in ("scale", "number") else "choice") if self.manner == "choice" else self.manner
        if f"own-{word}.other" not in self.sentences:
            return ""
        rest = self.weights[0][1] if self.manner != "choice" else self.tickets - self.own_tickets
        return ", ".join(self._counted(f"{side}-{word}", n) for side, n in (("own", self.own_tickets), ("rest", rest)))

    def _kinds(self) -> Iterator[str]:
        """Of two answers: how many tickets send the answer that is given, and how many each of them always."""
        yield self._counted("own-choice", self.given)
        for answer in self.pair:
            if always := min(row[answer] for row in self.weights):
                yield self._counted("always", always).replace("{sent}", self.labels[answer])

    def _counted(self, key: str, number: int) -> str:
        return self.sentences[f"{key}.{'one' if number == 1 else 'other'}"].replace("{count}", count(number))

    # What stands where

    def fold(self) -> list[str]:
        """Every text of the question's own fold, titles of pictures too, in order."""
        return [self.say("tickets"), *self.box(brief=False), *self.odds()]

    def box(self, *, brief: bool) -> list[str]:
        if self.manner in BARS:
            told = [self._bars(x) for x in self.pair]
            names = [self.say("strip-of", truth=self.labels[x]) for x in self.pair]
            return [line for x in (0, 1) for line in ((names[x], told[x]) if brief else (told[x], told[x]))]
        words = self.words() if self.tickets <= MOST_TOLD else []
        return [line for name, _own, title in self.strips(brief=brief) for line in (name, title, *words) if line]

    def words(self) -> list[str]:
        """Of two answers: what stands on each ticket that always sends the same, cut short where it is long."""
        if self.manner != "two":
            return []
        short = {x: word if len(word) <= LONGEST_WORD else f"{word[:4]}…" for x, word in enumerate(self.labels)}
        return [short[x] for x in self.pair for _ticket in range(min(row[x] for row in self.weights))]

    def strips(self, *, brief: bool) -> Iterator[tuple[str, int, str]]:
        """Name, tickets that do it, title."""
        rows: list[tuple[str, int]] = []
        if self.manner in ("two", "choice", "set"):
            rows = [("", self.own_tickets)]
        elif self.manner in ("list", "ticks"):
            rows = [(self.say("strip-own"), self.weights[1][1]), (self.say("strip-rest"), self.weights[0][1])]
        else:
            every = not brief and self.manner == "differ" and len(self.labels) <= MOST_TOLD
            shown = range(len(self.labels)) if every else self.pair
            column: Callable[[int], int] = (lambda _: 1) if self.manner == "end" else (lambda x: x)
            rows = [(self.say("strip-of", truth=self.labels[x]), self.weights[x][column(x)]) for x in shown]
        for name, own in rows:
            yield name, own, self.say("strip", own=count(own), rest=count(self.tickets - own))

    def _bars(self, x: int) -> str:
        if len(self.weights[x]) > MOST_TOLD:
            return self._people(x)
        told = [f"{people(share)} send “{self.sent(y)}”" for y, share in enumerate(self.row(x))]
        return self.say("bars", truth=self.labels[x], list=", ".join(told))

    def odds(self) -> list[str]:
        """The sentences on the odds and the two pictures: title and caption are one text."""
        lines = [self.say("odds")]
        if self.manner == "spread":
            lines.append(self.say("half"))
        if self.manner == "ticks":
            lines.append(self.say("together-most" if "most" in self.item else "together"))
        if "prefer_not" in self.item:
            lines.append(self.say("prefer-not"))
        lines.append(self.say("claim"))
        return lines + [self._people(x) for x in self.pair for _ in (1, 2)]

    def _people(self, x: int) -> str:
        without = self.manner == "ticks" and x == self.pair[1]
        return self.say("people-without" if without else "people", truth=self.labels[x], share=people(self.share(x)))

    def drawn(self, *, brief: bool) -> list[dict[str, Any]]:
        """The pictures of the box."""
        if self.manner in BARS:
            largest = max(max(self.weights[x]) for x in self.pair)
            square = len(self.labels) == len(self.weights[0])
            return [
                {"bars": [weight / largest for weight in self.weights[x]], "own": x if square else None}
                for x in self.pair
            ]
        always = [min(row[answer] for row in self.weights) for answer in self.pair] if self.manner == "two" else []
        return [_strip(own, self.tickets, always) for _, own, _ in self.strips(brief=brief)]

    def arrays(self) -> list[dict[str, Any]]:
        return [{"people": filled(self.share(x))} for x in self.pair]

    def table(self, number: int) -> list[str]:
        """The line for experts: sentence, then the table."""
        line = self.say("table-line", number=str(number), epsilon=epsilon(ratio_of(self.item)))
        rows = self.weights
        if len(rows) > MOST_TOLD:
            line += " " + self.sentences["table-ends"].replace("{rows}", str(len(rows)))
            rows = [rows[0], rows[-1]]
        return [line, str(rows).replace(" ", "")]


def opening(items: Sequence[Told]) -> str:
    first = items[0]
    boxes = {(t.item["kind"], "prefer_not" in t.item, str(t.weights)) for t in items}
    if first.manner in ("two", "choice") and len(boxes) == 1:
        return first.say("tickets-all")
    others = first.sentences["others"].replace("{number}", "1")
    return first.say("opening") + (f" {others}" if len(items) > 1 else "")


def sums(items: Sequence[Told]) -> dict[str, str]:
    """What all questions add up to, by part of the page."""
    each = [ratio_of(told.item) for told in items]
    total = math.prod(each, start=Fraction(1))
    said = items[0].sentences
    form = "one" if len(items) == 1 else "other"
    return {
        "sum-one": said["sum-one"].replace("{odds}", odds(max(each))),
        "sum-all": said[f"sum-all.{form}"].replace("{odds}", odds(total)).replace("{count}", str(len(items))),
        "experts": said["experts"].replace("{epsilon}", epsilon(total)),
    }


def sentences_of(page: bytes) -> dict[str, str]:
    found = re.findall(r'<p data-sentence="([^"]+)">(.*?)</p>', page.decode(), re.DOTALL)
    return {key: " ".join(unescape(text).split()) for key, text in found}


def _strip(own: int, tickets: int, always: list[int]) -> dict[str, Any]:
    if tickets <= MOST_TOLD:
        return {"tickets": [own, tickets - own - sum(always), sum(always)]}
    return {"share": Fraction(own, tickets)}


def _point(value: Fraction) -> str:
    text = f"{float(value):.6f}".rstrip("0").rstrip(".")
    return text if text != "-0" else "0"


def _peaks(column: Sequence[int], y: int) -> bool:
    """Rises to its own place, falls from there, and is not level."""
    before, after = list(column[: y + 1]), list(column[y:])
    return before == sorted(before) and after == sorted(after, reverse=True) and column[y] > min(column)
