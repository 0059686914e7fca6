"""The disclosure items of AAPOR's Code: those that authors fill in, and those that the platform knows.

American Association for Public Opinion Research (2021). Code of Professional Ethics and Practices, III. Disclosure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector.designs.texts import refused_character
from collector.errors import InputError
from estimator.base.languages import LANGUAGES
from estimator.models import Disclosure

LONGEST = 4_000
"""Maximum characters of a text."""

MOST_ASKED = 1_000_000_000


@dataclass(frozen=True)
class DisclosureItem:
    """A disclosure item for the author to fill in: its name in a report, and its prompt.

    Where `ours`, the report has a sentence of its own for it, and what the author writes comes after that.
    """

    name: str
    title: Any
    asks: Any
    ours: bool = False


FIELDS = (
    DisclosureItem(
        "strategy",
        gettext_lazy("Data collection strategy"),
        gettext_lazy("What kind of study this is and how the data were collected."),
    ),
    DisclosureItem("sponsor", gettext_lazy("Sponsor"), gettext_lazy("Who paid for the survey and who carried it out.")),
    DisclosureItem(
        "population",
        gettext_lazy("Population"),
        gettext_lazy("Whom the survey is about, where, and who could not be reached."),
    ),
    DisclosureItem(
        "recruitment",
        gettext_lazy("Recruitment"),
        gettext_lazy(
            "The list or place that respondents were drawn from, how they were chosen and invited, and how many were "
            "invited."
        ),
    ),
    DisclosureItem(
        "mode",
        gettext_lazy("Mode"),
        gettext_lazy("Anything else on how people answered, such as where, or who was present."),
        ours=True,
    ),
    DisclosureItem(
        "weighting",
        gettext_lazy("Weighting"),
        gettext_lazy("The source of the known group sizes, or why nothing was weighted."),
        ours=True,
    ),
    DisclosureItem(
        "processing",
        gettext_lazy("Processing"),
        gettext_lazy("Any further processing of the data, before or after estimation."),
        ours=True,
    ),
    DisclosureItem(
        "limits",
        gettext_lazy("Limits"),
        gettext_lazy("Known limits that the numbers do not show: who is missing, what was misunderstood."),
    ),
)
"""The items that authors fill in, in the order of a report."""


def of(slug: str) -> Disclosure:
    """The disclosure of a survey; an empty row, not stored, if there is none."""
    return Disclosure.objects.filter(slug=slug).first() or Disclosure(slug=slug)


def errors_of(
    texts: Mapping[str, Mapping[str, str]], *, probability_sample: bool, asked: int | None = None
) -> dict[str, str]:
    """What keeps the texts from being written down, by name of the field.

    A text may be too long or have characters that no file can hold, and a probability sample needs a word on how it was
    drawn.
    """
    filled, errors = _filled_in(texts), dict[str, str]()
    for name, by_language in filled.items():
        errors.update((name, message) for text in by_language.values() if (message := _fault(text)))
    if probability_sample and not filled.get("recruitment"):
        errors["recruitment"] = "A probability sample is declared, so this must say how its members were drawn."
    if asked is not None and not 1 <= asked <= MOST_ASKED:
        errors["asked"] = f"This must be a whole number from 1 to {MOST_ASKED:,}, or empty; got {asked}."
    return errors


def disclose(
    slug: str,
    texts: Mapping[str, Mapping[str, str]],
    *,
    probability_sample: bool,
    simple_random: bool = False,
    asked: int | None = None,
) -> Disclosure:
    """Store an author's disclosures, replacing the earlier ones.

    - `slug`: the survey's.
    - `texts`: by name of the field, and there by language of reports. What is empty is left out.
    - `probability_sample`: whether every member of the population had a known chance, not nothing, of being drawn.
    - `simple_random`: whether, besides, all had the same chance and each was drawn alone. Only then reports have an
      interval for the population: unequal chances and clusters have a design effect, which nothing that is declared
      tells.
    - `asked`: how many people were asked to take part, in each wave; reports then bound what those who did not answer
      could change. None where it is not known, as with an open link.

    Raises InputError: at the first field of `errors_of`. Nothing is changed then.
    """
    names = {field.name for field in FIELDS}
    if unknown := set(texts) - names:
        raise ValueError(f"texts must have fields among {', '.join(sorted(names))}; got {unknown.pop()!r}")
    filled = _filled_in(texts)
    for name, message in errors_of(texts, probability_sample=probability_sample, asked=asked).items():
        raise InputError(name, message)
    written = {
        "texts": {name: by_language for name, by_language in filled.items() if by_language},
        "probability_sample": probability_sample,
        "simple_random": probability_sample and simple_random,
        "asked": asked,
    }
    return Disclosure.objects.update_or_create(slug=slug, defaults=written)[0]


def delete(slug: str) -> None:
    """Delete the disclosure of a survey that was deleted."""
    Disclosure.objects.filter(slug=slug).delete()


def rename(slug: str, new: str) -> None:
    """Rename the disclosure of a survey whose slug changes."""
    Disclosure.objects.filter(slug=slug).update(slug=new)


def _filled_in(texts: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The texts in languages of reports, without what is empty in each."""
    return {
        name: {code: text.strip() for code, text in by_language.items() if code in LANGUAGES and text.strip()}
        for name, by_language in texts.items()
    }


def _fault(text: str) -> str:
    if len(text) > LONGEST:
        return f"This text must have at most {LONGEST:,} characters; it has {len(text):,}."
    unseen = refused_character(text)
    return f"This text {unseen.in_words}." if unseen else ""


def text_in(disclosure: Disclosure, name: str, language: str) -> tuple[str, str]:
    """An author's text in a field, and its language: the one asked for, otherwise any that exists."""
    by_language = disclosure.texts.get(name, {})
    for code in (language, *LANGUAGES):
        if code in by_language:
            return by_language[code], code
    return "", language


def empty(disclosure: Disclosure) -> Iterator[str]:
    """The titles of the empty items that only an author can fill in."""
    return (str(field.title) for field in FIELDS if not field.ours and not disclosure.texts.get(field.name))


def left_empty(disclosure: Disclosure) -> str:
    """A sentence that lists the empty items; empty if there are none."""
    names = list(empty(disclosure))
    return _("Not stated by the author: %(items)s.") % {"items": ", ".join(names)} if names else ""
