"""Designs at random, of every kind, encoding and shape of table, small boxes and boxes of 2**32 tickets."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

from collector.designs import check
from randomized_response import discrete_laplace, one_bit
from tests.browser.expected_texts import ratio_of
from tests.factories import payloads

MOST_ODDS = 2980
"""What the page refuses to go beyond."""

Rows = list[list[int]]


def design(seed: int) -> dict[str, Any]:
    """A frozen design of one to four questions, about which the collector and the page have nothing to say."""
    random = Random(seed)
    while True:
        items = [_item(random, number) for number in range(random.randint(1, 4))]
        total = Fraction(1)
        for item in items:
            total *= ratio_of(item)
        if total <= MOST_ODDS:
            break
    document = payloads.document(items=items, strata={"wording": {"en": ""}, "groups": []})
    check(document)
    return document


def _item(random: Random, number: int) -> dict[str, Any]:
    kind = random.choice(list(MAKERS))
    base = {"key": f"item-{number}", "kind": kind, "wording": {"en": "What about it?"}}
    return base | MAKERS[kind](random)


def _yes_no(random: Random) -> dict[str, Any]:
    labels, more = _refusing(random, ["No", "Yes"])
    return _chosen(random, labels, more)


def _one_choice(random: Random) -> dict[str, Any]:
    labels, more = _labels(random)
    k = len(labels)
    if random.random() < 0.35:
        return _chosen(random, labels, more)
    if random.random() < 0.5:
        return _made(labels, "one_hot", _rates(random), more)
    size = random.randint(1, k - 1)
    tickets = _tickets(random, least=2 * k)
    least = size * tickets // k + 1
    holds = random.randint(least, max(least, min(tickets - 1, least + (tickets - least) * 2 // 3)))
    return _made(labels, "subset", [[tickets - holds, holds]], more, size=size)


def _several(random: Random) -> dict[str, Any]:
    labels, more = _labels(random)
    if random.random() < 0.5:
        more["most"] = random.randint(1, len(labels) - 1)
    return _made(labels, "each_option", _rates(random, near=True), more)


def _scale(random: Random) -> dict[str, Any]:
    labels, more = _labels(random)
    if "prefer_not" in more or random.random() < 0.5:
        return _chosen(random, labels, more)
    return _made(labels, "single", _laplace(random, len(labels)), more)


def _number(random: Random) -> dict[str, Any]:
    step = random.choice([Fraction(1), Fraction(5), Fraction(1, 2), Fraction(1, 4), Fraction(1, 1000)])
    low = step * random.randint(-20, 3000)
    count = random.choice([random.randint(2, 12), random.randint(13, 60)])
    names = ("minimum", "maximum", "step")
    grid = dict(zip(names, map(_decimal, (low, low + step * (count - 1), step)), strict=True))
    makers: list[Callable[[], Rows]] = [
        lambda: [list(row) for row in one_bit(count, truth=Fraction(random.randint(1, 5), 7)).weights],
        lambda: _laplace(random, count),
        lambda: _alike(random, count),
        lambda: _rows(random, count, random.randint(2, 6)),
        lambda: _rows(random, count, count),
    ]
    return _made([], "single", random.choice(makers)(), {"grid": grid})


MAKERS: dict[str, Callable[[Random], dict[str, Any]]] = {
    "yes_no": _yes_no,
    "one_choice": _one_choice,
    "several_choices": _several,
    "scale": _scale,
    "number": _number,
}


def _chosen(random: Random, labels: list[str], more: dict[str, Any]) -> dict[str, Any]:
    k = len(labels)
    return _made(labels, "single", _alike(random, k) if random.random() < 0.6 else _rows(random, k, k), more)


def _made(labels: list[str], encoding: str, weights: Rows, more: dict[str, Any], **channel: Any) -> dict[str, Any]:
    choices = [{"en": label} for label in labels]
    return {
        "choices": choices,
        "encoding": encoding,
        "channel": {"name": "custom", "weights": weights, **channel},
    } | more


def _labels(random: Random) -> tuple[list[str], dict[str, Any]]:
    """Words and figures: figures of an author must not be taken for figures of ours."""
    k = random.randint(2, 11)
    return _refusing(random, [random.choice(["Choice {}", "{} times", "from {} up"]).format(x) for x in range(k)])


def _refusing(random: Random, labels: list[str]) -> tuple[list[str], dict[str, Any]]:
    return ([*labels, "Rather not say"], {"prefer_not": True}) if random.random() < 0.3 else (labels, {})


def _tickets(random: Random, *, least: int) -> int:
    return 2**32 if random.random() < 0.25 else random.randint(least, least + random.choice([3, 20, 1000]))


def _alike(random: Random, k: int) -> Rows:
    """One weight for the answer, one for every other."""
    rest = random.choice([1, 2, 7, 2**20])
    own = rest + random.randint(1, 5 * rest)
    return [[own if x == y else rest for y in range(k)] for x in range(k)]


def _rows(random: Random, answers: int, reports: int) -> Rows:
    """No two rows need be alike; every report is possible."""
    tickets = _tickets(random, least=6 * reports)
    rows = []
    for _ in range(answers):
        parts = [random.randint(2, 6) for _ in range(reports)]
        row = [max(1, tickets * part // sum(parts)) for part in parts]
        row[random.randrange(reports)] += tickets - sum(row)
        rows.append(row)
    return rows


def _rates(random: Random, *, near: bool = False) -> Rows:
    """Two rates of marking, the answer's the larger one."""
    tickets = _tickets(random, least=5)
    off = random.randint(1, max(1, tickets // 2))
    on = random.randint(off + 1, max(off + 1, min(tickets - 1, off + tickets // (12 if near else 3))))
    return [[tickets - off, off], [tickets - on, on]]


def _laplace(random: Random, k: int) -> Rows:
    return [list(row) for row in discrete_laplace(k, epsilon=random.choice([0.3, 0.9, 2.0, 4.0])).weights]


def _decimal(value: Fraction) -> str:
    return f"{float(value):.3f}".rstrip("0").rstrip(".")
