"""One valid survey and one valid report; each test changes one key of it."""

import copy
import json
import secrets
from typing import Any

from collector.designs import Design

DEFINITION: dict[str, Any] = {
    "slug": "campus",
    "rehearsal": False,
    "languages": ["en"],
    "title": {"en": "Campus"},
    "introduction": {"en": "Two questions."},
    "consent": {"en": "You may leave at any time."},
    "strata": {
        "wording": {"en": "Which year are you in?"},
        "groups": [
            {"key": "y1", "label": {"en": "First year"}, "share": None},
            {"key": "y2", "label": {"en": "Later"}, "share": None},
        ],
    },
    "items": [
        {
            "key": "cheated",
            "kind": "yes_no",
            "wording": {"en": "Have you cheated?"},
            "choices": [{"en": "No"}, {"en": "Yes"}],
            "channel": {"name": "forced_response", "truth": "1/2", "yes": "1/2"},
        },
        {
            "key": "mood",
            "kind": "one_choice",
            "wording": {"en": "How do you feel?"},
            "choices": [{"en": "Well"}, {"en": "So-so"}, {"en": "Low"}],
            "channel": {"name": "k_ary", "truth": "1/2"},
        },
    ],
}

TABLES = ([[3, 1], [1, 3]], [[4, 1, 1], [1, 4, 1], [1, 1, 4]])


def definition(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(DEFINITION) | changes


def document(**changes: Any) -> dict[str, Any]:
    """The frozen design of the definition."""
    frozen = definition(format=1, version=1)
    for item, weights in zip(frozen["items"], TABLES, strict=True):
        item["encoding"] = "single"
        item["channel"]["weights"] = copy.deepcopy(weights)
    return frozen | changes


def with_known_shares(*shares: str | None, **changes: Any) -> dict[str, Any]:
    """The frozen design with a known share of each of its groups."""
    frozen = document(**changes)
    for group, share in zip(frozen["strata"]["groups"], shares, strict=True):
        group["share"] = share
    return frozen


def opened() -> dict[str, Any]:
    """The frozen design of the definition, as an installation opens it."""
    return document(ceilings={"question": "3", "total": "4"})


def report(design: Design, /, **changes: Any) -> dict[str, Any]:
    """A report of this design with a fresh nonce."""
    symbols = bytes(len(design.alphabets))
    fields = {
        "design": design.digest,
        "nonce": secrets.token_hex(16),
        "stratum": design.strata[0],
        "report": symbols.hex(),
    }
    return fields | changes


def body(design: Design, /, **changes: Any) -> bytes:
    return json.dumps(report(design, **changes), separators=(",", ":")).encode()


def weak(truth: str = "10/11", **changes: Any) -> dict[str, Any]:
    """One question: forced response with this truth probability; 10/11 is 21 to 1, epsilon 3.045."""
    items = definition()["items"][:1]
    items[0]["channel"] |= {"truth": truth}
    return definition(items=items, **changes)


def without_device() -> dict[str, Any]:
    """A definition that no coin and no die can realise: truth 2/5."""
    found = definition()
    found["items"][0]["channel"]["truth"] = "2/5"
    return found
