"""A design as the opening page shows it: what is frozen by opening, in full."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.conf import settings

from collector.designs import Design
from estimator.base import wording
from estimator.reports.privacy import QuestionPrivacy, item_label
from randomized_response import epsilon_total
from surveys.definition import ceilings
from surveys.definition.ceilings import Excess
from surveys.definition.privacy_budget import epsilon_of
from surveys.definition.text_warnings import TextWarning, text_warnings
from surveys.models import Item


@dataclass(frozen=True)
class QuestionPreview:
    """A question of the design; texts by language."""

    number: int
    kind: str
    wording: Mapping[str, str]
    choices: tuple[Mapping[str, str], ...]
    range: str
    label: QuestionPrivacy
    facts: str


@dataclass(frozen=True)
class DesignPreview:
    """What stands in a design, in the order in which people meet it."""

    design: Design
    languages: tuple[tuple[str, str], ...]
    questions: tuple[QuestionPreview, ...]

    @property
    def document(self) -> dict[str, Any]:
        return self.design.document

    @property
    def own(self) -> str:
        """The survey's own language."""
        return self.languages[0][0]

    @property
    def digest(self) -> str:
        return self.design.digest

    @property
    def epsilon_text(self) -> str:
        return wording.epsilon(epsilon_total(question.label.mechanism for question in self.questions))

    @property
    def odds_text(self) -> str:
        """By how much all reports of a person together can multiply the odds of anything she may have answered."""
        ratios = (Fraction(question.label.mechanism.ratio) for question in self.questions)
        return wording.odds(math.prod(ratios, start=Fraction(1)))

    @property
    def spent_text(self) -> str:
        """Epsilon of the most that a person may have spent in the survey before; empty where nobody has."""
        spent = Fraction(self.document.get("waves", {}).get("spent", 1))
        return wording.epsilon(epsilon_of(spent)) if spent > 1 else ""

    @cached_property
    def excesses(self) -> list[Excess]:
        """What is above a ceiling, so that opening takes a reason."""
        return list(ceilings.excesses(self.document))

    @property
    def ceilings(self) -> dict[str, str]:
        """The ceilings that the design names, and the reason; a rehearsal and a design from before has none."""
        return dict(self.document.get("ceilings", {}))

    @cached_property
    def warnings(self) -> list[TextWarning]:
        """Doubtful words in its texts."""
        return text_warnings(self.document)

    @property
    def texts(self) -> list[tuple[str, Mapping[str, str]]]:
        """What the survey says besides its questions, by language."""
        strata = self.document["strata"]
        named = [(name.capitalize(), self.document[name]) for name in ("title", "introduction", "consent")]
        groups = [(f"Group {group['key']}", group["label"]) for group in strata["groups"]]
        return [(name, text) for name, text in [*named, ("Question of the group", strata["wording"]), *groups] if text]


def design_preview(design: Design) -> DesignPreview:
    """Everything of a design that respondents will meet. Raises ValueError where a table is not one of its encoding."""
    document = design.document
    names = dict(settings.LANGUAGES)
    languages = tuple((code, names.get(code, code)) for code in document["languages"])
    questions = tuple(_asked(item, number, languages[0][0]) for number, item in enumerate(document["items"], start=1))
    return DesignPreview(design, languages, questions)


def _asked(item: dict[str, Any], number: int, language: str) -> QuestionPreview:
    facts = [f"at most {item['most']}"] if "most" in item else []
    facts += ["“prefer not to say” offered"] if "prefer_not" in item else []
    facts += ["may be left blank"] if "required" in item else []
    facts += ["choices in random order"] if "shuffle" in item else []
    facts += [f"asked only after some answers to {item['asked_if']['item']}"] if "asked_if" in item else []
    grid = item.get("grid")
    return QuestionPreview(
        number=number,
        kind=str(Item.Kind(item["kind"]).label),
        wording=item["wording"],
        choices=tuple(item["choices"]),
        range="{minimum} to {maximum} in steps of {step}".format_map(grid) if grid else "",
        label=item_label(item, language),
        facts=" · ".join(facts),
    )
