"""How hard a text is to read, by the usual index of each language.

| language | index | source | easier is |
|----------|-------|--------|-----------|
| English  | Flesch-Kincaid grade level | Kincaid, Fishburne, Rogers & Chissom (1975) | lower |
| German   | first Wiener Sachtextformel, a school year | Bamberger & Vanecek (1984) | lower |
| Spanish  | Szigriszt-Pazos on the INFLESZ scale | Szigriszt (1993); Barrio-Cantalejo et al. (2008) | higher |
| French   | Kandel-Moles | Kandel & Moles (1958) | higher |
| Arabic   | words in a sentence, letters in a word | a bound of our own: no index is agreed on | lower |

Syllables are counted as groups of vowels, without those that are mute. Numbers, placeholders and words in capitals
count as words of one syllable.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

SENTENCE_END = re.compile(r"(?<=[.!?؟…])[”»“\"]*\s+")
WORD = re.compile(r"[^\W_]+(?:[’'\-][^\W_]+)*|\{\w+\}|%\(\w+\)s")
LETTERS = re.compile(r"[^\W\d_]")
MARKS = re.compile(r"[\u064b-\u0652\u0670]")
"""Arabic signs above and below letters, which are no letters."""

VOWELS = {
    "en": r"[aeiouy]+",
    "de": r"ei|au|eu|äu|ai|ie|aa|ee|oo|[aeiouäöüy]",
    "es": r"[aeiouáéíóúü]+",
    "fr": r"[aeiouyàâäéèêëîïôöùûüÿœæ]+",
}
EN_MUTE = re.compile(r"[^aeiouyl]e$|[aeiouy]le$|[^aeiouytd]ed$|[^aeiouyscxzg]es$")
"""Endings of English words whose e is not spoken: make, whole, used, times; but table, started, pages."""
EN_APART = re.compile(r"i[ao](?!n)|eo(?!p)|ua(?!r|l)|[^tscg]ion")
"""Vowels of English words that are two syllables: via, video, million."""
FR_MUTE = re.compile(r"[^aeiouyàâéèêîôû]e(?:s|nt)?$")
"""Endings of French words that are not spoken: page, pages, donnent."""
HIATUS = re.compile(r"[aeoáéó](?=[aeoáéó])|[íú](?=[aeoáéó])|[aeoáéó](?=[íú])")
"""In Spanish two strong vowels, or an accented weak one beside a strong one, are two syllables."""


@dataclass(frozen=True)
class Measure:
    """The counts of a text that its index is made of."""

    sentences: int
    words: tuple[str, ...]
    syllables: tuple[int, ...]

    @property
    def words_per_sentence(self) -> float:
        return len(self.words) / self.sentences

    @property
    def syllables_per_word(self) -> float:
        return sum(self.syllables) / len(self.words)

    def share(self, holds: Callable[[str, int], bool]) -> float:
        """Per cent of the words."""
        found = sum(holds(word, count) for word, count in zip(self.words, self.syllables, strict=True))
        return 100 * found / len(self.words)


def measure(texts: Iterable[str], language: str) -> Measure:
    """Count paragraphs; a sentence ends with each of them."""
    sentences = [part for text in texts for part in SENTENCE_END.split(text.strip()) if WORD.search(part)]
    words = tuple(word for sentence in sentences for word in WORD.findall(sentence))
    return Measure(len(sentences), words, tuple(syllables(word, language) for word in words))


def syllables(word: str, language: str) -> int:
    """The syllables of a word that are spoken."""
    if language not in VOWELS or not LETTERS.search(word) or word.startswith(("{", "%")) or word.isupper():
        return 1
    lower = word.lower()
    count = len(re.findall(VOWELS[language], lower))
    if language == "en":
        count += len(EN_APART.findall(lower)) - bool(EN_MUTE.search(lower))
    elif language == "es":
        count += len(HIATUS.findall(lower))
    elif language == "fr":
        count -= bool(FR_MUTE.search(lower))
    return max(1, count)


def flesch_kincaid(of: Measure) -> float:
    return 0.39 * of.words_per_sentence + 11.8 * of.syllables_per_word - 15.59


def wiener_sachtext(of: Measure) -> float:
    many, long = of.share(lambda _word, count: count >= 3), of.share(lambda word, _count: len(word) > 6)
    one = of.share(lambda _word, count: count == 1)
    return 0.1935 * many + 0.1672 * of.words_per_sentence + 0.1297 * long - 0.0327 * one - 0.875


def szigriszt(of: Measure) -> float:
    return 206.835 - 62.3 * of.syllables_per_word - of.words_per_sentence


def kandel_moles(of: Measure) -> float:
    return 207 - 1.015 * of.words_per_sentence - 73.6 * of.syllables_per_word


def letters_per_word(of: Measure) -> float:
    return sum(len(MARKS.sub("", word)) for word in of.words) / len(of.words)


INDEX: Mapping[str, Callable[[Measure], float]] = {
    "en": flesch_kincaid,
    "de": wiener_sachtext,
    "es": szigriszt,
    "fr": kandel_moles,
    "ar": lambda of: of.words_per_sentence + letters_per_word(of),
}
