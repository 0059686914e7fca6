"""How precise an estimate is: the rule on both sides of each of its bounds, and the cases that such rules get wrong."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from estimator.base import verdict
from estimator.base.verdict import SHARE, Precision, Verdict, of_forecast, of_interval, of_values

USABLE, ROUGH, TOO_IMPRECISE = Verdict.USABLE, Verdict.ROUGH, Verdict.TOO_IMPRECISE
MANY = 1_000_000


def judged(estimate: float, half: float, *, direct: float | None = MANY, n: int = MANY, **more: object) -> Verdict:
    return Precision(estimate, half, n, direct, **more).verdict  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("half", "expected"),
    [(0.0, USABLE), (0.075, USABLE), (0.0751, ROUGH), (0.15, ROUGH), (0.1501, TOO_IMPRECISE), (0.5, TOO_IMPRECISE)],
)
def test_half_width_of_even_share_has_two_bounds(half: float, expected: Verdict) -> None:
    assert judged(0.5, half) is expected


@pytest.mark.parametrize("share", [0.1, 0.9])
@pytest.mark.parametrize(
    ("half", "expected"), [(0.0325, USABLE), (0.0326, ROUGH), (0.065, ROUGH), (0.0651, TOO_IMPRECISE)]
)
def test_relative_half_width_has_two_bounds(share: float, half: float, expected: Verdict) -> None:
    """Ten and ninety per cent are one fact with its two sides changed, so they have one verdict."""
    assert judged(share, half) is expected


@pytest.mark.parametrize(("direct", "expected"), [(120, USABLE), (119.9, ROUGH), (30, ROUGH), (29.9, TOO_IMPRECISE)])
def test_equivalent_direct_answers_have_two_bounds(direct: float, expected: Verdict) -> None:
    """However narrow the interval: randomisation alone leaves none where answers are sent as they are."""
    assert judged(0.5, 0.0, direct=direct) is expected


@pytest.mark.parametrize(("n", "expected"), [(120, USABLE), (119, ROUGH), (30, ROUGH), (29, TOO_IMPRECISE)])
def test_responses_count_where_direct_answers_are_unknown(n: int, expected: Verdict) -> None:
    assert judged(0.0, 0.0, direct=None, n=n) is expected


@pytest.mark.parametrize("share", [0.0, 0.001, 0.04, 0.96, 0.999, 1.0])
@pytest.mark.parametrize(
    ("half", "expected"), [(0.013, USABLE), (0.0131, ROUGH), (0.026, ROUGH), (0.0261, TOO_IMPRECISE)]
)
def test_share_near_an_end_is_judged_at_four_points(share: float, half: float, expected: Verdict) -> None:
    """Nought of a million is known well, though its relative error has no bound; NCHS presents 5 points of width."""
    assert judged(share, half) is expected


def test_each_of_many_choices_is_judged_by_itself() -> None:
    """Of ten choices an even share is 10 %: six points are much of it, and little of a half."""
    assert (judged(0.5, 0.06), judged(0.1, 0.06), judged(0.02, 0.06)) == (USABLE, ROUGH, TOO_IMPRECISE)


def test_level_of_the_interval_makes_no_difference() -> None:
    """A laxer interval of the same estimate is narrower, and no more precise."""
    error = 0.07 / 1.959964
    for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
        half = error * verdict.quantile(level)
        assert Precision(0.5, half, MANY, MANY, level).imprecision == pytest.approx(0.07 / 0.15)


@pytest.mark.parametrize(
    ("mean", "half", "expected"),
    [(3.0, 0.3, USABLE), (3.0, 0.31, ROUGH), (3.0, 0.6, ROUGH), (3.0, 0.61, TOO_IMPRECISE),
     (1.05, 0.1, USABLE), (1.0, 0.3, USABLE)],
)  # fmt: skip
def test_mean_of_a_scale_is_judged_by_its_points(mean: float, half: float, expected: Verdict) -> None:
    """From 1 to 5; nearer than a step to an end it is judged at one step."""
    assert judged(mean, half, range=of_values((1.0, 2.0, 3.0, 4.0, 5.0))) is expected


def test_mean_of_a_number_is_judged_where_it_is() -> None:
    """50 of 10,000 is known badly within 100, though these are one per cent of the range."""
    wide = of_values(tuple(map(float, range(10_001))))
    assert judged(50, 100, range=wide) is TOO_IMPRECISE
    assert judged(50, 15, range=wide) is USABLE
    assert judged(5_000, 1_500, range=wide) is ROUGH
    shifted = of_values((18.0, 19.0, 20.0, 99.0))
    assert judged(38, 6, range=shifted) is USABLE


def test_range_of_one_value_is_usable_without_width() -> None:
    only = of_values((7.0,))
    assert (judged(7.0, 0.0, range=only), judged(7.0, 0.1, range=only)) == (USABLE, TOO_IMPRECISE)


def test_unit_of_a_mean_makes_no_difference() -> None:
    for factor in (0.001, 1, 1000):
        values = of_values(tuple(factor * value for value in (0.0, 1.0, 2.0, 3.0)))
        assert judged(factor * 1.2, factor * 0.4, range=values) is ROUGH


@given(st.floats(0, 1), st.floats(0, 0.5), st.integers(1, 10_000))
def test_verdict_is_the_same_for_both_sides(share: float, half: float, direct: int) -> None:
    one, other = Precision(share, half, MANY, direct), Precision(1 - share, half, MANY, direct)
    assert one.imprecision == pytest.approx(other.imprecision)


@given(st.floats(0, 1), st.floats(0, 0.5), st.floats(0, 0.5), st.integers(1, 10_000), st.integers(1, 10_000))
def test_verdict_never_improves_with_width(share: float, a: float, b: float, c: int, d: int) -> None:
    narrow, wide = sorted((a, b))
    few, many = sorted((c, d))
    assert Precision(share, narrow, MANY, many).imprecision <= Precision(share, wide, MANY, few).imprecision


def test_no_answers_are_too_imprecise() -> None:
    assert math.isinf(Precision(0.5, 0.0, 0, 0.0).imprecision)


def test_interval_is_halved() -> None:
    found = of_interval(0.0, 0.0, 0.05, n=MANY, direct=None, confidence=0.95)
    assert (found.half_width, found.verdict, found.range) == (0.025, ROUGH, SHARE)


def test_forecast_has_no_direct_answers_at_an_end() -> None:
    """As of an estimate whose interval touches an end: near there a share has no such number that means anything."""
    inside = of_forecast(0.05, 0.02, n=4_000, direct=40, confidence=0.95)
    touching = of_forecast(0.02, 0.02, n=4_000, direct=4, confidence=0.95)
    assert (inside.direct, touching.direct) == (40, None)


def test_every_verdict_has_a_label() -> None:
    assert {str(verdict.LABELS[one]) for one in Verdict} == {"usable", "rough", "too imprecise to report"}
