"""Numbers as people write them, and what they are in a definition."""

import copy
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from collector.designs.checks import DECIMAL, FRACTION
from collector.errors import ValidationError
from surveys.definition import definitions
from surveys.definition.keys import even_keys
from surveys.definition.numerals import plain_decimal, plain_number, plain_percent


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("30%", "0.3"), ("30 %", "0.3"), ("30\u00a0%", "0.3"), ("12,5 %", "0.125"), ("100%", "1"), ("0%", "0"),
        ("0,3", "0.3"), (" 0.3 ", "0.3"), (".3", "0.3"), ("3/10", "3/10"), ("3 / 10", "3/10"), ("1⁄3", "1/3"),
        ("٣٠٪", "0.3"), ("٠٫٣", "0.3"), ("-2,5", "-2.5"), ("−2", "-2"), ("007", "007"), ("1,5", "1.5"),
        ("0,125", "0.125"),
    ],
)  # fmt: skip
def test_number_as_people_write_it_is_plain(written: str, plain: str) -> None:
    assert plain_number(written) == plain


@pytest.mark.parametrize(
    "written", ["", "abc", "1,000", "12,345,678", "1.2.3", "1e5", "%", "-", "3/", "½", "1,2,3", "0x1", "9" * 90]
)
def test_number_that_is_none_or_two_stays_as_written(written: str) -> None:
    assert plain_number(written) == written


@given(st.decimals(0, 1, places=6))
def test_plain_number_of_a_plain_number_is_itself(value: object) -> None:
    assert plain_number(f"{value:f}") == f"{value:f}"


@given(st.text(max_size=70))
def test_plain_number_never_makes_another_text_a_number_twice(written: str) -> None:
    once = plain_number(written)
    assert plain_number(once) == once
    if once != written:
        assert DECIMAL.fullmatch(once) or FRACTION.fullmatch(once) or len(once) > 9


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("1/2", "0.5"), ("3 / 4", "0.75"), ("8/2", "4"), ("100/10", "10"), ("0/5", "0"), ("1/64", "0.015625"),
        ("30 %", "0.3"), ("0,3", "0.3"), ("1/3", "1/3"), ("1/128", "1/128"), ("1/0", "1/0"),
        ("9999999999/1", "9999999999/1"),
        ("99999999999999999999/3", "99999999999999999999/3"), ("one half", "one half"),
    ],
)  # fmt: skip
def test_fraction_is_a_decimal_number_where_it_is_one(written: str, plain: str) -> None:
    assert plain_decimal(written) == plain


@given(st.integers(0, 10**20 - 1), st.integers(0, 10**20 - 1))
def test_plain_decimal_keeps_the_value(above: int, below: int) -> None:
    made = plain_decimal(f"{above}/{below}")
    assert made == f"{above}/{below}" or Fraction(made) == Fraction(above, below)


def test_definition_takes_fractions_for_decimal_numbers() -> None:
    asked = {"key": "n", "kind": "number", "wording": "?", "minimum": "0", "maximum": "5/2", "step": "1/2"}
    made = definitions.complete(
        {"slug": "s", "participation": "3/4", "privacy_budget": "5/2",
         "items": [asked | {"channel": {"name": "discrete_laplace", "epsilon": "7/10"}}]}
    )  # fmt: skip
    item = made["items"][0]
    assert (item["maximum"], item["step"], item["channel"]["epsilon"]) == ("2.5", "0.5", "0.7")
    assert (made["participation"], made["privacy_budget"]) == ("0.75", "2.5")


def test_definition_refuses_a_fraction_that_is_no_decimal_number() -> None:
    with pytest.raises(ValidationError, match="1/3"):
        definitions.complete({"slug": "s", "privacy_budget": "1/3", "items": []})


def test_definition_takes_percent_and_comma() -> None:
    item = {"key": "q", "kind": "yes_no", "wording": "?", "channel": {"name": "forced_response", "truth": "75 %"}}
    grid = {"minimum": "0", "maximum": "12,5", "step": "0,5", "channel": {"name": "one_bit", "truth": "1 / 2"}}
    groups = [{"key": "g1", "label": "A", "share": "30%"}, {"key": "g2", "label": "B", "share": "0,7"}]
    made = definitions.complete(
        {"slug": "s", "strata": {"wording": "?", "groups": groups}, "participation": "0,5",
         "items": [item, {"key": "n", "kind": "number", "wording": "?", **grid}]}
    )  # fmt: skip
    assert [group["share"] for group in made["strata"]["groups"]] == ["0.3", "0.7"]
    assert made["participation"] == "0.5"
    assert made["items"][0]["channel"]["truth"] == "0.75"
    assert made["items"][1]["channel"]["truth"] == "1/2"
    assert (made["items"][1]["maximum"], made["items"][1]["step"]) == ("12.5", "0.5")


@pytest.mark.parametrize(
    ("keys", "even"),
    [
        (["g1", "g10"], ["g01", "g10"]),
        (["men", "women"], ["men__", "women"]),
        (["9", "10"], ["09", "10"]),
        (["a", "a_"], ["a", "a_"]),
        ([], []),
        (["y1", "y2"], ["y1", "y2"]),
        (["", "ab"], ["", "ab"]),
    ],
)
def test_group_keys_are_filled_up_to_one_length(keys: list[str], even: list[str]) -> None:
    assert even_keys(keys) == even


def parts_of(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from parts_of(part, (*path, key))


def test_no_error_of_an_empty_part_says_none() -> None:
    source = yaml.safe_load(Path("docs/examples/every-kind.yaml").read_text())
    said = []
    for path in [path for path in parts_of(source) if path]:
        raw = copy.deepcopy(source)
        holder = raw
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = None
        try:
            definitions.take_checked(raw)
        except ValidationError as error:
            said.append(str(error))
    assert len(said) > 100
    assert [words for words in said if "got None" in words] == []


@pytest.mark.parametrize(
    ("written", "plain"), [("30", "30"), ("30 %", "30"), ("12,5", "12.5"), ("3/10", "30"), ("1/0", "1/0"), ("x%", "x%")]
)
def test_share_in_percent_as_people_write_it(written: str, plain: str) -> None:
    assert (
        Decimal(plain_percent(written)) == Decimal(plain)
        if plain[-1].isdigit() and "/" not in plain
        else (plain_percent(written) == plain)
    )
