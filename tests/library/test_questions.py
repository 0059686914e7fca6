"""Every item of a frozen design becomes its mechanism: its epsilon (docs/reference/formats.md) and its estimates."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from collector.designs import Item
from randomized_response import (
    Channel,
    EachOption,
    Question,
    SubsetSelection,
    UnaryEncoding,
    epsilon_total,
    estimate_mean,
    estimate_proportions,
    mean_of_shares,
    question_of,
)
from tests.factories import kinds

ITEMS = {item["key"]: item for item in kinds.items()}
QUESTIONS = {key: question_of(item) for key, item in ITEMS.items()}


def largest(pairs: list[tuple[int, int]]) -> Fraction:
    return max(Fraction(a, b) for a, b in pairs)


def ratio_of(item: dict[str, Any]) -> Fraction:
    """e^epsilon as docs/reference/formats.md states it, from the table alone."""
    weights, k = item["channel"]["weights"], len(item["choices"])
    match item["encoding"]:
        case "single":
            return largest([(max(column), min(column)) for column in zip(*weights, strict=True)])
        case "one_hot":
            up, down = (list(zip(*rows, strict=True)) for rows in (weights[::-1], weights))
            return largest(up) * largest(down)
        case "each_option":
            once = largest([(max(column), min(column)) for column in zip(*weights, strict=True)])
            return Fraction(once ** min(k, 2 * item.get("most", k)))
    size = item["channel"]["size"]
    return Fraction(weights[0][1] * (k - size), weights[0][0] * size)


@pytest.mark.parametrize("key", ITEMS)
def test_question_ratio_equals_format(key: str) -> None:
    assert QUESTIONS[key].mechanism.ratio == ratio_of(ITEMS[key])


def test_question_has_mechanism_of_its_encoding() -> None:
    assert {key: type(question.mechanism) for key, question in QUESTIONS.items()} == {
        "smokes": Channel, "often": Channel, "substance": UnaryEncoding, "place": SubsetSelection,
        "habits": EachOption, "mood": Channel, "worry": Channel, "drinks": Channel, "hours": Channel,
    }  # fmt: skip
    assert QUESTIONS["habits"].mechanism.most == 2
    assert QUESTIONS["place"].mechanism.size == 3
    assert 6 < epsilon_total(question.mechanism for question in QUESTIONS.values()) < 7


def test_question_values_of_answers() -> None:
    assert QUESTIONS["smokes"].values == QUESTIONS["often"].values == QUESTIONS["habits"].values == ()
    assert QUESTIONS["mood"].values == (1, 2, 3, 4, 5)
    assert question_of(ITEMS["mood"] | {"prefer_not": True}).values == (1, 2, 3, 4, None)
    for key in ("drinks", "hours"):
        assert QUESTIONS[key].values == tuple(float(point) for point in Item.of(ITEMS[key]).points)


@pytest.mark.parametrize(("minimum", "maximum", "step"), [("-1", "1", "0.1"), ("0.5", "9", "2"), ("-7", "-1", "3")])
def test_question_grid_equals_collector(minimum: str, maximum: str, step: str) -> None:
    item = ITEMS["hours"] | {"grid": {"minimum": minimum, "maximum": maximum, "step": step}}
    assert question_of(item).values == tuple(float(point) for point in Item.of(item).points)


def test_question_estimate_equals_mechanism() -> None:
    ones = np.array([300, 350, 320, 340, 360, 330])
    counts = np.stack([1000 - ones, ones], axis=1)
    bits = QUESTIONS["substance"].mechanism
    assert isinstance(bits, UnaryEncoding)
    assert QUESTIONS["substance"].estimate(counts).low.tolist() == bits.estimate(ones, 1000).low.tolist()
    assert QUESTIONS["substance"].sent(counts).tolist() == ones.tolist()
    table, points = QUESTIONS["mood"].mechanism, [[150, 200, 250, 300, 100]]
    assert isinstance(table, Channel)
    shares = estimate_proportions(points[0], table, confidence=0.9)
    assert QUESTIONS["mood"].estimate(points, confidence=0.9).to_dict() == shares.to_dict()
    mean = mean_of_shares(shares, [1, 2, 3, 4, 5])
    assert QUESTIONS["mood"].estimate_mean(points, confidence=0.9).to_dict() == mean.to_dict()
    drinks = QUESTIONS["drinks"].mechanism
    assert isinstance(drinks, Channel)
    assert QUESTIONS["drinks"].estimate_mean([[500, 300]]).to_dict() == estimate_mean([500, 300], drinks).to_dict()


def test_question_without_mean_raises() -> None:
    assert [key for key, question in QUESTIONS.items() if not question.reports_mean] == list(ITEMS)[:5]
    assert [key for key, question in QUESTIONS.items() if not question.fits_shares] == ["drinks", "hours"]
    assert [key for key, question in QUESTIONS.items() if not question.reports_shares] == ["worry", "drinks", "hours"]
    with pytest.raises(ValueError, match="only a scale and a number have a mean; got a question of kind yes_no"):
        QUESTIONS["smokes"].estimate_mean([[60, 40]])


def test_question_discrete_laplace_reports_mean_not_shares() -> None:
    """A scale by the same table under another name tells them, as does one choice."""
    counts, worry = [[200, 180, 220, 210, 190]], QUESTIONS["worry"]
    assert worry.estimate_mean(counts).to_dict() == mean_of_shares(worry.estimate(counts), [1, 2, 3, 4, 5]).to_dict()
    for other in ({"kind": "one_choice"}, {"channel": ITEMS["worry"]["channel"] | {"name": "custom"}}):
        assert question_of(ITEMS["worry"] | other).reports_shares


def test_question_unknown_encoding_raises() -> None:
    with pytest.raises(ValueError, match="encoding must be single, one_hot, subset or each_option; got 'morse'"):
        question_of(ITEMS["smokes"] | {"encoding": "morse"})


def test_question_estimate_by_hand() -> None:
    bits = UnaryEncoding(2)
    counts = [[75, 25], [50, 50]]
    assert Question("one_choice", bits).estimate(counts).n == 100
    assert math.isclose(Question("one_choice", bits).estimate(counts).unbiased[1], 1.0)
