"""Write `remembered.json`: items, numbers of devices and answers with the symbols that every implementation must send.

    python -m tests.vectors.make_remembered

Seeded, so that a second run writes the same bytes (a test compares them). The rule is stated here a second time, apart
from the client: a block is HMAC-SHA-256, keyed with the 32 bytes of the device's number, of "candor ticket 1\\n", the
SHA-256 of the item's canonical text, the number of the draw and a counter from 0 (4 bytes each, the largest first). Its
eight words, the largest byte first, are read as sampling.json says. The draw of a choice or of a point is its number;
that of an option is twice its number, and one more where it is ticked.

`wrong` holds symbols that a client must not send: they come from a rule that is off in one thing. Their item has so
many symbols that they would be the right ones once in 2**64.
"""

import hmac
import json
import random
from collections.abc import Iterator
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from tests.factories import kinds

WORDS = 2**32
TARGET = Path(__file__).with_name("remembered.json")
LABEL = b"candor ticket 1\n"
SECRETS, WRONG = 45, 100

Answer = int | list[int]


def _of_bits(key: str, encoding: str, choices: int, weights: list[list[int]], **more: Any) -> dict[str, Any]:
    kind = "several_choices" if encoding == "each_option" else "one_choice"
    return {
        "key": key,
        "kind": kind,
        "wording": {"en": f"{key}?", "ar": "\u0647\u0644 \u2026\u061f"},
        "choices": [{"en": f"{choice} \u2013 \u00e9", "ar": str(choice)} for choice in range(choices)],
        "encoding": encoding,
        "channel": {"name": "custom", "weights": weights} | more,
    }


HALF_REJECTED = [[2**31, 1], [1, 2**31]]
LONG = _of_bits("long", "one_hot", 70, [[4, 3], [3, 4]])
ITEMS = [
    *kinds.items(),
    _of_bits("coins", "single", 2, [[3, 1], [1, 3]]),
    _of_bits("largest-box", "single", 2, [[2**31, 2**31], [1, WORDS - 1]]),
    _of_bits("half-rejected", "single", 2, HALF_REJECTED),
    _of_bits("three", "single", 3, [[4, 1, 1], [1, 4, 1], [1, 1, 4]]),
    _of_bits("marked", "one_hot", 9, [[5, 4], [4, 5]]),
    _of_bits("marked-rejected", "one_hot", 20, HALF_REJECTED),
    _of_bits("ticked-rejected", "each_option", 9, HALF_REJECTED),
    _of_bits("ticked", "each_option", 3, [[4, 3], [3, 4]]),
    _of_bits("set", "subset", 12, [[2, 3]], size=4),
    _of_bits("set-of-two", "subset", 2, [[1, 2]], size=1),
    LONG,
]


def start_of(item: dict[str, Any], label: bytes = LABEL) -> bytes:
    """What every message for the item begins with."""
    canonical = json.dumps(item, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return label + sha256(canonical.encode()).digest()


class Rule:
    """How words come from a number; `wrong` cases change one thing of it."""

    def __init__(self, secret: bytes, start: bytes, order: Literal["big", "little"] = "big") -> None:
        self.secret, self.start, self.order = secret, start, order

    def words(self, draw: int) -> Iterator[int]:
        counter = 0
        while True:
            message = self.start + draw.to_bytes(4, "big") + counter.to_bytes(4, "big")
            block = hmac.digest(self.secret, message, "sha256")
            yield from (int.from_bytes(block[start : start + 4], self.order) for start in range(0, 32, 4))
            counter += 1


def ticket(words: Iterator[int], box: int) -> int:
    return next(word for word in words if word < WORDS // box * box) % box


def drawn(words: Iterator[int], row: list[int]) -> int:
    one = ticket(words, sum(row))
    return next(y for y, end in enumerate(accumulate(row)) if end > one)


def symbols(rule: Rule, item: dict[str, Any], answer: Answer) -> list[int]:
    """What is sent for the item where this is the answer."""
    weights, choices = item["channel"]["weights"], len(item["choices"])
    if isinstance(answer, list):
        return [drawn(rule.words(2 * option + bit), weights[bit]) for option, bit in enumerate(answer)]
    words = rule.words(answer)
    if item["encoding"] == "single":
        return [drawn(words, weights[answer])]
    if item["encoding"] == "one_hot":
        return [drawn(words, weights[choice == answer]) for choice in range(choices)]
    holds, order = drawn(words, weights[0]), list(range(choices))
    for last in range(choices - 1, 0, -1):
        other = ticket(words, last + 1)
        order[last], order[other] = order[other], order[last]
    others = [choice for choice in order if choice != answer][: item["channel"]["size"] - holds]
    return [int(choice in others or (choice == answer and holds == 1)) for choice in range(choices)]


def some_answer(source: random.Random, item: dict[str, Any]) -> Answer:
    if item["kind"] == "several_choices":
        ticks = [0] * len(item["choices"])
        for option in source.sample(range(len(ticks)), source.randint(0, item.get("most", len(ticks)))):
            ticks[option] = 1
        return ticks
    return source.randrange(len(item["choices"]) or len(item["channel"]["weights"]))


def wrong(source: random.Random) -> list[Any]:
    """A reason and the symbols that it would give, beside number and answer."""
    secret, answer = source.randbytes(32), source.randrange(70)
    start = start_of(LONG)
    retabled = LONG | {"channel": {"name": "custom", "weights": [[8, 6], [6, 8]]}}
    reason, rule, drawn_for = source.choice(
        [
            ("another label", Rule(secret, start_of(LONG, b"candor ticket 2\n")), answer),
            ("another number", Rule(source.randbytes(32), start), answer),
            ("another wording", Rule(secret, start_of(LONG | {"wording": {"en": "long? "}})), answer),
            ("another table", Rule(secret, start_of(retabled)), answer),
            ("another key", Rule(secret, start_of(LONG | {"key": "longer"})), answer),
            ("another answer", Rule(secret, start), (answer + 1) % 70),
            ("words from the other end", Rule(secret, start, "little"), answer),
        ]
    )
    return [secret.hex(), answer, bytes(symbols(rule, LONG, drawn_for)).hex(), reason]


def text() -> str:
    source = random.Random(20141103)
    secrets = [source.randbytes(32) for _ in range(SECRETS)]
    cases = []
    for number, secret in enumerate(secrets):
        for place, item in enumerate(ITEMS):
            answer = some_answer(source, item)
            cases.append([place, number, answer, bytes(symbols(Rule(secret, start_of(item)), item, answer)).hex()])
    parts = {
        "items": ITEMS,
        "secrets": [secret.hex() for secret in secrets],
        "cases": cases,
        "wrong": [wrong(source) for _ in range(WRONG)],
    }
    about = "written by make_remembered.py; the rule and the meaning of the fields are stated there"
    lists = [f'"{name}": [\n{_one_per_line(entries)}\n]' for name, entries in parts.items()]
    return f'{{"about": {json.dumps(about)},\n' + ",\n".join(lists) + "}\n"


def _one_per_line(entries: list[Any]) -> str:
    return ",\n".join(json.dumps(entry, separators=(",", ":"), ensure_ascii=False) for entry in entries)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
