"""Remembered tickets: the client against the vectors, and the rule itself against the table.

The statistical tests are seeded and would fail a sound rule once in a million each.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.audit.exactness import question
from tests.audit.recalled import differences
from tests.tools.client import CLIENT
from tests.tools.gate import few
from tests.vectors import make_remembered
from tests.vectors.make_remembered import Rule, start_of, symbols

ALPHA = 1e-6
SECRETS = [number.bytes(32) for number in [np.random.default_rng(23)] for _ in range(20_000)]
SMALL = {
    "single": ([[4, 1, 1], [1, 4, 1], [1, 1, 4]], 3, None),
    "one_hot": ([[3, 1], [1, 3]], 2, None),
    "each_option": ([[3, 1], [1, 3]], 2, None),
    "subset": ([[1, 2]], 3, 1),
}
"""Encoding: weights, choices, size of the set."""


def test_client_matches_remembered_vectors() -> None:
    assert differences(CLIENT) == []


def test_vectors_equal_script_output() -> None:
    assert make_remembered.TARGET.read_text(encoding="utf-8") == make_remembered.text()


def item(encoding: str) -> dict[str, Any]:
    weights, choices, size = SMALL[encoding]
    return make_remembered._of_bits(encoding, encoding, choices, weights, size=size)


def sent(one: dict[str, Any], answer: Any) -> list[tuple[int, ...]]:
    """What 20,000 devices send."""
    answer = list(answer) if isinstance(answer, tuple) else answer
    start = start_of(one)
    return [tuple(symbols(Rule(secret, start), one, answer)) for secret in SECRETS]


def demand_law(seen: Sequence[Any], shares: dict[Any, Fraction]) -> None:
    counts, expected = Counter(seen), {report: share for report, share in shares.items() if share}
    assert set(counts) <= set(expected)
    observed = [counts[report] for report in expected]
    assert stats.chisquare(observed, [float(share * len(seen)) for share in expected.values()]).pvalue > ALPHA


@pytest.mark.parametrize("encoding", few(SMALL))
def test_remembered_draws_follow_channel_independently(encoding: str) -> None:
    weights, choices, size = SMALL[encoding]
    exact = question(encoding, weights, choices, size)
    laws = [
        {report: Fraction(w, sum(row)) for report, w in zip(exact.reports, row, strict=True)} for row in exact.table
    ]
    drawn = [sent(item(encoding), answer) for answer in exact.answers]
    for seen, law in zip(drawn, laws, strict=True):
        demand_law(seen, law)
    if encoding != "each_option":
        for x, other in combinations(range(len(drawn)), 2):
            both = {(y, z): laws[x][y] * laws[other][z] for y, z in product(exact.reports, repeat=2)}
            demand_law(list(zip(drawn[x], drawn[other], strict=True)), both)


def test_remembered_options_are_redrawn_where_changed() -> None:
    one = item("each_option")
    none, first = sent(one, (0, 0)), sent(one, (1, 0))
    assert [second for _, second in none] == [second for _, second in first]
    law = {(y, z): Fraction([3, 1][y] * [1, 3][z], 16) for y, z in product((0, 1), repeat=2)}
    demand_law([(before[0], after[0]) for before, after in zip(none, first, strict=True)], law)


@pytest.mark.parametrize("change", few(["key", "wording", "channel"]))
def test_remembered_changed_item_has_independent_draws(change: str) -> None:
    one = make_remembered._of_bits("coins", "single", 2, [[3, 1], [1, 3]])
    new = {"key": "dice", "wording": {"en": "coins"}, "channel": {"name": "custom", "weights": [[9, 3], [3, 9]]}}
    pairs = list(zip(sent(one, 0), sent(one | {change: new[change]}, 0), strict=True))
    demand_law(pairs, {((y,), (z,)): Fraction([3, 1][y] * [3, 1][z], 16) for y, z in product((0, 1), repeat=2)})
