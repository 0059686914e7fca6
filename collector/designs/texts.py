"""Validation of characters in all text input: none invisible, none that reorder surrounding text.

A survey's words are the same bytes for everybody, so they have to look the same to everybody too. A direction mark can
show a sentence in another order than it stands in, a control character can break a file or a terminal, and a database
may refuse what another keeps. Arabic and Hebrew need none of them: pages set the direction of each text themselves.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

IN_LINES = "\n\t"
"""Control characters allowed in multi-line text; browsers send line ends in forms as CR LF."""

REFUSED = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of invisible characters: controls, format characters, surrogates, separators."""

SOFT_HYPHEN = "\u00ad"
"""Marks where a long word may break: allowed after a letter."""

JOINERS = "\u200c\u200d"
"""Used in Persian and Indic spelling and in emoji: allowed after such characters, not after Latin ones,
where two texts could look alike and be others."""

SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""Variation selectors, styling the character before: one is allowed after a visible one."""

ALLOWED_FORMAT = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"  # signs that are seen
)
BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
"""Letters and marks that are invisible: a title made of them would look empty."""


DOUBTFUL = re.compile(f"[{''.join(SELECTORS | BLANK_LETTERS)}]")
"""Characters that Python calls printable and that may be refused."""


class RefusedCharacter(NamedTuple):
    """A forbidden character and its position, counted from 1."""

    character: str
    position: int

    @property
    def in_words(self) -> str:
        code = ord(self.character)
        name = unicodedata.name(self.character, "") or (
            gettext("a control character") if code < 0xA0 else gettext("no character")
        )
        return gettext("has U+{code:04X} ({name}) as character {position}, which is invisible and not allowed").format(
            code=code, name=name, position=self.position
        )


def refused_character(text: str, *, lines: bool = True) -> RefusedCharacter | None:
    """Return the first forbidden character or None; with `lines`, line feeds and tabs are allowed."""
    if lines:
        text = text.replace("\r\n", "\n")
    seen = (text.replace("\n", "").replace("\t", "") if lines else text).isprintable()
    if seen and (text.isascii() or not DOUBTFUL.search(text)):
        return None  # as nearly every text; each character by itself takes a hundred times as long
    before = ""
    for position, character in enumerate(text, start=1):
        if _is_refused(character, before) and not (lines and character in IN_LINES):
            return RefusedCharacter(character, position)
        before = character
    return None


def find_refused_character(value: Any, place: str = "") -> Iterator[tuple[str, RefusedCharacter]]:
    """Yield place and character for each key and text with a forbidden one in nested lists and mappings."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            here = f"{place}.{name}" if place else str(name)
            if isinstance(name, str) and (found := refused_character(name, lines=False)):
                yield gettext("a key of {place}").format(place=place or gettext("the whole document")), found
            else:
                yield from find_refused_character(part, here)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from find_refused_character(part, f"{place}[{number}]")
    elif isinstance(value, str) and (found := refused_character(value)):
        yield place or gettext("the whole document"), found


def validate_text(value: str) -> None:
    """Django validator for text of several lines."""
    _validate(value, lines=True)


def validate_line(value: str) -> None:
    """Django validator for text of one line, such as a name."""
    _validate(value, lines=False)


def _validate(value: str, *, lines: bool) -> None:
    if found := refused_character(value, lines=lines):
        raise ValidationError(gettext("This text {problem}.").format(problem=found.in_words), code="refused_character")


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
