"""A design for the opening page: everything that opening freezes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from collector import designs
from collector.designs import Design
from estimator.base import wording
from estimator.base.protection import epsilon_of_design, ratios_of_versions
from estimator.reports.privacy import QuestionPrivacy, item_label
from surveys.definition import ceilings
from surveys.definition.ceilings import Excess
from surveys.definition.privacy_budget import epsilon_of
from surveys.definition.text_warnings import TextWarning, text_warnings
from surveys.labels import translated
from surveys.models import Item
from surveys.planning.arms import versions_asking

ABOUT_NAMES = {
    "sender": gettext_lazy("Sender"),
    "institution": gettext_lazy("Institution"),
    "contact": gettext_lazy("Contact"),
    "data_protection": gettext_lazy("Data protection"),
    "help_line": gettext_lazy("Help line"),
}


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
    versions: tuple[str, ...]
    """The names of the versions of the page that ask it; none where all do."""


@dataclass(frozen=True)
class OpenQuestion:
    """A question whose answer is sent openly; texts by language, each choice with its expected or known share."""

    wording: Mapping[str, str]
    choices: tuple[tuple[Mapping[str, str], str], ...]


@dataclass(frozen=True)
class DesignPreview:
    """The content of a design, in the order in which respondents see it."""

    design: Design
    languages: tuple[tuple[str, str], ...]
    questions: tuple[QuestionPreview, ...]

    @property
    def own(self) -> str:
        """The survey's default language."""
        return self.languages[0][0]

    @property
    def digest(self) -> str:
        return self.design.digest

    @property
    def epsilon_text(self) -> str:
        return wording.epsilon(epsilon_of_design(self.design))

    @property
    def odds_text(self) -> str:
        """The factor by which all responses of a person together can multiply the odds of any answers."""
        return wording.odds(max(ratios_of_versions(self.design)))

    @property
    def spent_text(self) -> str:
        """Epsilon of the most that a respondent may have spent in the survey before; empty if none has."""
        spent = self.design.spent
        return wording.epsilon(epsilon_of(spent)) if spent > 1 else ""

    @cached_property
    def excesses(self) -> list[Excess]:
        """The losses above a ceiling, for which opening requires a reason."""
        return list(ceilings.excesses(self.design))

    @cached_property
    def warnings(self) -> list[TextWarning]:
        """Doubtful words in its texts."""
        return text_warnings(self.design)

    @property
    def versions(self) -> list[tuple[str, str]]:
        """The versions of the page: their names in the default language, and how often each is drawn."""
        arms = self.design.background.arms
        total, names = sum(arm.weight for arm in arms), self.design.background.questions[0].choices if arms else ()
        return [(name[self.own], wording.percent(arm.weight / total)) for name, arm in zip(names, arms, strict=True)]

    @property
    def texts(self) -> list[tuple[str, Mapping[str, str]]]:
        """The survey's texts besides its questions, by language."""
        design = self.design
        named = [
            (gettext("Title"), design.title),
            (gettext("Introduction"), design.introduction),
            (gettext("Consent"), design.consent),
        ]
        named += [
            (gettext("Consent statement {number}").format(number=number), one)
            for number, one in enumerate(design.consent_statements, start=1)
        ]
        if screening := design.screening:
            named.append((gettext("Screening question"), screening.wording))
            for place, choice in enumerate(screening.choices):
                named.append(
                    (
                        gettext("Answer that ends the survey")
                        if place in screening.ends
                        else gettext("Answer that continues"),
                        choice,
                    )
                )
            named.append((gettext("End page of the screening"), screening.text))
        named += [(str(ABOUT_NAMES[name]), text) for name, text in design.about.texts.items()]
        for number, arm in enumerate(design.background.arms, start=1):
            name = design.background.questions[0].choices[number - 1]
            named += [(gettext("Name of version {number}").format(number=number), name)]
            named += [(gettext("Introduction of version {number}").format(number=number), arm.introduction)]
            named += [(gettext("Consent statement of version {number}").format(number=number), arm.consent)]
        return [(name, text) for name, text in named if any(text.values())]

    @property
    def open_questions(self) -> list[OpenQuestion]:
        """What is asked and sent openly: the question of the group, then the background questions."""
        design = self.design
        asked = [_open_question(one.wording, one.choices, one.shares) for one in design.background.asked]
        if not design.groups:
            return asked
        labels, shares = zip(*((group.label, group.share) for group in design.groups), strict=True)
        return [_open_question(design.strata_wording, labels, shares), *asked]

    @property
    def cells_text(self) -> str:
        """Which combinations of background answers are sent; empty without background questions."""
        background = self.design.background
        if not background.asked:
            return ""
        return gettext(
            "The browser sends one of {cells} combinations of answers. Each is made for at least {smallest} of "
            "{expected} expected respondents; rarer answers are put together before anything is sent."
        ).format(
            cells=wording.count(len(background.cells)),
            smallest=wording.count(background.smallest_cell),
            expected=wording.count(background.expected_responses),
        )


def design_preview(design: Design) -> DesignPreview:
    """Everything of a design that respondents see. Raises ValueError if a table does not fit its encoding."""
    names = dict(settings.LANGUAGES)
    languages = tuple((code, names.get(code, code)) for code in design.languages)
    questions = tuple(
        _question(design, item, number, languages[0][0]) for number, item in enumerate(design.items, start=1)
    )
    return DesignPreview(design, languages, questions)


def _open_question(
    asked: Mapping[str, str], choices: Sequence[Mapping[str, str]], shares: Sequence[Fraction | None]
) -> OpenQuestion:
    told = ("" if share is None else wording.percent(float(share)) for share in shares)
    return OpenQuestion(asked, tuple(zip(choices, told, strict=True)))


def _question(design: Design, item: designs.Item, number: int, language: str) -> QuestionPreview:
    facts = [gettext("at most {most}").format(most=item.most)] if item.most is not None else []
    facts += [gettext("“prefer not to say” offered")] if item.prefer_not else []
    facts += [gettext("may be left blank")] if not item.required else []
    facts += [gettext("as a dropdown")] if item.dropdown else []
    facts += [gettext("a row of a grid")] if item.heading else []
    facts += [gettext("control question")] if item.known_share is not None else []
    facts += (
        [gettext("options in random order, except the last") if item.keep_last else gettext("options in random order")]
        if item.shuffle
        else []
    )
    facts += [gettext("a text before it")] if item.before else []
    facts += [gettext("followed by the help line")] if item.key in design.about.items else []
    facts += (
        [gettext("asked only after some answers to {item}").format(item=item.asked_if.item)] if item.asked_if else []
    )
    return QuestionPreview(
        number=number,
        kind=translated(Item.Kind(item.kind).label),
        wording=item.wording,
        choices=item.choices,
        range=str(item.grid or ""),
        label=item_label(item, language),
        facts=" · ".join(facts),
        versions=tuple(versions_asking(design, item, language)),
    )
