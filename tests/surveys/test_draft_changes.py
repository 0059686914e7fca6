"""Changes of definitions: the vectors that the browser reads too, and laws that hold for any three definitions."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.errors import ValidationError
from surveys.definition.changes import ABSENT, Change, apply_changes, differences, read_changes
from tests.vectors import make_changes

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/changes.json").read_text())


def test_changes_vectors_are_those_of_the_script() -> None:
    assert [make_changes.case(name) for name in make_changes.CASES] == VECTORS


def test_changes_vectors_are_right() -> None:
    found = {one["name"]: one for one in VECTORS}
    assert found["different fields"]["merged"]["title"] == {"en": "College", "de": "Hochschule"}
    assert found["a choice in two languages"]["merged"]["items"][0]["choices"][1] == {
        "en": "Yes, once",
        "de": "Ja, einmal",
    }
    keys = {name: [item["key"] for item in one["merged"]["items"]] for name, one in found.items()}
    assert keys["both add"] == ["t", "a", "b", "m", "c"]
    assert keys["one adds, one moves"] == ["c", "a", "n", "b"]
    assert keys["both delete"] == ["a", "c"]
    asked = {name: [one["path"] for one in vector["clashes"]] for name, vector in found.items() if vector["clashes"]}
    assert set(found["both say who asks"]["merged"]["about"]) == {"sender", "contact"}
    assert asked == {
        "one field twice": [["title", "en"]],
        "another number of choices": [["items", "a", "choices"]],
        "a mechanism is whole": [["items", "a", "channel"]],
        "both move": [["items"]],
        "deleted and changed": [["items", "b"]],
        "changed and deleted": [["items", "b", "wording", "en"]],
    }


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_preferred_definition_wins_every_clash(vector: dict[str, Any]) -> None:
    changes = differences(vector["before"], vector["mine"])
    merged, clashes = apply_changes(vector["theirs"], changes, preferred=vector["mine"])
    assert not clashes
    left = differences(merged, vector["mine"])
    others = {one.path for one in differences(vector["before"], vector["theirs"])}
    assert {one.path for one in left} <= others | {("items",)}


TEXTS = st.dictionaries(st.sampled_from(["en", "de"]), st.sampled_from(["", "x", "y"]), max_size=2)
ITEMS = st.lists(
    st.fixed_dictionaries(
        {"key": st.sampled_from("abcd"), "wording": TEXTS, "choices": st.lists(TEXTS, max_size=3)},
        optional={"shuffle": st.booleans(), "channel": st.dictionaries(st.sampled_from("pq"), st.just("1/2"))},
    ),
    max_size=4,
)
DEFINITIONS = st.fixed_dictionaries(
    {"title": TEXTS, "strata": st.fixed_dictionaries({"groups": st.just([])}), "items": ITEMS}
)


@given(before=DEFINITIONS, after=DEFINITIONS)
def test_changes_applied_to_their_origin_give_the_other(before: Any, after: Any) -> None:
    merged, clashes = apply_changes(before, differences(before, after))
    assert (merged, clashes) == (after, [])


@given(before=DEFINITIONS, mine=DEFINITIONS, theirs=DEFINITIONS)
def test_changes_clash_only_where_both_sides_changed(before: Any, mine: Any, theirs: Any) -> None:
    changes = differences(before, mine)
    _, clashes = apply_changes(theirs, changes)
    others = {one.path for one in differences(before, theirs)}
    for clash in clashes:
        assert any(clash.path[: len(path)] == path or path[: len(clash.path)] == clash.path for path in others)


def test_read_changes_tells_null_from_absent() -> None:
    raw = [{"path": ["a", 1], "was": None}, {"path": ["b"], "now": 2}]
    assert read_changes(raw) == [Change(("a", 1), None, ABSENT), Change(("b",), ABSENT, 2)]
    assert [one.to_dict() for one in read_changes(raw)] == raw


@pytest.mark.parametrize(
    "raw",
    [None, {}, [3], [{}], [{"path": []}], [{"path": ["a"]}], [{"path": [True], "now": 1}], [{"path": "a", "now": 1}],
     [{"path": ["a"], "now": 1, "more": 2}]],
)  # fmt: skip
def test_read_changes_refuses_what_is_no_change(raw: object) -> None:
    with pytest.raises(ValidationError, match=r"^changes"):
        read_changes(raw)
