"""The items of a frozen design: which questions there are, how an answer becomes symbols, what a table may be.

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

LARGEST_DENOMINATOR = 2**32
MOST_ITEMS = 256
MOST_ANSWERS = 256

KEYS = {"key", "kind", "wording", "choices", "encoding", "channel"}
OPTIONAL_KEYS = {"prefer_not", "required", "shuffle", "section", "asked_if", "unasked", "grid", "most"}
"""Each of them stands only where it says something: there is one way to write a design."""

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


def answer_count(item: dict[str, Any]) -> int:
    """How many answers an item has: its choices, or the points of its grid."""
    return len(grid_points(item)) if item["kind"] == "number" else len(item["choices"])


def grid_points(item: dict[str, Any]) -> list[Fraction]:
    """The numbers that may be answered to an item of kind `number`, in order."""
    low, high, step = (Fraction(item["grid"][name]) for name in ("minimum", "maximum", "step"))
    return [low + place * step for place in range(int((high - low) / step) + 1)]


def symbol_count(item: dict[str, Any]) -> int:
    """How many symbols a report holds for an item."""
    return 1 if item["encoding"] == "single" else len(item["choices"])


def alphabet(item: dict[str, Any]) -> int:
    """How many values each symbol of an item may take."""
    return len(item["channel"]["weights"][0])


def ones(item: dict[str, Any]) -> int | None:
    """How many of an item's symbols are 1 in every report of it; None where that is left to chance."""
    return int(item["channel"]["size"]) if item["encoding"] == "subset" else None


def check_items(value: Any, languages: list[str], sections: list[str]) -> None:
    require(isinstance(value, list) and 1 <= len(value) <= MOST_ITEMS, f"items must be 1 to {MOST_ITEMS} questions")
    for number, item in enumerate(value):
        place = f"items[{number}]"
        _item(item, place, languages)
        _section(item, place, sections)
        _asked_if(item, place, value[:number])
    distinct([item["key"] for item in value], "items")
    order = [section for section, _ in groupby(item.get("section") for item in value)]
    require(
        not sections or order == sections,
        f"items must stand section by section, in the order {', '.join(sections)}; got {', '.join(map(str, order))}",
    )


def _item(item: Any, place: str, languages: list[str]) -> None:
    exact_keys(item, KEYS, place, optional=OPTIONAL_KEYS)
    key(item["key"], f"{place}.key")
    kind, encoding = item["kind"], item["encoding"]
    require(kind in ENCODINGS, f"{place}.kind must be one of {', '.join(ENCODINGS)}; got {kind!r}")
    allowed = ENCODINGS[kind]
    require(encoding in allowed, f"{place}.encoding must be {' or '.join(allowed)} for {kind}; got {encoding!r}")
    text(item["wording"], f"{place}.wording", languages)
    _options(item, place)
    _choices(item, place, languages)
    _channel(item, f"{place}.channel")


def _options(item: dict[str, Any], place: str) -> None:
    """What may be said of a question of this kind, and only where it differs from the rule."""
    kind = item["kind"]
    rules: dict[str, tuple[Any, tuple[str, ...]]] = {
        "prefer_not": (True, ("yes_no", "one_choice", "several_choices", "scale")),
        "required": (False, ("yes_no", "one_choice", "several_choices", "scale")),
        "shuffle": (True, ("one_choice", "several_choices")),
    }
    for name, (value, kinds) in rules.items():
        if name in item:
            said = str(value).lower()
            require(item[name] is value, f"{place}.{name} must be {said} where it stands; got {item[name]!r}")
            require(kind in kinds, f"{place}.{name} is for {', '.join(kinds)}; got {kind}")
    blank = "required" not in item or "prefer_not" in item or kind == "several_choices"
    require(blank, f"{place}.required may be false only where prefer_not is true: a blank is sent as that choice")
    require(("grid" in item) == (kind == "number"), f"{place}.grid must stand where kind is number, and only there")
    require("most" not in item or kind == "several_choices", f"{place}.most is for several_choices; got {kind}")


def _choices(item: dict[str, Any], place: str, languages: list[str]) -> None:
    choices, kind = item["choices"], item["kind"]
    require(isinstance(choices, list), f"{place}.choices must be a list; got {type(choices).__name__}")
    if kind == "number":
        require(not choices, f"{place}.choices must be empty for a number; got {len(choices)}")
        check_grid(item["grid"], f"{place}.grid")
        return
    least = 3 if "prefer_not" in item else 2
    require(least <= len(choices) <= MOST_ANSWERS, f"{place}.choices must be a list of {least} to {MOST_ANSWERS} texts")
    for number, choice in enumerate(choices):
        text(choice, f"{place}.choices[{number}]", languages)
    what = "no, yes and prefer not to say" if least == 3 else "no and yes"
    require(
        kind != "yes_no" or len(choices) == least,
        f"{place}.choices of a yes/no question must be {least}, {what}; got {len(choices)}",
    )
    if "most" in item:
        whole(item["most"], f"{place}.most", low=1, high=len(choices) - 1)


def check_grid(value: Any, place: str) -> None:
    """The range of a number: exact decimals, going up in whole steps to at most 256 points."""
    exact_keys(value, {"minimum", "maximum", "step"}, place)
    low, high, step = (decimal(value[name], f"{place}.{name}") for name in ("minimum", "maximum", "step"))
    require(step > 0, f"{place}.step must be greater than 0; got {value['step']}")
    require(low < high, f"{place}.maximum must be greater than minimum; got {value['minimum']} to {value['maximum']}")
    steps = (high - low) / step
    require(steps.denominator == 1, f"{place}.maximum must be a whole number of steps above minimum; got {steps}")
    require(steps < MOST_ANSWERS, f"{place} must have at most {MOST_ANSWERS} points; got {steps + 1}")


def _section(item: dict[str, Any], place: str, sections: list[str]) -> None:
    if sections:
        named = item.get("section")
        require(named in sections, f"{place}.section must be one of {', '.join(sections)}; got {named!r}")
    else:
        require("section" not in item, f"{place}.section names a section, but the design has none")


def _asked_if(item: dict[str, Any], place: str, earlier: list[dict[str, Any]]) -> None:
    """A question that is asked only after some answers to an earlier one; unasked, it is sent as `unasked` says."""
    ticked = item["kind"] == "several_choices"  # unasked, none of its options is ticked
    fits = ("unasked" in item) == ("asked_if" in item and not ticked)
    require(fits, f"{place}.unasked must stand beside asked_if, and only there; several_choices is sent unticked")
    if "asked_if" not in item:
        return
    condition = item["asked_if"]
    exact_keys(condition, {"item", "answers"}, f"{place}.asked_if")
    found = [one for one in earlier if one["key"] == condition["item"] and one["kind"] != "number"]
    named = condition["item"]
    require(found, f"{place}.asked_if.item must be an earlier question that is not a number; got {named!r}")
    answers = condition["answers"]
    size = answer_count(found[0])
    require(isinstance(answers, list), f"{place}.asked_if.answers must be a list; got {answers!r}")
    for answer in answers:
        whole(answer, f"{place}.asked_if.answers", low=0, high=size - 1)
    proper = 1 <= len(answers) < size and answers == sorted(set(answers))
    require(proper, f"{place}.asked_if.answers must be some of 0 to {size - 1}, in order and not all; got {answers}")
    if not ticked:
        whole(item["unasked"], f"{place}.unasked", low=0, high=answer_count(item) - 1)


def _channel(item: dict[str, Any], place: str) -> None:
    value, encoding = item["channel"], item["encoding"]
    exact_keys(value, CHANNEL_KEYS, place, optional=OPTIONAL_CHANNEL_KEYS)
    key(value["name"], f"{place}.name")
    for name in {"truth", "yes", "on", "off", "prevalence"} & set(value):
        fraction(value[name], f"{place}.{name}")
    if "epsilon" in value:
        decimal(value["epsilon"], f"{place}.epsilon")
    require(("size" in value) == (encoding == "subset"), f"{place}.size must stand for a subset, and only there")
    if encoding == "subset":
        _subset(value, place, answers=len(item["choices"]))
    elif encoding == "single":
        answers = answer_count(item)
        _table(value["weights"], place, rows=answers, columns=None if item["kind"] == "number" else answers)
    else:
        _table(value["weights"], place, rows=2, columns=2)
        off, on = (row[1] for row in value["weights"])
        require(off < on, f"{place}.weights must send 1 more often in row 1 than in row 0; got {on} and {off}")


def _subset(value: dict[str, Any], place: str, *, answers: int) -> None:
    """One row: how many tickets leave the answer out of the set, how many put it in."""
    whole(value["size"], f"{place}.size", low=1, high=answers - 1)
    _table(value["weights"], place, rows=1, columns=2)
    lacks, holds = value["weights"][0]
    require(lacks > 0, f"{place}.weights must leave the answer out at times; got {lacks} tickets for that")
    more = Fraction(holds, lacks + holds) > Fraction(value["size"], answers)
    require(more, f"{place}.weights must put the answer in more often than size / choices; got {holds}")


def _table(weights: Any, place: str, *, rows: int, columns: int | None) -> None:
    require(isinstance(weights, list) and len(weights) == rows, f"{place}.weights must have {rows} rows")
    width = columns or (len(weights[0]) if isinstance(weights[0], list) else 0)
    require(2 <= width <= MOST_ANSWERS, f"{place}.weights must have 2 to {MOST_ANSWERS} columns; got {width}")
    for x, row in enumerate(weights):
        require(isinstance(row, list), f"{place}.weights[{x}] must be a list; got {type(row).__name__}")
        require(len(row) == width, f"{place}.weights[{x}] must have {width} entries, one a report; got {len(row)}")
        for y, weight in enumerate(row):
            if type(weight) is not int or weight < 0:
                whole(weight, f"{place}.weights[{x}][{y}]", low=0)
        require(sum(row) == sum(weights[0]), f"{place}.weights[{x}] must sum to {sum(weights[0])}; got {sum(row)}")
    denominator = sum(weights[0])
    require(1 <= denominator <= LARGEST_DENOMINATOR, f"{place}.weights must sum to 1..2**32; got {denominator}")
    for y, column in enumerate(zip(*weights, strict=True)):
        # A report that one answer can send and another cannot would give an answer away: epsilon is infinite.
        require(min(column) > 0 or max(column) == 0, f"{place}.weights: report {y} would rule out an answer")
