"""The items of a frozen design: their kinds, encodings from answers to symbols, and valid channels.

An **encoding** says how many symbols an answer makes and which row of the table each of them is drawn from:

- `single`: one symbol from the row of the answer.
- `one_hot`: a symbol 0 or 1 for each choice; row 1 for the choice that is the answer, row 0 for the others.
- `subset`: a symbol 0 or 1 for each choice, exactly `size` of them 1: a set that holds the answer as often as the one
  row of the table says.
- `each_option`: a symbol 0 or 1 for each option; row 1 where the option is ticked, row 0 where it is not.
"""

from fractions import Fraction
from itertools import groupby
from typing import Any

from collector.designs.checks import decimal, distinct, exact_keys, fraction, key, require, text, whole
from collector.designs.design import Grid
from collector.errors import Path

LARGEST_DENOMINATOR = 2**32
MOST_ITEMS = 256
MOST_ANSWERS = 256

KEYS = {"key", "kind", "wording", "choices", "encoding", "channel"}
OPTIONAL_KEYS = {"prefer_not", "required", "shuffle", "section", "asked_if", "unasked", "grid", "most"}
"""Each key is present only where it is needed, so that a design has one canonical form."""

ENCODINGS = {
    "yes_no": ("single",),
    "one_choice": ("single", "one_hot", "subset"),
    "several_choices": ("each_option",),
    "scale": ("single",),
    "number": ("single",),
}
"""The encodings that each kind of question may have."""

CHANNEL_KEYS = {"name", "weights"}
OPTIONAL_CHANNEL_KEYS = {"truth", "yes", "on", "off", "prevalence", "epsilon", "size"}


def check_items(value: Any, languages: list[str], sections: list[str]) -> None:
    fits = isinstance(value, list) and 1 <= len(value) <= MOST_ITEMS
    require(fits, ("items",), f"must be 1 to {MOST_ITEMS} questions")
    for number, item in enumerate(value):
        path = ("items", number)
        _item(item, path, languages)
        _section(item, path, sections)
        _asked_if(item, path, value[:number])
    distinct([item["key"] for item in value], ("items",))
    order = [section for section, _ in groupby(item.get("section") for item in value)]
    orders = f"in the order {', '.join(sections)}; got {', '.join(map(str, order))}"
    require(not sections or order == sections, ("items",), f"must stand section by section, {orders}")


def _item(item: Any, path: Path, languages: list[str]) -> None:
    exact_keys(item, KEYS, path, optional=OPTIONAL_KEYS)
    key(item["key"], (*path, "key"))
    kind, encoding = item["kind"], item["encoding"]
    require(kind in ENCODINGS, (*path, "kind"), f"must be one of {', '.join(ENCODINGS)}; got {kind!r}")
    allowed = ENCODINGS[kind]
    require(encoding in allowed, (*path, "encoding"), f"must be {' or '.join(allowed)} for {kind}; got {encoding!r}")
    text(item["wording"], (*path, "wording"), languages)
    _options(item, path)
    _choices(item, path, languages)
    _channel(item, (*path, "channel"))


def _options(item: dict[str, Any], path: Path) -> None:
    """Validate the options for this kind of question; defaults must be left out."""
    kind = item["kind"]
    rules: dict[str, tuple[Any, tuple[str, ...]]] = {
        "prefer_not": (True, ("yes_no", "one_choice", "several_choices", "scale")),
        "required": (False, ("yes_no", "one_choice", "several_choices", "scale")),
        "shuffle": (True, ("one_choice", "several_choices")),
    }
    for name, (value, kinds) in rules.items():
        if name in item:
            said = str(value).lower()
            require(item[name] is value, (*path, name), f"must be {said} where it stands; got {item[name]!r}")
            require(kind in kinds, (*path, name), f"is for {', '.join(kinds)}; got {kind}")
    blank = "required" not in item or "prefer_not" in item or kind == "several_choices"
    require(blank, (*path, "required"), "may be false only where prefer_not is true: a blank is sent as that choice")
    require(("grid" in item) == (kind == "number"), (*path, "grid"), "must stand where kind is number, and only there")
    require("most" not in item or kind == "several_choices", (*path, "most"), f"is for several_choices; got {kind}")


def _choices(item: dict[str, Any], path: Path, languages: list[str]) -> None:
    choices, kind, place = item["choices"], item["kind"], (*path, "choices")
    require(isinstance(choices, list), place, f"must be a list; got {type(choices).__name__}")
    if kind == "number":
        require(not choices, place, f"must be empty for a number; got {len(choices)}")
        check_grid(item["grid"], (*path, "grid"))
        return
    least = 3 if "prefer_not" in item else 2
    require(least <= len(choices) <= MOST_ANSWERS, place, f"must be a list of {least} to {MOST_ANSWERS} texts")
    for number, choice in enumerate(choices):
        text(choice, (*place, number), languages)
    what = "no, yes and prefer not to say" if least == 3 else "no and yes"
    fits = kind != "yes_no" or len(choices) == least
    require(fits, place, f"of a yes/no question must be {least}, {what}; got {len(choices)}")
    if "most" in item:
        whole(item["most"], (*path, "most"), low=1, high=len(choices) - 1)


def check_grid(value: Any, path: Path) -> Grid:
    """Validate the range of a number: exact decimals, in whole steps, with at most 256 points."""
    exact_keys(value, {"minimum", "maximum", "step"}, path)
    low, high, step = (decimal(value[name], (*path, name)) for name in ("minimum", "maximum", "step"))
    require(step > 0, (*path, "step"), f"must be greater than 0; got {value['step']}")
    given = f"{value['minimum']} to {value['maximum']}"
    require(low < high, (*path, "maximum"), f"must be greater than minimum; got {given}")
    steps = (high - low) / step
    require(steps.denominator == 1, (*path, "maximum"), f"must be a whole number of steps above minimum; got {steps}")
    require(steps < MOST_ANSWERS, path, f"must have at most {MOST_ANSWERS} points; got {steps + 1}")
    return Grid(**value)


def _section(item: dict[str, Any], path: Path, sections: list[str]) -> None:
    if sections:
        named = item.get("section")
        require(named in sections, (*path, "section"), f"must be one of {', '.join(sections)}; got {named!r}")
    else:
        require("section" not in item, (*path, "section"), "names a section, but the design has none")


def _asked_if(item: dict[str, Any], path: Path, earlier: list[dict[str, Any]]) -> None:
    """Validate a conditional question: earlier answers that show it, and `unasked`, the answer sent otherwise."""
    ticked = item["kind"] == "several_choices"  # unasked, none of its options is ticked
    fits = ("unasked" in item) == ("asked_if" in item and not ticked)
    require(fits, (*path, "unasked"), "must stand beside asked_if, and only there; several_choices is sent unticked")
    if "asked_if" not in item:
        return
    condition, place = item["asked_if"], (*path, "asked_if")
    exact_keys(condition, {"item", "answers"}, place)
    found = [one for one in earlier if one["key"] == condition["item"] and one["kind"] != "number"]
    named = condition["item"]
    require(found, (*place, "item"), f"must be an earlier question that is not a number; got {named!r}")
    answers = condition["answers"]
    size = _answer_count(found[0])
    require(isinstance(answers, list), (*place, "answers"), f"must be a list; got {answers!r}")
    for answer in answers:
        whole(answer, (*place, "answers"), low=0, high=size - 1)
    proper = 1 <= len(answers) < size and answers == sorted(set(answers))
    require(proper, (*place, "answers"), f"must be some of 0 to {size - 1}, in order and not all; got {answers}")
    if not ticked:
        whole(item["unasked"], (*path, "unasked"), low=0, high=_answer_count(item) - 1)


def _channel(item: dict[str, Any], path: Path) -> None:
    value, encoding = item["channel"], item["encoding"]
    exact_keys(value, CHANNEL_KEYS, path, optional=OPTIONAL_CHANNEL_KEYS)
    key(value["name"], (*path, "name"))
    for name in {"truth", "yes", "on", "off", "prevalence"} & set(value):
        fraction(value[name], (*path, name))
    if "epsilon" in value:
        decimal(value["epsilon"], (*path, "epsilon"))
    require(("size" in value) == (encoding == "subset"), (*path, "size"), "must stand for a subset, and only there")
    if encoding == "subset":
        _subset(value, path, answers=len(item["choices"]))
    elif encoding == "single":
        answers = _answer_count(item)
        _table(value["weights"], path, rows=answers, columns=None if item["kind"] == "number" else answers)
    else:
        _table(value["weights"], path, rows=2, columns=2)
        off, on = (row[1] for row in value["weights"])
        require(off < on, (*path, "weights"), f"must send 1 more often in row 1 than in row 0; got {on} and {off}")


def _subset(value: dict[str, Any], path: Path, *, answers: int) -> None:
    """Validate a subset's row: tickets leaving the answer out, tickets putting it in."""
    whole(value["size"], (*path, "size"), low=1, high=answers - 1)
    _table(value["weights"], path, rows=1, columns=2)
    lacks, holds = value["weights"][0]
    require(lacks > 0, (*path, "weights"), f"must leave the answer out at times; got {lacks} tickets for that")
    more = Fraction(holds, lacks + holds) > Fraction(value["size"], answers)
    require(more, (*path, "weights"), f"must put the answer in more often than size / choices; got {holds}")


def _answer_count(item: dict[str, Any]) -> int:
    return len(Grid(**item["grid"]).points) if item["kind"] == "number" else len(item["choices"])


def _table(weights: Any, path: Path, *, rows: int, columns: int | None) -> None:
    require(isinstance(weights, list) and len(weights) == rows, (*path, "weights"), f"must have {rows} rows")
    width = columns or (len(weights[0]) if isinstance(weights[0], list) else 0)
    require(2 <= width <= MOST_ANSWERS, (*path, "weights"), f"must have 2 to {MOST_ANSWERS} columns; got {width}")
    for x, row in enumerate(weights):
        require(isinstance(row, list), (*path, "weights", x), f"must be a list; got {type(row).__name__}")
        require(len(row) == width, (*path, "weights", x), f"must have {width} entries, one a report; got {len(row)}")
        for y, weight in enumerate(row):
            if type(weight) is not int or weight < 0:
                whole(weight, (*path, "weights", x, y), low=0)
        require(sum(row) == sum(weights[0]), (*path, "weights", x), f"must sum to {sum(weights[0])}; got {sum(row)}")
    denominator = sum(weights[0])
    require(1 <= denominator <= LARGEST_DENOMINATOR, (*path, "weights"), f"must sum to 1..2**32; got {denominator}")
    for y, column in enumerate(zip(*weights, strict=True)):
        # A report that one answer can send and another cannot would give an answer away: epsilon is infinite.
        require(min(column) > 0 or max(column) == 0, (*path, "weights"), f": report {y} would rule out an answer")
