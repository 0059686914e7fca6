"""Which characters a text may hold, wherever it enters: nothing that is invisible, or that turns what is read around.

A survey's words are the same bytes for everybody, so they have to look the same to everybody too. A direction mark can
show a sentence in another order than it stands in, a control character can break a file or a terminal, and a database
may refuse what another keeps. Arabic and Hebrew need none of them: pages set the direction of each text themselves.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError

IN_LINES = "\n\t"
"""Control characters that a text of several lines may hold; a browser's form sends its ends of lines as CR LF."""

REFUSED = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode's categories of what is not seen: controls, format characters, halves of characters, other line ends."""

SOFT_HYPHEN = "\u00ad"
"""Where a long word may be broken: taken behind a letter."""

JOINERS = "\u200c\u200d"
"""Persian and Indic scripts are spelt with them, emoji composed: taken behind such characters, not behind Latin ones,
where two texts could look alike and be others."""

SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""They choose how the character before them looks: one is taken behind one that is seen."""

ALLOWED_FORMAT = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"  # signs that are seen
)
BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
"""Letters and marks to Unicode, nothing to the eye: a title of them would be an empty one."""


class RefusedCharacter(NamedTuple):
    """A character that no text may hold, and its place, counted from 1."""

    character: str
    position: int

    @property
    def in_words(self) -> str:
        code = ord(self.character)
        name = unicodedata.name(self.character, "") or ("a control character" if code < 0xA0 else "no character")
        return f"holds U+{code:04X} ({name}) as its character {self.position}, which cannot be seen and is refused"


def refused_character(text: str, *, lines: bool = True) -> RefusedCharacter | None:
    """The first character that a text may not hold; with `lines` it may have line feeds and tabs."""
    if lines:
        text = text.replace("\r\n", "\n")
    before = ""
    for position, character in enumerate(text, start=1):
        if _is_refused(character, before) and not (lines and character in IN_LINES):
            return RefusedCharacter(character, position)
        before = character
    return None


def find_refused_character(value: Any, place: str = "") -> Iterator[tuple[str, RefusedCharacter]]:
    """Of a document of lists and mappings: the place and the character, of every key and text that holds one."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            here = f"{place}.{name}" if place else str(name)
            if isinstance(name, str) and (found := refused_character(name, lines=False)):
                yield f"a key of {place or 'the whole'}", found
            else:
                yield from find_refused_character(part, here)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from find_refused_character(part, f"{place}[{number}]")
    elif isinstance(value, str) and (found := refused_character(value)):
        yield place or "the whole", found


def validate_text(value: str) -> None:
    """Django's validator of a text of several lines."""
    _validate(value, lines=True)


def validate_line(value: str) -> None:
    """Django's validator of a text of one line, like a name."""
    _validate(value, lines=False)


def _validate(value: str, *, lines: bool) -> None:
    if found := refused_character(value, lines=lines):
        raise ValidationError(f"This {found.in_words}.", code="refused_character")


def _is_refused(character: str, before: str) -> bool:
    if character == SOFT_HYPHEN:
        return not before.isalpha()
    if character in JOINERS:
        return before <= "\u02ff"
    if character in SELECTORS:
        return not before.strip() or before in SELECTORS or before in JOINERS
    if character.isprintable() or character in BLANK_LETTERS:
        return character in BLANK_LETTERS
    code = ord(character)
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:  # Unicode's noncharacters
        return True
    return unicodedata.category(character) in REFUSED and character not in ALLOWED_FORMAT
