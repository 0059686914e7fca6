"""Advice on how questions are worded: two at once, leading, negated, too long, hard to read. It blocks nothing."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml
from django.utils.translation import gettext

from surveys.definition.parts import Definition
from surveys.labels import spoken

SOURCE = Path(__file__).with_name("question_advice.yaml")

MOST_WORDS = 30
"""Words of a question; methods textbooks advise about 20."""

READ_FROM = 20
"""Words from which the reading level of a text is computed: of fewer it says nothing."""

HARDEST = {"en": 55, "de": 62, "es": 58, "fr": 58}
"""The highest LIX without advice, by language: German has longer words. The scale is not made for Arabic."""

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
SENTENCE = re.compile(r"[.!?:;…]+(?:\s|$)")


class WordingAdvice(NamedTuple):
    """What could be asked better, and where: the keyed path of a text, its language, the kind, and the advice."""

    path: tuple[str | int, ...]
    language: str
    kind: str
    words: str


class AdviceKind(NamedTuple):
    name: str
    reason: dict[str, str]
    kinds: frozenset[str]
    patterns: dict[str, re.Pattern[str]]
    harmless: dict[str, re.Pattern[str]]


def question_advice(definition: Definition) -> Iterator[WordingAdvice]:
    """The advice on every text that is written, in the order of the texts."""
    for name in ("introduction", "consent"):
        text: dict[str, str] = definition[name]
        for language, words in text.items():
            yield from _hard_to_read((name,), language, words)
    for item in definition["items"]:
        path = ("items", item["key"], "wording")
        for language, words in item["wording"].items():
            for kind in kinds():
                if match := _match(kind, item["kind"], language, words):
                    yield WordingAdvice(path, language, kind.name, f"“{match}”: {spoken(kind.reason)}")
            count = len(WORD.findall(words))
            if count > MOST_WORDS:
                advice = gettext("It has {count} words; up to {most_words} are easy to read.").format(
                    count=count, most_words=MOST_WORDS
                )
                yield WordingAdvice(path, language, gettext("too long"), advice)
            yield from _hard_to_read(path, language, words)


def lix(text: str) -> float:
    """The readability index of Björnsson (1968): words per sentence and the per cent of words above six letters."""
    words = WORD.findall(text)
    sentences = max(1, len([part for part in SENTENCE.split(text) if part.strip()]))
    return len(words) / sentences + 100 * sum(len(word) > 6 for word in words) / len(words)


def _hard_to_read(path: tuple[str, ...], language: str, words: str) -> Iterator[WordingAdvice]:
    if language not in HARDEST or len(WORD.findall(words)) < READ_FROM:
        return
    level = round(lix(words))
    if level > HARDEST[language]:
        advice = gettext(
            "Hard to read: LIX {level}; up to {hardest} is easy. Shorter sentences and words help everybody."
        ).format(level=level, hardest=HARDEST[language])
        yield WordingAdvice(path, language, gettext("hard to read"), advice)


def _match(kind: AdviceKind, of: str, language: str, words: str) -> str:
    if language not in kind.patterns or (kind.kinds and of not in kind.kinds):
        return ""
    read = kind.harmless[language].sub("… ", words) if language in kind.harmless else words
    found = kind.patterns[language].search(read)
    return found[0].strip() if found else ""


@cache
def kinds() -> tuple[AdviceKind, ...]:
    """Every kind, with its patterns by language."""
    described = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    return tuple(
        AdviceKind(
            name,
            about["reason"],
            frozenset(about.get("kinds", ())),
            {code: _one_of(patterns) for code, patterns in about["patterns"].items()},
            {code: _one_of(patterns) for code, patterns in about.get("except", {}).items()},
        )
        for name, about in described.items()
    )


def _one_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.DOTALL)
