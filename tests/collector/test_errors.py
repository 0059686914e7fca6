"""An error of a document is a value: its path, its message, its code; the sentence is made of them."""

import pytest

from collector.errors import LONGEST_SENTENCE, InputError, ValidationError, written
from surveys.definition.definitions import take_checked
from tests.factories import payloads


@pytest.mark.parametrize(
    ("path", "text"),
    [((), ""), (("title",), "title"), (("items", 2, "choices", 0, "en"), "items[2].choices[0].en")],
)
def test_error_path_is_written_with_dots_and_indices(path: tuple[str | int, ...], text: str) -> None:
    assert written(path) == text


def test_error_sentence_begins_with_path() -> None:
    error = ValidationError(("items", 2, "choices"), "must be a list; got 3")
    assert str(error) == "items[2].choices must be a list; got 3"
    assert error.sentence(error.path[2:]) == "choices must be a list; got 3"
    assert str(error.below("definition")) == "definition.items[2].choices must be a list; got 3"


def test_error_full_sentence_follows_colon() -> None:
    error = ValidationError(("items", 0, "channel"), ": truth must be exact", keys=["truth"])
    assert str(error) == "items[0].channel: truth must be exact"
    assert error.sentence(()) == "truth must be exact"


def test_error_sentence_names_line_and_is_bounded() -> None:
    error = ValidationError(("title",), "x" * 5 * LONGEST_SENTENCE)
    error.line = 7
    assert str(error).startswith("line 7: title xxx")
    assert len(str(error)) == LONGEST_SENTENCE + len(" ...")


def test_input_error_keeps_given_sentence() -> None:
    error = InputError("addresses", "Each must be an address.")
    assert (error.field, error.path, str(error)) == ("addresses", ("addresses",), "Each must be an address.")


@pytest.mark.parametrize(
    ("change", "path", "code", "keys"),
    [
        ({"colour": "red"}, ("survey",), "invalid", ("colour",)),
        ({"items": payloads.definition()["items"] * 2}, ("items",), "duplicate", ("cheated", "mood")),
        ({"participation": "9"}, ("participation", "epsilon"), "invalid", ()),
        ({"repeats": "often"}, ("repeats",), "invalid", ()),
        (
            {"items": [{"key": "a", "wording": "W", "channel": {"name": "warner"}}]},
            ("items", 0, "channel"),
            "required",
            ("truth",),
        ),
        (
            {"items": [{"key": "a", "wording": "W", "channel": {"name": "warner", "truth": "1/2"}}]},
            ("items", 0, "channel"),
            "invalid",
            ("truth",),
        ),
    ],
)
def test_definition_error_names_path_code_and_keys(
    change: dict[str, object], path: tuple[str | int, ...], code: str, keys: tuple[str, ...]
) -> None:
    with pytest.raises(ValidationError) as caught:
        take_checked(payloads.definition() | change)
    assert (caught.value.path, caught.value.code, caught.value.keys) == (path, code, keys)
