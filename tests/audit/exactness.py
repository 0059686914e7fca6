"""Exact, where sampling is blind: every sequence of words of a small size through the client, compared with fractions.

A ticket that is drawn says nothing about how many words were rejected before it. So among the sequences that are long
enough, each report has exactly the share that the table gives it: an equation of integers, without tolerance.
"""

import shutil
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

from collector.designs import Field
from randomized_response import Channel, custom, forced_response, k_ary, one_bit, warner
from tests.audit.items import Audited
from tests.tools.client import CLIENT, run_in_node

SCRIPT = Path(__file__).with_name("enumeration.mjs")

SINGLE = (
    forced_response(truth="1/2"),
    forced_response(truth="1/2", yes="1/4"),
    forced_response(truth="2/3", yes="1/2"),
    forced_response(truth="2/5", yes="1/3"),
    warner(truth="3/4"),
    warner(truth="2/7"),
    k_ary(3, truth="1/2"),
    k_ary(4, truth="1/5"),
    k_ary(5, truth="1/3"),
    k_ary(6, truth="3/8"),
    one_bit(4, truth="1/2"),
    custom([[6, 2, 1], [2, 5, 2], [1, 2, 6]]),
)
"""Each alone: words of 8 bits, every sequence of two."""

TOGETHER = (
    (forced_response(truth="1/2"), k_ary(3, truth="1/2")),
    (k_ary(5, truth="1/3"), forced_response(truth="2/3", yes="1/2")),
    (forced_response(truth="1/2"), forced_response(truth="1/2"), warner(truth="2/3")),
)
"""Several questions: words of 4 bits, every sequence of four."""

SEVERAL_SYMBOLS = (
    ("one_hot", [[4, 1], [2, 3]], 3, None),
    ("one_hot", [[3, 1], [1, 3]], 4, None),
    ("each_option", [[4, 1], [1, 4]], 3, None),
    ("each_option", [[2, 1], [1, 2]], 4, None),
    ("subset", [[1, 4]], 3, 2),
    ("subset", [[1, 2]], 4, 1),
    ("subset", [[1, 4]], 4, 2),
    ("subset", [[1, 7]], 4, 3),
)
"""Encoding, weights, choices and the size of a set: words of 4 bits, every sequence of four."""


def cases(*, short: bool = False) -> Iterator[tuple[list[Audited], tuple[int, ...], int, int]]:
    """Questions, the places of their answers, the number of words, how many words a sequence has.

    The short enumeration has words of 6 bits for each alone, and the first of the others by its encoding.
    """
    together, several = TOGETHER, SEVERAL_SYMBOLS
    if short:
        together, several = TOGETHER[:1], tuple({given[0]: given for given in reversed(several)}.values())
    sized = [([single(channel)], 64 if short else 256, 2) for channel in SINGLE]
    sized += [([single(channel) for channel in channels], 16, 4) for channels in together]
    sized += [([question(*given)], 16, 4) for given in several]
    for items, size, depth in sized:
        for places in product(*(range(len(one.answers)) for one in items)):
            yield items, places, size, depth


def single(channel: Channel) -> Audited:
    return question("single", [list(row) for row in channel.weights], channel.answers, None)


def question(encoding: str, weights: list[list[int]], choices: int, ones: int | None) -> Audited:
    """As much of an item as drawing needs."""
    kind = "several_choices" if encoding == "each_option" else "one_choice"
    item = {
        "kind": kind,
        "choices": [{}] * choices,
        "encoding": encoding,
        "channel": {"weights": weights, "size": ones},
    }
    return Audited(item, Field(0, 1 if encoding == "single" else choices, len(weights[0]), ones))


def differences(client: Path, *, short: bool = False) -> list[str]:
    """One text for each question whose reports have not exactly its probabilities in the client of that folder."""
    given = list(cases(short=short))
    told = [
        {
            "items": [one.item for one in items],
            "answers": [one.answers[place] for one, place in zip(items, places, strict=True)],
            "size": size,
            "depth": depth,
        }
        for items, places, size, depth in given
    ]
    pairs = zip(given, told, run_in_node(SCRIPT, told, client=client), strict=True)
    return [
        f"enumeration of {[one['channel'] for one in said['items']]}, answers {said['answers']}"
        for (items, places, size, depth), said, seen in pairs
        if not exact(items, places, seen, size**depth)
    ]


def exact(items: Sequence[Audited], places: Sequence[int], seen: dict[str, int], total: int) -> bool:
    unresolved = seen.pop("open")
    shares = expected(items, places)
    if set(seen) > set(shares) or unresolved * 2 > total:
        return False
    return all(seen.get(report, 0) == share * (total - unresolved) for report, share in shares.items())


def expected(items: Sequence[Audited], places: Sequence[int]) -> dict[str, Fraction]:
    """The probability of every report of all questions together, as two hex digits a symbol."""
    shares = {"": Fraction(1)}
    for one, place in zip(items, places, strict=True):
        row = one.table[place]
        parts = [(bytes(report).hex(), Fraction(w, sum(row))) for report, w in zip(one.reports, row, strict=True)]
        shares = {begun + report: share * part for begun, share in shares.items() for report, part in parts}
    return shares


def altered_client(folder: Path, changes: Sequence[tuple[str, str, str]]) -> Path:
    """A copy of the client with some texts changed; KeyError where a text is not there."""
    shutil.copytree(CLIENT, folder, dirs_exist_ok=True)
    for name, old, new in changes:
        text = (folder / name).read_text(encoding="utf-8")
        if old not in text:
            raise KeyError(f"{name} has no {old!r}")
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")
    return folder
