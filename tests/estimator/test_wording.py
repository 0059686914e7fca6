"""Numbers as people read them: no more digits than their error supports, nothing flattered by rounding."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator import wording

shares = st.floats(0, 1)


@pytest.mark.parametrize(
    ("error", "places"), [(None, 0), (0.0, 0), (0.2, 0), (0.014, 0), (0.01, 0), (0.0099, 1), (0.001, 1), (0.0001, 2)]
)
def test_decimals_follow_the_standard_error(error: float | None, places: int) -> None:
    assert wording.decimals(error) == places


def test_no_number_is_a_dash() -> None:
    assert wording.percent(None) == wording.between(None, 0.1) == wording.span(0.1, None) == wording.count(None) == "–"


@pytest.mark.parametrize(("share", "text"), [(0.324, "32\u00a0%"), (-0.001, "0\u00a0%"), (1.0, "100\u00a0%")])
def test_percentages(share: float, text: str) -> None:
    assert wording.percent(share) == text


@given(shares, shares, st.integers(0, 2))
def test_a_shown_interval_is_never_narrower(one: float, other: float, places: int) -> None:
    low, high = min(one, other), max(one, other)
    words = wording.between(low, high, places).replace("\u00a0%", "").split()
    assert float(words[1]) <= 100 * low + 1e-6
    assert float(words[3]) >= 100 * high - 1e-6
    assert float(words[1]) >= 0
    assert float(words[3]) <= 100


def test_protection_is_never_overstated() -> None:
    assert wording.epsilon(math.log(3)) == "1.10"
    assert wording.epsilon(1.1000001) == "1.11"
    assert wording.odds(Fraction(3)) == "3"
    assert wording.odds(Fraction(7, 3)) == "2.4"
    assert wording.odds(Fraction(101, 10)) == "11"
    assert wording.odds(math.inf) == wording.epsilon(math.inf) == "∞"


def test_a_bound_is_rounded_up() -> None:
    assert wording.points_up(0.02) == "2.0"
    assert wording.points_up(0.0201) == "2.1"


def test_every_interval_that_the_library_may_use_has_words() -> None:
    """A custom table gets another interval than it asked for; the report must be able to name it."""
    from randomized_response.estimation import INTERVALS

    assert set(INTERVALS) <= set(wording.METHODS)
