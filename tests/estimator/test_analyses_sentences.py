"""The sentences and pictures of analyses: what they say is what the intervals say, whatever the numbers are."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from collector.designs import Design
from estimator.analyses import axes, figures, sentences
from estimator.analyses.quantities import AnalysisError
from estimator.analyses.requests import read_shares
from estimator.analyses.rows import AnalysisRow
from tests.factories import payloads, three_groups

DESIGN = Design.of(payloads.document(strata=three_groups.groups()))
ends = st.floats(-1, 1).map(lambda end: round(end, 6))


def row(low: float, high: float) -> AnalysisRow:
    error = (high - low) / 4 or 0.01
    return AnalysisRow(
        "difference", "cheated", 100, choice=1, estimate=(low + high) / 2, standard_error=error, low=low, high=high,
        level=0.95,
    )  # fmt: skip


def numbers(text: str) -> list[float]:
    return [
        float(found.replace(sentences.MINUS, "-")) for found in re.findall(rf"[{sentences.MINUS}]?\d+(?:\.\d+)?", text)
    ]


@given(ends, ends)
def test_difference_sentence_agrees_with_interval(one: float, other: float) -> None:
    """Whether they differ, which is higher, and an interval that is never narrower than the one that was computed."""
    low, high = sorted((one, other))
    said = sentences.difference(row(low, high), "A", "B", sentences.POINTS)
    near, far = numbers(said)
    if low > 0:
        assert said.startswith("A is higher than B by ")
        assert near <= 100 * low + 1e-6
        assert far >= 100 * high - 1e-6
        assert near > 0 or low < 1e-6
    elif high < 0:
        assert said.startswith("A is lower than B by ")
        assert near <= -100 * high + 1e-6
        assert far >= -100 * low - 1e-6
        assert near > 0 or high > -1e-6
    else:
        assert said.startswith("The data do not distinguish A from B: the difference is between ")
        assert near <= 100 * low + 1e-6
        assert far >= 100 * high - 1e-6


def test_difference_sentence_examples() -> None:
    assert (
        sentences.difference(row(0.03, 0.11), "A", "B", sentences.POINTS)
        == "A is higher than B by 3–11 percentage points."
    )
    unclear = "The data do not distinguish A from B: the difference is between −4 and 9 percentage points."
    assert sentences.difference(row(-0.04, 0.09), "A", "B", sentences.POINTS) == unclear
    just = "A is lower than B by 0.2–11.0 percentage points."
    assert sentences.difference(row(-0.11, -0.002), "A", "B", sentences.POINTS) == just


@given(st.lists(st.tuples(ends, ends).map(sorted), min_size=1, max_size=6))
def test_difference_axis_holds_zero_and_intervals(intervals: list[list[float]]) -> None:
    axis = axes.of_differences([row(low, high) for low, high in intervals], shares=True)
    assert axis.start - 1e-9 <= min(0, *(low for low, _ in intervals))
    assert axis.end + 1e-9 >= max(0, *(high for _, high in intervals))
    assert min(abs(tick) for tick in axis.ticks) < 1e-9
    assert 2 <= len(axis.ticks) <= 8
    means = axes.of_values([row(low, high) for low, high in intervals])
    assert means.start <= min(low for low, _ in intervals) + 1e-9
    assert 2 <= len(means.ticks) <= 8


@given(st.lists(st.tuples(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9)).map(sorted), min_size=1, max_size=6))
def test_ratio_axis_has_a_tick_at_one(intervals: list[list[float]]) -> None:
    axis = axes.of_ratios([row(low, high) for low, high in intervals])
    assert 1.0 in axis.ticks
    assert len(axis.ticks) <= 8
    assert all(0 <= axis.part_of_width(end) <= 1 for interval in intervals for end in interval)


@given(st.lists(st.integers(1, 10**6), min_size=3, max_size=3))
def test_read_shares_is_exact(sizes: list[int]) -> None:
    total = sum(sizes)
    said = {f"share-{key}": f"{size}/{total}" for key, size in zip(three_groups.GROUPS, sizes, strict=True)}
    read = read_shares(said, DESIGN)
    assert [Fraction(read[key]) for key in three_groups.GROUPS] == [Fraction(size, total) for size in sizes]
    with pytest.raises(AnalysisError, match="must sum to 100 %"):
        read_shares(said | {"share-y1": f"{sizes[0] + 1}/{total}"}, DESIGN)


def test_difference_chart_has_words_and_line_at_zero() -> None:
    part = figures.differences(
        [row(-0.04, 0.09), row(0.1, 0.2)], ["A − B", "<C> − B"], sentences.POINTS, "Differences", 0.95
    )
    assert part.picture.count('class="origin"') == 4, "two rows in two layouts"
    assert "&lt;C&gt; − B: 15 (10–20)" in part.picture
    assert part.table.head[3] == "95\u00a0% interval, simultaneous"
    assert [cells[-1] for cells in part.table.rows] == ["not distinguishable", "differ"]


def test_missing_sentence_names_reason() -> None:
    few = replace(row(0, 1), n=4, estimate=None, low=None, high=None, flags=["too_few_reports"])
    assert sentences.missing(few) == "not enough responses yet: 4 of 10"
    assert sentences.missing(replace(few, flags=["at_the_edge"])).startswith("at the boundary of the possible values")
    assert "cannot be compared" in sentences.odds(replace(few, flags=["at_the_edge"]), "“Yes”", "A", "B")
    assert (
        sentences.odds(row(0.2, 0.45), "“Yes”", "A", "B") == "The odds of “Yes” in A are 0.20 to 0.45 times those in B."
    )


def test_odds_sentence_is_limited_to_a_thousand() -> None:
    """Ends of intervals outwards; beyond that digits would speak of what nobody knows."""
    assert sentences.odds(row(2.7e-10, 2.4e9), "“Yes”", "A", "B").endswith("is between 0 and over 1,000.")
    assert sentences.odds(row(2e3, 3e3), "“Yes”", "A", "B").startswith(
        "The odds of “Yes” in A are 1,000 to over 1,000 "
    )
    assert (
        sentences.odds(row(1e-6, 2e-6), "“Yes”", "A", "B") == "The odds of “Yes” in A are 0 to 0.001 times those in B."
    )
    assert [sentences.ratio(number) for number in (0, 1e-9, 0.0012, 63, 999, 1e4)] == [
        "0", "below 0.001", "0.0012", "63", "999", "over 1,000",
    ]  # fmt: skip


@given(ends, ends)
def test_change_sentence_agrees_with_interval(one: float, other: float) -> None:
    """Which way it went, and an interval that is never narrower than the one that was computed."""
    low, high = sorted((one, other))
    said = sentences.change(row(low, high), "wave 1", "wave 2", "the share of “Yes”", sentences.POINTS)
    level, near, far = numbers(said.partition("(")[2]) if low > 0 or high < 0 else (95.0, *numbers(said)[3:5])
    assert level == 95
    assert said.startswith("From wave 1 to wave 2, ")
    if low > 0 or high < 0:
        assert (" rose by " in said) == (low > 0)
        low, high = (low, high) if low > 0 else (-high, -low)
    else:
        assert "the data do not show whether the share of “Yes” changed (" in said
    assert near <= 100 * low + 1e-6
    assert far >= 100 * high - 1e-6


def test_change_sentence_example() -> None:
    found = replace(row(0.01, 0.07), standard_error=0.0151)
    said = sentences.change(found, "wave 1", "wave 2", "the share of “Yes”", sentences.POINTS)
    assert said == ("From wave 1 to wave 2, the share of “Yes” rose by 4 percentage points (95\u00a0% CI 1–7).")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "“Drinks? ‘Wine’”"),
        ("de", "„Drinks? ‚Wine‘“"),
        ("es", "«Drinks? “Wine”»"),
        ("fr", "« Drinks? “Wine” »"),
        ("ar", "«\u2068Drinks? “\u2068Wine\u2069”\u2069»"),
    ],
)
def test_quotation_marks_are_those_of_the_language(language: str, said: str) -> None:
    with translation.override(language):
        assert sentences.named(f"Drinks? {sentences.named('Wine')}") == said
