"""The choices of a question in the form: a line for each, in every language of the survey."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from surveys.definition.parts import Text
from surveys.definition.questions import YES_NO, prefer_not, yes_no
from surveys.lifecycle.selectors import language_names
from surveys.models import Item


def lines_of(texts: Text, code: str) -> list[str]:
    """The lines that are not empty."""
    return [line.strip() for line in texts.get(code, "").splitlines() if line.strip()]


def with_choices(
    known: Sequence[Text], written: Text, before: Text, kind: str | None, languages: Sequence[str]
) -> list[Text]:
    """The choices that the lines define.

    The language that has words for most of the choices, of several the first, says which choices there are; one that
    moved takes its other languages along, a renamed one keeps them. Where the lines of another language were changed
    too (they differ from `before`), they stand for the choices in their order.

    Raises
    ------
    ValidationError
        Where another language has more lines than there are choices.
    """
    own = describe(known, languages)
    others = [code for code in languages if code != own]
    lines = lines_of(written, own)
    if not lines and kind == Item.Kind.YES_NO:
        return yes_no(list(languages))
    if written.get(own, "").splitlines() == before.get(own, "").splitlines():
        choices = [{code: choice.get(code, "") for code in languages} for choice in known]
    else:
        choices = _taken_along(known, lines, own, others)
    for code in others:
        theirs = [line.strip() for line in written.get(code, "").splitlines()]
        if theirs != before.get(code, "").splitlines():
            if len(theirs) > len(choices):
                name, first = language_names([code, own])
                raise ValidationError(
                    gettext("{name} has {count} lines, but {first} has {count2} options.").format(
                        name=name, count=len(theirs), first=first, count2=len(choices)
                    )
                )
            for place, choice in enumerate(choices):
                choice[code] = theirs[place] if place < len(theirs) else ""
    platform = YES_NO.get(own)
    if kind == Item.Kind.YES_NO and platform == tuple(lines):
        for choice, words in zip(choices, yes_no(list(languages)), strict=True):
            choice.update({code: words[code] for code in others if not choice[code]})
    return choices


def describe(known: Sequence[Text], languages: Sequence[str]) -> str:
    """The language that defines the choices: the first one, unless another has words for more of them.

    So it is where the survey has been given a language of its own whose texts are still to be written.
    """
    return max(languages, key=lambda code: sum(bool(choice.get(code, "").strip()) for choice in known))


def set_languages(item: Item, languages: Sequence[str]) -> None:
    """Give a question's texts a place in each of these languages: with its own words, else the platform's."""
    item.wording = {code: item.wording.get(code, "") for code in languages}
    item.heading = {code: item.heading.get(code, "") for code in languages} if item.heading else {}
    choices = [{code: choice.get(code, "") for code in languages} for choice in item.choices]
    texts = {code: tuple(choice.get(code, "") for choice in item.choices) for code in YES_NO}
    if item.kind == Item.Kind.YES_NO and any(YES_NO[code] == words for code, words in texts.items()):
        for choice, words in zip(choices, yes_no(list(languages)), strict=True):
            choice.update({code: words[code] for code in languages if not choice[code]})
    withheld = {code: item.prefer_not.get(code) or words for code, words in prefer_not(list(languages)).items()}
    item.choices, item.prefer_not = choices, withheld if item.prefer_not else {}


def _taken_along(known: Sequence[Text], lines: list[str], own: str, others: Sequence[str]) -> list[Text]:
    by_words = {choice.get(own, ""): choice for choice in known}
    renamed = iter([choice for choice in known if choice.get(own, "") not in lines])
    found = [by_words[line] if line in by_words else next(renamed, {}) for line in lines]
    return [
        {own: line, **{code: choice.get(code, "") for code in others}}
        for line, choice in zip(lines, found, strict=True)
    ]
