"""Every kind of question and every encoding: taken where it fits, refused with the place where it does not."""

from typing import Any

import pytest

from collector.designs import Design, Item, check
from collector.endpoint.parsing import ParsedReport, check_against
from collector.errors import ValidationError
from tests.factories import kinds
from tests.tools.refusals import refuses


def changed(key: str, /, **changes: Any) -> dict[str, Any]:
    """The document with some keys of one item changed; None takes a key out."""
    document = kinds.document()
    item = next(item for item in document["items"] if item["key"] == key)
    item.update(changes)
    for name in [name for name, value in item.items() if value is None]:
        del item[name]
    return document


@pytest.fixture(scope="module")
def design() -> Design:
    return check(kinds.document())


def test_design_fields_symbol_positions_per_item(design: Design) -> None:
    spans = [(field.start, field.stop, field.size, field.ones) for field in design.fields]
    assert spans == [
        (0, 1, 2, None), (1, 2, 4, None), (2, 8, 2, None), (8, 16, 2, 3), (16, 21, 2, None),
        (21, 22, 5, None), (22, 23, 5, None), (23, 24, 2, None), (24, 25, 21, None),
    ]  # fmt: skip
    assert len(design.alphabets) == 25


def test_numeric_item_grid_points_are_exact() -> None:
    hours = Item.of(kinds.items()[-1])
    assert [str(point) for point in hours.points[:4]] == ["0", "1/2", "1", "3/2"]
    assert hours.answer_count == 21


def test_subset_report_wrong_size_answers_422(design: Design) -> None:
    symbols = bytearray(25)
    symbols[8:11] = b"\x01\x01\x01"
    check_against(ParsedReport(design.digest, "0" * 32, "", bytes(symbols)), design)
    for wrong in (b"\x00\x01\x01", b"\x00\x00\x00"):
        symbols[8:11] = wrong
        with refuses(422, match=r"symbols 8 to 15 must hold 3 ones; got [02]"):
            check_against(ParsedReport(design.digest, "0" * 32, "", bytes(symbols)), design)


@pytest.mark.parametrize(
    ("key", "changes", "fault"),
    [
        ("smokes", {"encoding": "one_hot"}, "items[0].encoding must be single for yes_no"),
        ("smokes", {"prefer_not": True}, "items[0].choices must be a list of 3 to 256"),
        ("smokes", {"prefer_not": False}, "prefer_not must be true; got False"),
        ("smokes", {"required": False}, "items[0].required can be false only if prefer_not is true"),
        ("smokes", {"shuffle": True}, "items[0].shuffle is for one_choice, several_choices; got yes_no"),
        ("smokes", {"grid": {}}, "items[0].grid is required for kind number"),
        ("smokes", {"most": 1}, "items[0].most is for several_choices"),
        ("smokes", {"section": None}, "items[0].section must be one of first, second; it is empty"),
        ("smokes", {"section": "second"}, "items must be grouped by section"),
        ("smokes", {"secret": 1}, "items[0] must have exactly the keys"),
        ("often", {"unasked": None}, "items[1].unasked is only allowed together with asked_if"),
        ("often", {"asked_if": None}, "items[1].unasked is only allowed together with asked_if"),
        ("often", {"unasked": 4}, "items[1].unasked must be an integer from 0 to 3; got 4"),
        ("often", {"asked_if": {"item": "mood", "answers": [1]}}, "earlier question that does not ask for a number"),
        ("often", {"asked_if": {"item": "often", "answers": [1]}}, "earlier question that does not ask for a number"),
        ("often", {"asked_if": {"item": "smokes", "answers": [0, 1]}}, "some, but not all, of 0 to 1, in order"),
        ("often", {"asked_if": {"item": "smokes", "answers": []}}, "some, but not all, of 0 to 1, in order"),
        ("often", {"asked_if": {"item": "smokes", "answers": [2]}}, "answers must be an integer from 0 to 1; got 2"),
        ("hours", {"asked_if": {"item": "drinks", "answers": [1]}}, "earlier question that does not ask for a number"),
        ("habits", {"unasked": 0}, "items[4].unasked is only allowed together with asked_if"),
        ("habits", {"most": 5}, "items[4].most must be an integer from 1 to 4; got 5"),
        ("habits", {"encoding": "single"}, "items[4].encoding must be each_option for several_choices"),
        ("drinks", {"choices": [{"en": "a"}]}, "items[7].choices must be empty for a number; got 1"),
        ("drinks", {"grid": None}, "items[7].grid is required for kind number"),
        ("drinks", {"grid": {"minimum": "0", "maximum": "40", "step": "3"}}, "a whole number of steps"),
        ("drinks", {"grid": {"minimum": "0", "maximum": "40", "step": "0"}}, "grid.step must be greater than 0"),
        ("drinks", {"grid": {"minimum": "5", "maximum": "5", "step": "1"}}, "grid.maximum must be greater"),
        ("drinks", {"grid": {"minimum": "0", "maximum": "256", "step": "1"}}, "must have at most 256 points; got 257"),
        ("drinks", {"grid": {"minimum": "0", "maximum": "1e2", "step": "1"}}, "grid.maximum must be a decimal number"),
        ("drinks", {"grid": {"minimum": "0", "maximum": 40, "step": "1"}}, "grid.maximum must be a decimal number"),
        ("drinks", {"grid": {"minimum": "0", "maximum": "20", "step": "1"}}, "weights must have 21 rows"),
        ("mood", {"channel": {"name": "one_bit", "weights": [[1, 1]] * 5}}, "5 entries, one for each response; got 2"),
        ("substance", {"channel": {"name": "unary", "weights": [[3, 3], [4, 2]]}}, "send 1 more often in row 1"),
        ("substance", {"channel": {"name": "unary", "weights": [[3, 3]]}}, "weights must have 2 rows"),
        ("substance", {"channel": {"name": "unary", "weights": [[4, 2], [3, 3]], "size": 2}}, "size is required"),
        ("place", {"channel": {"name": "subset", "weights": [[5, 6]]}}, "channel.size is required for a subset"),
        ("place", {"channel": {"name": "subset", "size": 8, "weights": [[5, 6]]}}, "size must be an integer from 1"),
        ("place", {"channel": {"name": "subset", "size": 3, "weights": [[0, 6]]}}, "sometimes leave the answer out"),
        ("place", {"channel": {"name": "subset", "size": 3, "weights": [[5, 3]]}}, "more often than size / choices"),
        ("place", {"channel": {"name": "subset", "size": 3, "weights": [[5, 6], [6, 5]]}}, "weights must have 1 rows"),
    ],
)  # fmt: skip
def test_check_invalid_item_names_fault(key: str, changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check(changed(key, **changes))
    assert fault in str(caught.value)


def test_check_too_many_symbols_is_rejected() -> None:
    document = kinds.document()
    habits = next(item for item in document["items"] if item["key"] == "habits")
    many = [habits | {"key": f"h{n}", "choices": [{"en": str(c)} for c in range(256)]} for n in range(4)]
    document["items"] = [*document["items"], *many]
    with pytest.raises(ValidationError, match="at most 1024 symbols in total; got 1049"):
        check(document)


def test_check_section_without_sections_is_rejected() -> None:
    document = kinds.document()
    del document["sections"]
    with pytest.raises(ValidationError, match="section names a section, but the design has none"):
        check(document)
    with pytest.raises(ValidationError, match="at least one section"):
        check(kinds.document(sections=[]))
