"""What a text may hold: every character that is seen, and none that is not."""

import unicodedata

import pytest
from django.core.exceptions import ValidationError

from collector.designs.texts import find_refused_character, refused_character, validate_line, validate_text

CONTROLS = [chr(code) for code in [*range(0x20), *range(0x7F, 0xA0)]]
DIRECTIONS = [chr(code) for code in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))]
INVISIBLE = [*list("\u200b\u2060\u2063\ufeff\u180e\u2028\u2029\ufff9\U000e0041ㅤ⠀\ufffe"), "\ud800"]


@pytest.mark.parametrize("character", [*CONTROLS, *DIRECTIONS, *INVISIBLE], ids=lambda one: f"{ord(one):04x}")
def test_text_invisible_character_is_rejected_by_place(character: str) -> None:
    assert (refused_character(f"ab{character}c") is None) == (character in "\n\t")
    found = refused_character(f"ab{character}c", lines=False)
    assert found is not None
    assert found.position == 3
    assert f"U+{ord(character):04X}" in found.in_words


@pytest.mark.parametrize(
    "text",
    [
        "Haben Sie schon einmal gelogen?\r\n\tSelbst\u00adverständlich",
        "¿Ha mentido alguna vez? – «Sí»",
        "هل غششت في امتحان؟ نعم، «مرّة» ١٢٪",
        "می\u200cخواهم",
        "क्\u200dष 👩\u200d👩\u200d👧 🏳️\u200d🌈 🇩🇪 1️⃣ ❤️",
        "葛\U000e0100城市",
        "\u06dd١",
    ],
)
def test_text_of_any_script_is_accepted(text: str) -> None:
    assert refused_character(text) is None
    validate_text(text)


@pytest.mark.parametrize(
    "text",
    ["\u200d", "Y\u200des", "\u200cYes", "\u00ad", "Yes \u00ad", "\ufe0f", "Yes \ufe0f", "1\ufe0f\ufe0f",
     "a\U000e0101\U000e0102", "\u034f", "Y\u034fes"],
)  # fmt: skip
def test_text_lone_modifier_is_rejected(text: str) -> None:
    """A reason or a title of such characters would be empty to the eye, and two groups could look alike."""
    assert refused_character(text) is not None


def test_text_rejected_characters_are_all_invisible() -> None:
    """Of all of Unicode's first plane: nothing with a glyph of its own is refused, but the fillers."""
    refused = [chr(code) for code in range(0x10000) if refused_character(f"\u2764{chr(code)}", lines=False)]
    seen = [one for one in refused if unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Zl", "Zp", "Cn")]
    assert seen == list("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def test_document_error_names_key_or_text() -> None:
    document = {"title": {"en": "a\u202eb"}, "items": [{"choices": ["\0"]}, {"k\u200be\u200by": 1}]}
    found = [(place, ord(one.character)) for place, one in find_refused_character(document)]
    assert found == [("title.en", 0x202E), ("items[0].choices[0]", 0), ("a key of items[1]", 0x200B)]


def test_line_rejects_line_ends() -> None:
    validate_text("one\r\ntwo\tthree")
    for text in ("one\ntwo", "one\ttwo", "one\rtwo"):
        with pytest.raises(ValidationError, match=r"U\+00"):
            validate_line(text)
    with pytest.raises(ValidationError, match=r"U\+000D"):
        validate_text("one\rtwo")
