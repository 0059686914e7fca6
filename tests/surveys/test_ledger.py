"""The ledger: sums worked out by hand, and what holds whatever waves and revisions come one after the other."""

from fractions import Fraction
from math import log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.designs import Design
from collector.errors import ValidationError
from randomized_response import question_of
from surveys.definition.definitions import OpeningOptions, design_of, next_wave_design, total_epsilon
from surveys.definition.privacy_budget import (
    LONGEST,
    PrivacyLossSum,
    QuestionPrice,
    epsilon_of,
    ledger,
    priced,
    spent,
    waves_that_fit,
)
from tests.factories import kinds, payloads

TABLES = {"3": [[3, 1], [1, 3]], "2": [[2, 1], [1, 2]], "odd": [[2**32 - 6, 5], [5, 2**32 - 6]]}


def coins(key: str = "q", ratio: str = "3") -> dict[str, Any]:
    """A yes/no question whose report multiplies odds by `ratio`."""
    texts = {"wording": {"en": "Q?"}, "choices": [{"en": "No"}, {"en": "Yes"}]}
    channel = {"name": "forced_response", "weights": TABLES[ratio]}
    return {"key": key, "kind": "yes_no", **texts, "encoding": "single", "channel": channel}


def wave(number: int, *items: dict[str, Any], repeats: str = "fresh") -> QuestionPrice:
    waves = {"waves": {"repeats": repeats, "spent": "1/1"}} if repeats == "remember" or number > 1 else {}
    return priced(Design.of(payloads.document(version=number, items=list(items), **waves)))


def totals(*designs: QuestionPrice) -> list[tuple[Fraction, Fraction]]:
    return [(one.total.least, one.total.most) for one in ledger(designs)]


def test_ledger_without_waves_is_zero() -> None:
    assert (ledger([]), spent([])) == ((), PrivacyLossSum(Fraction(1), Fraction(1)))


def test_ledger_fresh_draws_add_up() -> None:
    """ln 3 + ln 4 a wave: 12, 144, 1728 as odds."""
    design = payloads.document()
    assert totals(*(priced(Design.of(design | {"version": number})) for number in (1, 2, 3))) == [
        (12, 12),
        (144, 144),
        (1728, 1728),
    ]


def test_ledger_remembered_item_counts_once_per_answer() -> None:
    """A yes/no question has two answers, so from the third wave on nothing is added; least: nothing after the first."""
    assert totals(*(wave(n, coins(), repeats="remember") for n in (1, 2, 3, 4))) == [(3, 3), (3, 9), (3, 9), (3, 9)]


def test_ledger_changed_item_counts_anew() -> None:
    """Another wording, and another table: 3, then 3 * 3, then 3 * 3 * 2; back to the first, remembered once before."""
    again = coins() | {"wording": {"en": "Really?"}}
    designs = [coins(), again, coins(ratio="2"), coins()]
    found = totals(*(wave(n, item, repeats="remember") for n, item in enumerate(designs, start=1)))
    assert found == [(3, 3), (9, 9), (18, 18), (18, 54)]


def test_ledger_fresh_draw_before_was_not_remembered() -> None:
    assert totals(wave(1, coins()), wave(2, coins(), repeats="remember")) == [(3, 3), (9, 9)]


def test_ledger_several_choices_two_answers_per_option() -> None:
    """Three options of which at most one is ticked: two differ in a wave, 3^2; all that can be drawn is six, 3^6."""
    item = coins() | {"kind": "several_choices", "encoding": "each_option", "choices": [{"en": c} for c in "abc"]}
    free = totals(*(wave(n, item, repeats="remember") for n in (1, 2, 3)))
    assert free == [(27, 27), (27, 3**6), (27, 3**6)]
    one = totals(*(wave(n, item | {"most": 1}, repeats="remember") for n in (1, 2, 3, 4)))
    assert one == [(9, 9), (9, 81), (9, 729), (9, 729)]


def test_ledger_has_one_line_per_item() -> None:
    first, second = ledger([wave(1, coins("a"), coins("b", "2")), wave(2, coins("a"))])
    assert [(one.key, one.ratio, one.total.most) for one in first.items] == [("a", 3, 3), ("b", 2, 2)]
    assert [(one.key, one.ratio, one.total.most) for one in second.items] == [("a", 3, 9)]
    assert (second.epsilon, second.total.epsilon_most) == pytest.approx((log(3), log(18)))


def test_ledger_price_of_every_kind_is_mechanism_ratio() -> None:
    """The ratios are those of the mechanisms, whatever the encoding."""
    document = kinds.document()
    ratios = [Fraction(question_of(item).mechanism.ratio) for item in document["items"]]
    assert [price.ratio for price in priced(Design.of(document)).prices] == ratios


def test_ledger_long_sum_is_rounded_up() -> None:
    exact = Fraction(2**32 - 6, 5) ** 40
    found = spent(wave(n, coins(ratio="odd")) for n in range(1, 41)).most
    assert exact <= found <= exact * (1 + Fraction(1, 10**50))
    assert found.denominator <= LONGEST


def test_waves_that_fit_count() -> None:
    """Under epsilon 8: ln 3 seven times; ln 12 three times. Remembered: any number where ln 3 fits three times, twice
    for the two answers and once for a device that has forgotten."""
    assert waves_that_fit([], wave(1, coins()), 8) == 7
    assert waves_that_fit([wave(1, coins())] * 2, wave(3, coins()), 8) == 5
    assert waves_that_fit([], priced(Design.of(payloads.document())), 8) == 3
    assert waves_that_fit([], wave(1, coins(), repeats="remember"), 3.3) is None
    assert waves_that_fit([], wave(1, coins(), repeats="remember"), 3.2) == 2
    assert waves_that_fit([wave(1, coins(), repeats="remember")], wave(2, coins(), repeats="remember"), 2.1) == 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["3", "2"]), min_size=1, max_size=3), st.sampled_from(["fresh", "remember"])
        ),
        min_size=1,
        max_size=8,
    )
)
def test_ledger_totals_never_fall(history: list[tuple[list[str], str]]) -> None:
    designs = [
        wave(number, *(coins(f"q{place}", ratio) for place, ratio in enumerate(ratios)), repeats=repeats)
        for number, (ratios, repeats) in enumerate(history, start=1)
    ]
    before, drawn = PrivacyLossSum(), Fraction(1)
    for design, one in zip(designs, ledger(designs), strict=True):
        drawn *= one.ratio
        assert before.least <= one.total.least <= one.total.most <= drawn
        assert before.most <= one.total.most
        assert 1 <= one.adds.least <= one.adds.most <= one.ratio
        full = epsilon_of(before.most * one.ratio)
        fits = waves_that_fit(designs[: design.number - 1], design, full)
        assert fits is None or fits >= 1
        assert waves_that_fit(designs[: design.number - 1], design, full - 0.01) == 0
        before = one.total
    assert spent(designs) == before


STEPS = st.lists(st.sampled_from(["again", "weaker", "another", "remember"]), min_size=1, max_size=8)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_no_order_of_waves_opens_above_the_ceiling(steps: list[str]) -> None:
    """Opened again, or revised to less, to another question or to remembering: what opened was below the ceiling with
    all before it, and what was refused would not have been."""
    definition = payloads.definition()
    opened = [design_of(definition, version=1)]
    for step in steps:
        earlier = [priced(one) for one in opened]
        before, number = spent(earlier).most, len(opened) + 1
        opening = OpeningOptions(spent=before)
        if step == "remember":
            definition = definition | {"repeats": "remember"}
        elif step != "again":
            other = {"weaker": {"channel": {"name": "k_ary", "truth": "1/10"}}, "another": {"key": f"q{number}"}}[step]
            definition = definition | {"items": [definition["items"][0], definition["items"][1] | other]}
        try:
            if step == "again":
                opened.append(next_wave_design(opened[-1], version=number, opening=opening))
            else:
                opened.append(design_of(definition, version=number, opening=opening))
        except ValidationError:
            own = priced(opened[-1]).epsilon if step == "again" else total_epsilon(definition)
            assert log(before) + own > log(2980) - 1e-9
        else:
            document = opened[-1].document
            assert document["waves"]["spent"] == f"{before.numerator}/{before.denominator}"
            assert spent([*earlier, priced(Design.of(document))]).epsilon_most <= log(2980)
