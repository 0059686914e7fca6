"""The frozen design: what it may hold, its canonical bytes, its digest, and what a report of it looks like.

Everything the collector believes of a design it checks here by itself, from the document alone.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

FORMAT = 1
LARGEST_DENOMINATOR = 2**32
MOST_SYMBOLS = 256
KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")

DESIGN_KEYS = {
    "format", "slug", "version", "rehearsal", "languages", "title", "introduction", "consent", "strata", "items",
}  # fmt: skip
ITEM_KEYS = {"key", "kind", "wording", "choices", "encoding", "channel"}
CHANNEL_KEYS = {"name", "weights", "truth", "yes"}
KINDS = ("yes_no", "one_choice")
ENCODINGS = ("single",)


class DesignError(ValueError):
    """A document that is not a design; the message names the place, the bound and the value."""


@dataclass(frozen=True)
class Design:
    """A frozen design as its reports see it."""

    document: dict[str, Any]

    @cached_property
    def canonical(self) -> bytes:
        return canonical(self.document)

    @cached_property
    def digest(self) -> str:
        return digest(self.canonical)

    @cached_property
    def alphabets(self) -> tuple[int, ...]:
        """For each symbol of a report, how many values it may take."""
        return tuple(len(item["channel"]["weights"][0]) for item in self.document["items"])

    @cached_property
    def strata(self) -> tuple[str, ...]:
        """The keys that a report may name; the one empty key where the design has no strata."""
        return tuple(group["key"] for group in self.document["strata"]["groups"]) or ("",)

    @property
    def slug(self) -> str:
        return str(self.document["slug"])

    @property
    def rehearsal(self) -> bool:
        return bool(self.document["rehearsal"])


def canonical(document: object) -> bytes:
    """The one way to write a document: sorted keys, no spaces, UTF-8. Floats are refused by `check`."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def digest(data: bytes) -> str:
    """SHA-256 as 64 hex digits: the name of a design."""
    return hashlib.sha256(data).hexdigest()


def check(document: Any) -> Design:
    """Return the document as a design, or raise DesignError at the first thing that is not one."""
    _exact_keys(document, DESIGN_KEYS, "design")
    _require(document["format"] == FORMAT, f"format must be {FORMAT}; got {document['format']!r}")
    _key(document["slug"], "slug")
    _whole(document["version"], "version", low=1)
    _require(isinstance(document["rehearsal"], bool), f"rehearsal must be true or false; got {document['rehearsal']!r}")
    languages = _languages(document["languages"])
    for name in ("title", "introduction", "consent"):
        _text(document[name], name, languages, empty=name != "title")
    _strata(document["strata"], languages)
    _items(document["items"], languages)
    _encodable(document)
    return Design(document)


def _languages(value: Any) -> list[str]:
    _require(
        isinstance(value, list) and len(value) >= 1, f"languages must be a list of at least one code; got {value!r}"
    )
    for code in value:
        _require(isinstance(code, str) and LANGUAGE.fullmatch(code), f"languages: {code!r} is not a language code")
    _require(len(set(value)) == len(value), f"languages must differ from each other; got {value!r}")
    return list(value)


def _text(value: Any, place: str, languages: list[str], *, empty: bool = False) -> None:
    _exact_keys(value, set(languages), place)
    for language, text in value.items():
        _require(isinstance(text, str), f"{place}.{language} must be text; got {text!r}")
        _require(empty or text.strip() != "", f"{place}.{language} must not be empty")


def _strata(value: Any, languages: list[str]) -> None:
    _exact_keys(value, {"wording", "groups"}, "strata")
    groups = value["groups"]
    _require(isinstance(groups, list) and len(groups) != 1, "strata.groups must hold no group or at least 2; got one")
    _text(value["wording"], "strata.wording", languages, empty=not groups)
    for number, group in enumerate(groups):
        place = f"strata.groups[{number}]"
        _exact_keys(group, {"key", "label", "share"}, place)
        _key(group["key"], f"{place}.key")
        _text(group["label"], f"{place}.label", languages)
    _distinct([group["key"] for group in groups], "strata.groups")
    for first, second in pairwise(groups):
        _require(
            len(first["key"]) == len(second["key"]),
            "strata.groups must have keys of one length, so that every request has one size; "
            f"got {first['key']!r} and {second['key']!r}",
        )
    _shares([group["share"] for group in groups])


def _shares(shares: list[Any]) -> None:
    known = [share for share in shares if share is not None]
    if not known:
        return
    _require(len(known) == len(shares), "strata.groups: either every group has a share or none has")
    total = sum((_fraction(share, "strata.groups share") for share in known), Fraction(0))
    _require(total == 1, f"strata.groups: the shares must sum to 1; they sum to {total}")


def _items(value: Any, languages: list[str]) -> None:
    _require(
        isinstance(value, list) and 1 <= len(value) <= MOST_SYMBOLS, f"items must be 1 to {MOST_SYMBOLS} questions"
    )
    for number, item in enumerate(value):
        _item(item, f"items[{number}]", languages)
    _distinct([item["key"] for item in value], "items")


def _item(item: Any, place: str, languages: list[str]) -> None:
    _exact_keys(item, ITEM_KEYS, place)
    _key(item["key"], f"{place}.key")
    _require(item["kind"] in KINDS, f"{place}.kind must be one of {', '.join(KINDS)}; got {item['kind']!r}")
    _require(item["encoding"] in ENCODINGS, f"{place}.encoding must be single; got {item['encoding']!r}")
    _text(item["wording"], f"{place}.wording", languages)
    choices = item["choices"]
    _require(
        isinstance(choices, list) and 2 <= len(choices) <= 256, f"{place}.choices must be a list of 2 to 256 texts"
    )
    for number, choice in enumerate(choices):
        _text(choice, f"{place}.choices[{number}]", languages)
    _require(
        item["kind"] != "yes_no" or len(choices) == 2,
        f"{place}.choices of a yes/no question must be 2, no and yes; got {len(choices)}",
    )
    _channel(item["channel"], f"{place}.channel", answers=len(choices))


def _channel(value: Any, place: str, *, answers: int) -> None:
    _require(isinstance(value, dict) and {"name", "weights"} <= set(value) <= CHANNEL_KEYS, f"{place} has unknown keys")
    _key(value["name"], f"{place}.name")
    for name in {"truth", "yes"} & set(value):
        _fraction(value[name], f"{place}.{name}")
    weights = value["weights"]
    _require(isinstance(weights, list) and len(weights) == answers, f"{place}.weights must have {answers} rows")
    for x, row in enumerate(weights):
        _require(isinstance(row, list), f"{place}.weights[{x}] must be a list; got {type(row).__name__}")
        _require(len(row) == answers, f"{place}.weights[{x}] must have {answers} entries, one a choice; got {len(row)}")
        for y, weight in enumerate(row):
            _whole(weight, f"{place}.weights[{x}][{y}]", low=0)
        _require(sum(row) == sum(weights[0]), f"{place}.weights[{x}] must sum to {sum(weights[0])}; got {sum(row)}")
    denominator = sum(weights[0])
    _require(1 <= denominator <= LARGEST_DENOMINATOR, f"{place}.weights must sum to 1..2**32; got {denominator}")
    for y, column in enumerate(zip(*weights, strict=True)):
        # A report that one answer can send and another cannot would give an answer away: epsilon is infinite.
        _require(min(column) > 0 or max(column) == 0, f"{place}.weights: report {y} would rule out an answer")


def _exact_keys(value: Any, keys: set[str], place: str) -> None:
    _require(isinstance(value, dict), f"{place} must be an object; got {type(value).__name__}")
    _require(set(value) == keys, f"{place} must have exactly the keys {sorted(keys)}; got {sorted(map(str, value))}")


def _key(value: Any, place: str) -> None:
    valid = isinstance(value, str) and KEY.fullmatch(value)
    _require(valid, f"{place} must be 1 to 64 of a-z, 0-9, - and _, not starting with - or _; got {value!r}")


def _whole(value: Any, place: str, *, low: int) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= low
    _require(whole, f"{place} must be an integer of at least {low}; got {value!r}")


def _fraction(value: Any, place: str) -> Fraction:
    try:
        fraction = Fraction(value) if isinstance(value, str) else None
    except (ValueError, ZeroDivisionError):
        fraction = None
    if fraction is None or not 0 <= fraction <= 1:
        raise DesignError(f"{place} must be a fraction from 0 to 1 as text, like '1/2'; got {value!r}")
    return fraction


def _distinct(keys: list[str], place: str) -> None:
    twice = sorted({key for key in keys if keys.count(key) > 1})
    _require(not twice, f"{place} must have keys that differ; {', '.join(twice)} stands more than once")


def _encodable(document: Any) -> None:
    try:
        canonical(document)
    except UnicodeEncodeError as error:
        raise DesignError(
            f"the design holds text that is not Unicode: {error.object[error.start : error.end]!r}"
        ) from None


def _require(condition: Any, message: str) -> None:
    if not condition:
        raise DesignError(message)
