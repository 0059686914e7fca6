"""The frozen design: canonical, named by its digest, and refused at the first thing that is wrong with it."""

import copy
import hashlib
import json
from typing import Any

import pytest

from collector.designs import Design, canonical, check
from collector.errors import ValidationError
from tests.factories import payloads


def changed(path: list[str | int], value: Any) -> dict[str, Any]:
    """The valid document with one place changed."""
    document = copy.deepcopy(payloads.document())
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


def test_check_valid_document_returns_design() -> None:
    design = check(payloads.document())
    assert design.alphabets == (2, 3)
    assert design.strata == ("y1", "y2")


def test_digest_is_sha256_of_canonical_bytes() -> None:
    design = check(payloads.document())
    assert design.digest == hashlib.sha256(design.canonical).hexdigest()
    assert json.loads(design.canonical) == payloads.document()


def test_canonical_bytes_ignore_key_order() -> None:
    document = payloads.document()
    assert canonical(dict(reversed(list(document.items())))) == canonical(document)


def test_canonical_bytes_are_utf_8_without_spaces() -> None:
    assert canonical({"b": "ü", "a": [1, True, None]}) == '{"a":[1,true,null],"b":"ü"}'.encode()


def test_digest_changes_with_every_field() -> None:
    """100 edits of one leaf each, 100 different digests."""
    original = check(payloads.document()).digest
    digests = set()
    for number in range(100):
        edited = changed(["items", number % 2, "wording", "en"], f"Wording {number}?")
        digests.add(Design.of(edited).digest)
    assert len(digests) == 100
    assert original not in digests


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (["format"], 2, "format must be 1; got 2"),
        (["slug"], "Not A Slug", "slug must be"),
        (["version"], 0, "version must be an integer of at least 1; got 0"),
        (["version"], True, "version must be an integer of at least 1; got True"),
        (["rehearsal"], 1, "rehearsal must be true or false"),
        (["languages"], [], "languages must be a list"),
        (["languages"], ["en", "en"], "languages must differ"),
        (["title"], {"en": " "}, "title.en must not be empty"),
        (["title"], {"de": "Titel"}, "title must have exactly the keys"),
        (["items"], [], "items must be 1 to 256"),
        (["items", 0, "kind"], "open_text", "items[0].kind must be one of"),
        (["items", 0, "wording"], {"en": 3}, "items[0].wording.en must be text"),
        (["items", 0, "choices"], [{"en": "No"}], "items[0].choices must be a list of 2 to 256"),
        (["items", 1, "key"], "cheated", "items must have different keys; cheated"),
        (["items", 0, "channel", "weights"], [[3, 1]], "items[0].channel.weights must have 2 rows"),
        (
            ["items", 0, "channel", "weights"],
            [[2, 1, 1], [1, 2, 1]],
            "weights[0] must have 2 entries, one for each response; got 3",
        ),
        (["items", 0, "channel", "weights"], [3, 1], "items[0].channel.weights[0] must be a list; got int"),
        (["items", 0, "channel", "weights"], [[3, 1], [1, 4]], "items[0].channel.weights[1] must sum to 4; got 5"),
        (["items", 0, "channel", "weights"], [[3, 1], [1.0, 3]], "weights[1][0] must be an integer of at least 0"),
        (["items", 0, "channel", "weights"], [[-1, 5], [1, 3]], "weights[0][0] must be an integer of at least 0"),
        (["items", 0, "channel", "weights"], [[4, 0], [1, 3]], "response 1 would rule out an answer"),
        (["items", 0, "channel", "weights"], [[2**32, 1], [1, 2**32]], "must sum to between 1 and 2**32"),
        (["items", 0, "channel", "truth"], 0.5, "items[0].channel.truth must be a fraction"),
        (["items", 0, "channel", "truth"], "1e-99999999", "items[0].channel.truth must be a fraction from 0 to 1"),
        (["items", 0, "channel", "truth"], "3/2", "items[0].channel.truth must be a fraction from 0 to 1"),
        (["items", 0, "channel", "secret"], 1, "items[0].channel must have exactly the keys"),
        (["strata", "groups", 0, "key"], "year1", "keys of equal length"),
        (["strata", "groups", 0, "share"], "1/4", "either every group must have a share or none"),
        (["strata", "groups"], [{"key": "a", "label": {"en": "A"}, "share": None}], "no group or at least 2"),
        (["introduction", "en"], "a\ud800", "introduction.en has U+D800 (no character) as character 2"),
        (["items", 0, "wording", "en"], "a\u202eb", "items[0].wording.en has U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        (["strata", "groups", 0, "label", "en"], "\x1b[2J", "strata.groups[0].label.en has U+001B (a control"),
        (["title", "en"], "\u3164", "title.en has U+3164 (HANGUL FILLER)"),
    ],
)
def test_check_invalid_document_names_fault(path: list[str | int], value: Any, fault: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check(changed(path, value))
    assert fault in str(caught.value)


def test_known_shares_must_sum_to_one() -> None:
    with pytest.raises(ValidationError, match="they sum to 21/20"):
        check(payloads.with_known_shares("1/4", "0.8"))


@pytest.mark.parametrize("document", [None, [], "design", 1, {}, {"format": 1}])
def test_check_non_document_is_rejected(document: Any) -> None:
    with pytest.raises(ValidationError, match="design must"):
        check(document)


MODULUS = "f" * 768


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("invitations", {"kind": "secret"}),
        ("invitations", {"kind": "blind", "modulus": MODULUS}),
        ("waves", {"repeats": "remember", "spent": "1/1"}),
        ("waves", {"repeats": "fresh", "spent": "9/4"}),
        ("participation", {"epsilon": "0.5"}),
        ("about", {"contact": {"en": "Room 5"}}),
        ("about", {"help_line": {"en": "Call 1."}, "help_after": {"items": ["cheated", "mood"]}}),
    ],
)
def test_check_optional_keys_are_accepted(key: str, value: dict[str, Any]) -> None:
    design = check(payloads.document(**{key: value}))
    assert design.invitations == (value.get("kind", "") if key == "invitations" else "")
    assert design.digest != check(payloads.document()).digest


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("invitations", {"kind": "open"}, "invitations.kind must be 'secret' or 'blind'; got 'open'"),
        ("invitations", {"kind": "secret", "modulus": MODULUS}, "invitations must have exactly the keys"),
        ("invitations", {"kind": "blind"}, "invitations must have exactly the keys"),
        ("invitations", {"kind": "blind", "modulus": MODULUS[1:]}, "an odd number of 3072 bits"),
        ("invitations", {"kind": "blind", "modulus": MODULUS[:-1] + "e"}, "an odd number of 3072 bits"),
        ("invitations", {"kind": "blind", "modulus": "7" + MODULUS[1:]}, "an odd number of 3072 bits"),
        ("waves", {"repeats": "sometimes", "spent": "1/1"}, "waves.repeats must be 'fresh' or 'remember'"),
        ("waves", {"repeats": "fresh", "spent": "1/2"}, "waves.spent must be odds of at least 1"),
        ("waves", {"repeats": "fresh", "spent": 3}, "waves.spent must be odds of at least 1"),
        ("waves", {"repeats": "fresh", "spent": "3/0"}, "waves.spent must be odds of at least 1"),
        ("about", {}, "about must have at least one of sender, institution"),
        ("about", {"imprint": {"en": "x"}}, "about must have exactly the keys"),
        ("about", {"contact": {"en": " "}}, "about.contact.en must not be empty"),
        ("about", {"contact": {"de": "x"}}, "about.contact must have exactly the keys"),
        (
            "about",
            {"contact": {"en": "x"}, "help_after": {"items": ["mood"]}},
            "help_after is only allowed together with help_line",
        ),
        ("about", {"help_line": {"en": "x"}, "help_after": {}}, "about.help_after must name at least one item"),
        ("about", {"help_line": {"en": "x"}, "help_after": {"items": ["mood", "cheated"]}}, "in this order"),
        ("about", {"help_line": {"en": "x"}, "help_after": {"items": ["lied"]}}, "must be some of cheated, mood"),
        (
            "about",
            {"help_line": {"en": "x"}, "help_after": {"sections": ["home"]}},
            "about.help_after.sections must be",
        ),
        ("participation", {"epsilon": "0"}, "participation.epsilon must be greater than 0 and at most 8; got '0'"),
        ("participation", {"epsilon": "9"}, "participation.epsilon must be greater than 0 and at most 8; got '9'"),
    ],
)
def test_check_invalid_optional_keys_are_rejected(key: str, value: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check(payloads.document(**{key: value}))
    assert fault in str(caught.value)
