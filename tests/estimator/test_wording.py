"""Numbers as people read them: no more digits than their error supports, nothing flattered by rounding."""

import ast
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.designs import Item
from estimator.base import wording
from estimator.base.measures import CLIPPED, IMPOSSIBLE, WEIGHTED
from estimator.base.tickets import encoding_sentence
from estimator.base.verdict import Verdict
from estimator.reports.question_blocks import QuestionBlock
from randomized_response import discrete_laplace
from tests.factories import kinds

shares = st.floats(0, 1)


@pytest.mark.parametrize(
    ("error", "places"), [(None, 0), (0.0, 0), (0.2, 0), (0.014, 0), (0.01, 0), (0.0099, 1), (0.001, 1), (0.0001, 2)]
)
def test_decimals_follow_the_standard_error(error: float | None, places: int) -> None:
    assert wording.decimals(error) == places


def test_missing_number_is_a_dash() -> None:
    assert wording.percent(None) == wording.span(None, 0.1) == wording.span(0.1, None) == wording.count(None) == "–"


@pytest.mark.parametrize(("share", "text"), [(0.324, "32\u00a0%"), (-0.001, "0\u00a0%"), (1.0, "100\u00a0%")])
def test_percent_examples(share: float, text: str) -> None:
    assert wording.percent(share) == text


@given(shares, shares, st.integers(0, 2))
def test_interval_is_rounded_outwards(one: float, other: float, places: int) -> None:
    low, high = min(one, other), max(one, other)
    least, most = map(float, wording.span(low, high, places).removesuffix("\u00a0%").split("–"))
    assert 0 <= least <= 100 * low + 1e-6
    assert 100 * high - 1e-6 <= most <= 100


def test_epsilon_and_odds_are_rounded_up() -> None:
    assert wording.epsilon(math.log(3)) == "1.10"
    assert wording.epsilon(1.1000001) == "1.11"
    assert wording.odds(Fraction(3)) == "3"
    assert wording.odds(Fraction(7, 3)) == "2.4"
    assert wording.odds(Fraction(101, 10)) == "11"
    assert wording.odds(math.inf) == wording.epsilon(math.inf) == "∞"


def test_points_bound_is_rounded_up() -> None:
    assert wording.points_up(0.02) == "2.0"
    assert wording.points_up(0.0201) == "2.1"


def test_interval_methods_have_labels() -> None:
    """A custom table gets another interval than it asked for; the report must be able to name it."""
    from randomized_response.estimation import INTERVALS

    assert set(INTERVALS) <= set(wording.METHODS)


@pytest.mark.parametrize(
    ("error", "places"), [(None, 0), (0.0, 0), (12.0, 0), (1.0, 0), (0.99, 1), (0.3, 1), (0.04, 2), (1e-9, 6)]
)
def test_mean_decimals_follow_standard_error(error: float | None, places: int) -> None:
    assert wording.decimals(error, wording.PLAIN) == places


def test_mean_has_unit_and_outward_interval() -> None:
    assert wording.value(12.36, 1, wording.PLAIN) == "12.4"
    assert wording.value(-0.04, 1, wording.PLAIN) == "0.0"
    assert wording.value(12345.6, 0, wording.PLAIN) == "12,346"
    assert wording.span(11.04, 13.81, 1, wording.PLAIN) == "11.0–13.9"
    assert wording.span(-1.21, 0.3, 1, wording.PLAIN) == "-1.3 to 0.3"
    assert wording.error(0.1234, 2, wording.PLAIN) == "0.12"
    assert (wording.point(2.5), wording.point(1000.0), wording.point(-3.0)) == ("2.5", "1,000", "-3")


@pytest.mark.parametrize(
    ("shift", "text"),
    [(0.0, "0"), (0.0351, "0.036"), (0.39, "0.39"), (1.2, "1.2"), (1.21, "1.3"), (41.2, "42"), (1999, "1,999")],
)
def test_unit_bound_is_rounded_up(shift: float, text: str) -> None:
    assert wording.shift_up(shift) == text


def test_mean_sentence_example() -> None:
    quote = wording.Quote("mean", 812, "12.4", "95 % CI 11.0–13.9", Verdict.USABLE)
    said = "The mean of the 812 respondents is an estimated 12.4 (95 % CI 11.0–13.9)."
    assert wording.sentence(quote) == said
    assert wording.sentence(replace(quote, verdict=Verdict.ROUGH)) == f"{said} This estimate is rough."


def test_report_sentences_are_translatable() -> None:
    """No f-string in a module of reports holds a sentence: it would stay English in a German report."""
    app = Path(wording.__file__).parents[1]
    modules = [app / f"{name}.py" for name in ("base/wording", "base/ways_in", "runs/results", "runs/group_sizes")]
    modules += [one for one in (app / "reports").glob("*.py") if one.name != "disclosures.py"]  # the panel says those
    found = [
        f"{path.name}: {part.value}"
        for path in modules
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.JoinedStr)
        for part in node.values
        if isinstance(part, ast.Constant) and re.search("[A-Za-z]{2,} [A-Za-z]{2,}", str(part.value))
    ]
    assert found == []


def test_discrete_laplace_sentence_omits_nearest_value() -> None:
    """From the middle of five points an end is sent four times as often as the middle: it collects what lies beyond."""
    weights = discrete_laplace(5, epsilon=0.7).weights
    assert weights[2][0] == weights[2][4] > 4 * weights[2][2]
    hours = kinds.items()[-1]
    assert encoding_sentence(Item.of(hours)).endswith("beyond an end of the range are sent as that end.")
    custom = hours | {"channel": hours["channel"] | {"name": "custom"}}
    assert encoding_sentence(Item.of(custom)) == "A randomised number is sent."


def test_flag_words_impossible_hides_clipped() -> None:
    def said(*flags: str) -> list[str]:
        block: Any = SimpleNamespace(flags=flags)
        found: list[str] = vars(QuestionBlock)["flag_words"].fget(block)
        return found

    assert said(CLIPPED) == [str(wording.FLAGS[CLIPPED])]
    assert said(WEIGHTED, CLIPPED, IMPOSSIBLE) == [str(wording.FLAGS[one]) for one in (WEIGHTED, IMPOSSIBLE)]
