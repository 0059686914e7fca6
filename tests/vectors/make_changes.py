"""Writes tests/vectors/changes.json: two authors' versions of one definition, and what becomes of them.

The cases are written by hand; `test_changes_vectors_are_right` says by other words what each has to give.
Run `python tests/vectors/make_changes.py` from the project's folder after changing them.
"""

import copy
import json
from pathlib import Path
from typing import Any

from surveys.definition.changes import apply_changes, differences

BEFORE: dict[str, Any] = {
    "title": {"en": "Campus", "de": "Uni"},
    "languages": ["en", "de"],
    "strata": {"wording": {"en": "Year?"}, "groups": [{"key": "y1", "label": {"en": "First"}, "share": None}]},
    "items": [
        {
            "key": "a",
            "wording": {"en": "A?", "de": "A de?"},
            "choices": [{"en": "No", "de": "Nein"}, {"en": "Yes", "de": "Ja"}],
            "channel": {"name": "forced_response", "truth": "1/2"},
        },
        {"key": "b", "wording": {"en": "B?", "de": ""}, "choices": [], "channel": {"name": "warner", "truth": "2/3"}},
        {"key": "c", "wording": {"en": "C?", "de": ""}, "choices": [], "channel": {"name": "warner", "truth": "2/3"}},
    ],
}


def changed(*changes: tuple[list[Any], Any]) -> dict[str, Any]:
    """BEFORE with values set at paths of plain keys and numbers; without a value where it is `...`."""
    made = copy.deepcopy(BEFORE)
    for path, value in changes:
        holder: Any = made
        for step in path[:-1]:
            holder = holder[step]
        if value is ...:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value
    return made


def ordered(*keys: str, **new: Any) -> dict[str, Any]:
    made = copy.deepcopy(BEFORE)
    by_key = {item["key"]: item for item in made["items"]}
    made["items"] = [by_key.get(key, {"key": key, **new}) for key in keys]
    return made


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing": (changed(), changed()),
    "different fields": (changed((["title", "en"], "College")), changed((["title", "de"], "Hochschule"))),
    "the same change": (changed((["title", "en"], "College")), changed((["title", "en"], "College"))),
    "one field twice": (changed((["title", "en"], "College")), changed((["title", "en"], "School"))),
    "a choice in two languages": (
        changed((["items", 0, "choices", 1, "en"], "Yes, once")),
        changed((["items", 0, "choices", 1, "de"], "Ja, einmal")),
    ),
    "another number of choices": (
        changed((["items", 0, "choices"], [{"en": "No", "de": "Nein"}])),
        changed((["items", 0, "choices", 1, "de"], "Ja, einmal")),
    ),
    "a mechanism is whole": (
        changed((["items", 0, "channel"], {"name": "forced_response", "truth": "2/5"})),
        changed((["items", 0, "channel"], {"name": "warner", "truth": "1/2"})),
    ),
    "a field that was not there": (changed((["items", 1, "shuffle"], True)), changed((["items", 1, "most"], 2))),
    "null is a value": (changed((["strata", "groups", 0, "share"], "1/4")), changed((["title", "en"], "College"))),
    "both add": (ordered("a", "b", "m", "c", wording={"en": "M"}), ordered("t", "a", "b", "c", wording={"en": "T"})),
    "one adds, one moves": (ordered("a", "n", "b", "c", wording={"en": "N"}), ordered("c", "a", "b")),
    "both move": (ordered("b", "a", "c"), ordered("a", "c", "b")),
    "both move alike": (ordered("c", "b", "a"), ordered("c", "b", "a")),
    "deleted and changed": (ordered("a", "c"), changed((["items", 1, "wording", "en"], "B, really?"))),
    "changed and deleted": (changed((["items", 1, "wording", "en"], "B, really?")), ordered("a", "c")),
    "both delete": (ordered("a", "c"), ordered("a", "c")),
    "both say who asks": (
        changed((["about"], {"sender": {"en": "Ada", "de": ""}})),
        changed((["about"], {"contact": {"en": "Room 5", "de": ""}})),
    ),
    "sections begin": (
        changed((["sections"], [{"key": "s", "title": {"en": "S"}, "introduction": {"en": ""}}])),
        changed((["title", "en"], "College")),
    ),
    "a key twice": (ordered("a", "a", "b", "c"), changed((["title", "en"], "College"))),
}


def case(name: str) -> dict[str, Any]:
    mine, theirs = CASES[name]
    changes = differences(BEFORE, mine)  # type: ignore[arg-type]
    merged, clashes = apply_changes(theirs, changes)  # type: ignore[arg-type]
    return {
        "name": name,
        "before": BEFORE,
        "mine": mine,
        "theirs": theirs,
        "changes": [one.to_dict() for one in changes],
        "merged": merged,
        "clashes": [one.to_dict() for one in clashes],
    }


if __name__ == "__main__":
    text = json.dumps([case(name) for name in CASES], indent=1, ensure_ascii=False)
    Path(__file__).with_name("changes.json").write_text(f"{text}\n", encoding="utf-8")
