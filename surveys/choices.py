"""The choices of a question as the form has them: a line for each, in every language of the survey."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError

from surveys.models import Item
from surveys.questions import YES_NO, yes_no
from surveys.selectors import language_names
from surveys.words import Text


def lines_of(said: Text, code: str) -> list[str]:
    """The lines that are not empty."""
    return [line.strip() for line in said.get(code, "").splitlines() if line.strip()]


def with_choices(
    known: Sequence[Text], said: Text, before: Text, kind: str | None, languages: Sequence[str]
) -> list[Text]:
    """The choices as the lines say.

    The first language says which choices there are; one that moved takes its other languages along, a renamed one
    keeps them. Where the lines of another language were changed too (they differ from `before`), they stand for the
    choices in their order.

    Raises
    ------
    ValidationError
        Where another language has more lines than there are choices.
    """
    own, *others = languages
    lines = lines_of(said, own)
    if not lines and kind == Item.Kind.YES_NO:
        return yes_no(list(languages))
    choices = _taken_along(known, lines, languages)
    for code in others:
        theirs = [line.strip() for line in said.get(code, "").splitlines()]
        if theirs != before.get(code, "").splitlines():
            if len(theirs) > len(lines):
                name, first = language_names([code, own])
                raise ValidationError(f"{name} has {len(theirs)} lines, but {first} has {len(lines)} choices.")
            for place, choice in enumerate(choices):
                choice[code] = theirs[place] if place < len(theirs) else ""
    platform = YES_NO.get(own)
    if kind == Item.Kind.YES_NO and platform == tuple(lines):
        for choice, words in zip(choices, yes_no(list(languages)), strict=True):
            choice.update({code: words[code] for code in others if not choice[code]})
    return choices


def _taken_along(known: Sequence[Text], lines: list[str], languages: Sequence[str]) -> list[Text]:
    own = languages[0]
    by_words = {choice.get(own, ""): choice for choice in known}
    renamed = iter([choice for choice in known if choice.get(own, "") not in lines])
    found = [by_words[line] if line in by_words else next(renamed, {}) for line in lines]
    return [
        {code: line if code == own else choice.get(code, "") for code in languages}
        for line, choice in zip(lines, found, strict=True)
    ]
