"""One frozen design with every kind of question, every encoding and everything that an item may have besides."""

from collections.abc import Sequence
from typing import Any

from collector.designs import Design, check
from randomized_response import discrete_laplace, forced_response, k_ary, one_bit

FREQUENCIES = ("Never", "Sometimes", "Often", "Prefer not to say")
SUBSTANCES = ("None", "Cannabis", "Cocaine", "Heroin", "LSD", "Other")
PLACES = ("Home", "Work", "School", "Bar", "Street", "Car", "Club", "Elsewhere")
HABITS = ("Smoking", "Drinking", "Gambling", "Fasting", "Prefer not to say")
POINTS = ("1 – Not at all", "2", "3", "4", "5 – Very much")

MATRIX = {"en": "How has the last week been?"}
"""The heading of two rows: `mood` and `worry`."""


def _item(key: str, kind: str, choices: Sequence[str], encoding: str, channel: dict[str, Any], **more: Any) -> Any:
    texts = [{"en": choice} for choice in choices]
    wording = {"en": f"Question about {key}?"}
    base = {"key": key, "kind": kind, "wording": wording, "choices": texts, "encoding": encoding, "channel": channel}
    return base | more


def _rows(weights: Sequence[Sequence[int]]) -> list[list[int]]:
    return [list(row) for row in weights]


def items() -> list[dict[str, Any]]:
    """Nine questions; epsilon is below 7 in total."""
    yes_no = {"name": "forced_response", "truth": "1/3", "yes": "1/2"}
    option = {"name": "forced_response", "truth": "1/11", "yes": "1/2"}
    set_of_three = {"name": "subset", "size": 3, "truth": "6/11", "weights": [[5, 6]]}
    halves = {"minimum": "0", "maximum": "10", "step": "0.5"}
    return [
        _item("smokes", "yes_no", ("No", "Yes"), "single",
              yes_no | {"weights": _rows(forced_response(truth="1/3").weights)}, section="first"),
        _item("often", "one_choice", FREQUENCIES, "single",
              {"name": "k_ary", "truth": "1/5", "weights": _rows(k_ary(4, truth="1/5").weights)},
              section="first", prefer_not=True, required=False, asked_if={"item": "smokes", "answers": [1]}, unasked=0),
        _item("substance", "one_choice", SUBSTANCES, "one_hot",
              {"name": "unary", "on": "1/2", "off": "1/3", "weights": [[4, 2], [3, 3]]}, section="first", shuffle=True,
              keep_last=True),
        _item("place", "one_choice", PLACES, "subset", set_of_three, section="first", dropdown=True),
        _item("habits", "several_choices", HABITS, "each_option",
              option | {"weights": _rows(forced_response(truth="1/11").weights)},
              section="second", prefer_not=True, shuffle=True, most=2),
        _item("mood", "scale", POINTS, "single",
              {"name": "k_ary", "truth": "1/6", "weights": _rows(k_ary(5, truth="1/6").weights)},
              section="second", heading=MATRIX),
        _item("worry", "scale", POINTS, "single",
              {"name": "discrete_laplace", "epsilon": "0.7",
               "weights": _rows(discrete_laplace(5, epsilon=0.7).weights)},
              section="second", heading=MATRIX),
        _item("drinks", "number", (), "single",
              {"name": "one_bit", "truth": "1/3", "weights": _rows(one_bit(41, truth="1/3").weights)},
              section="second", grid={"minimum": "0", "maximum": "40", "step": "1"}),
        _item("hours", "number", (), "single",
              {"name": "discrete_laplace", "epsilon": "0.7",
               "weights": _rows(discrete_laplace(21, epsilon=0.7).weights)},
              section="second", grid=halves, asked_if={"item": "habits", "answers": [1, 2]}, unasked=0),
    ]  # fmt: skip


def document(**changes: Any) -> dict[str, Any]:
    """The design as it is frozen."""
    sections = [
        {"key": "first", "title": {"en": "Smoking"}, "introduction": {"en": "About the last year."}},
        {"key": "second", "title": {"en": "Everything else"}, "introduction": {"en": ""}},
    ]
    base = {
        "format": 1, "slug": "kinds", "version": 1, "rehearsal": False, "languages": ["en"],
        "title": {"en": "Every kind of question"}, "introduction": {"en": "Nine questions."}, "consent": {"en": ""},
        "strata": {"wording": {"en": ""}, "groups": []}, "sections": sections, "items": items(),
    }  # fmt: skip
    return base | changes


GROUPS = [{"key": "a", "label": {"en": "Young"}, "share": "2/5"}, {"key": "b", "label": {"en": "Old"}, "share": "3/5"}]
PLACE_OF = {item["key"]: place for place, item in enumerate(items())}


def every_kind(**changes: Any) -> Design:
    """Every kind; `mood` offers "prefer not to say" as well, and so is no row of a matrix."""
    found = document(**changes)
    mood, worry = found["items"][PLACE_OF["mood"]], found["items"][PLACE_OF["worry"]]
    del mood["heading"], worry["heading"]
    mood["choices"].append({"en": "Prefer not to say"})
    mood |= {"prefer_not": True}
    mood["channel"] = {"name": "k_ary", "truth": "1/3", "weights": [list(row) for row in k_ary(6, truth="1/3").weights]}
    return check(found)
