"""The dossier of a survey for an ethics board: one PDF with everything that opening freezes, what it can tell, and
what is stored of whom, in one of the languages of the respondents' pages.

Its last part are these pages themselves, drawn as a phone shows them, in each of the survey's languages.
"""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from fractions import Fraction
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.utils import formats
from django.utils.translation import get_language_bidi, gettext_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext as panel_text
from django.utils.translation import gettext_lazy as panel_text_lazy

from collector.designs import Design, Item
from collector.designs.selectors import get_design
from collector.errors import Conflict, ValidationError
from estimator.base import wording
from estimator.base.languages import activated
from estimator.base.protection import epsilon_of_design, ratios_of_versions
from estimator.base.typesetting import typeset
from estimator.base.verdict import LABELS
from estimator.base.ways_in import way_in
from estimator.reports import retention
from estimator.reports.privacy import STORED, QuestionPrivacy, item_label
from estimator.reports.reading import precision_rule
from surveys.accounts.audit_log import record_event
from surveys.definition.appearance import colours_of
from surveys.lifecycle import selectors
from surveys.lifecycle.pictures import contents_of
from surveys.models import Survey
from surveys.planning.arms import arms_in_words, own_consents
from surveys.planning.checklist import checklist
from surveys.planning.draft_prices import price_of
from surveys.planning.drafts import expectations_of
from surveys.planning.forecast import enough_responses
from surveys.planning.group_warnings import group_warnings
from surveys.planning.question import PlannedQuestion
from surveys.planning.wording import amount
from surveys.rendering.own_coin.page import has_page
from surveys.rendering.own_coin.questions import CoinQuestion, tosses
from surveys.rendering.page_pictures import Screen, screens

TEMPLATE = Path(__file__).parent / "dossier.typ"
LANGUAGES = dict(settings.LANGUAGES)
"""What it can come in, by native name."""

NO_LETTER = panel_text_lazy("The built-in fonts lack a letter of this survey's texts.")
ABOUT_TITLES = {
    "sender": gettext_lazy("Sender"),
    "institution": gettext_lazy("Institution"),
    "contact": gettext_lazy("Contact"),
    "data_protection": gettext_lazy("Data protection"),
    "help_line": gettext_lazy("Help line"),
}
NEVER = gettext_lazy("Anybody’s true answer.")
LEARNS = (
    (
        gettext_lazy("Researchers"),
        gettext_lazy("Totals and estimates with intervals, and the randomised responses."),
        NEVER,
    ),
    (
        gettext_lazy("The operator of the site"),
        gettext_lazy("The randomised responses, without name, address, browser or time of day."),
        gettext_lazy(
            "Anybody’s true answer, unless the page is changed. The page’s SHA-256 is published, so that a change "
            "shows."
        ),
    ),
    (
        gettext_lazy("A thief of the database, or a court"),
        gettext_lazy("The same randomised responses."),
        gettext_lazy("Anybody’s true answer: it was never there."),
    ),
    (
        gettext_lazy("An observer of the network"),
        gettext_lazy("That somebody opened the survey; sizes are the same for all."),
        gettext_lazy("What was answered or sent."),
    ),
    (
        gettext_lazy("A reader of the report"),
        gettext_lazy("Estimates for whole groups, with their uncertainty."),
        gettext_lazy("What any one person answered."),
    ),
    (
        gettext_lazy("The next user of the device"),
        gettext_lazy("Perhaps that the survey was open."),
        gettext_lazy("What was answered: it is wiped at Send."),
    ),
)
STAGES = {
    "consent": gettext_lazy("Before the first question: consent"),
    "declined": gettext_lazy("Where somebody does not agree"),
    "screening": gettext_lazy("Screening question"),
    "screened": gettext_lazy("Where the survey is not for somebody"),
    "questions": gettext_lazy("The questions"),
    "review": gettext_lazy("Before sending: all answers, and what is sent"),
    "sent": gettext_lazy("At the end, after sending"),
}


def dossier(
    survey: Survey,
    *,
    expected: int,
    today: date,
    language: str = "",
    by: User | None = None,
    design: Design | None = None,
) -> bytes:
    """The PDF for a draft as it would open now, or for the newest version of an opened survey.

    `language` is one of LANGUAGES; with another one, or none, it comes in the survey's main language. `design` is its
    described_design, where the caller has it already.

    Raises
    ------
    Conflict
        Where the draft cannot be opened yet, the page's files are not there, or a letter has no glyph.
    """
    design = design or described_design(survey)
    spoken = language if language in LANGUAGES else design.language
    try:
        with activated(spoken, LANGUAGES) as own:
            made = typeset(TEMPLATE, contents(survey, design, expected=expected, today=today, language=own))
    except ImproperlyConfigured as missing:
        raise Conflict(str(missing)) from None
    if not made:
        raise Conflict(NO_LETTER)
    record_event(by, "exported the dossier", survey=survey, detail=f"design {design.digest}")
    return made


def described_design(survey: Survey) -> Design:
    """The design that the dossier is of. Raises Conflict where the draft cannot be opened yet."""
    version = selectors.latest_version(survey)
    if survey.state != Survey.State.DRAFT and version is not None:
        return get_design(version.design_id)
    try:
        return selectors.design_to_open(survey)[0]
    except ValidationError as fault:
        raise Conflict(
            panel_text("The dossier describes what opening would freeze, and: {fault}").format(
                fault=selectors.describe_fault(fault)
            )
        ) from None


def contents(survey: Survey, design: Design, *, expected: int, today: date, language: str) -> dict[str, object]:
    """Every text of the dossier, in the language that is activated."""
    labels = [item_label(item, design.language) for item in design.items]
    return {
        "title": design.title[design.language],
        "language": language,
        "rtl": _is_rtl(language),
        "survey_language": design.language.split("-")[0],
        "survey_rtl": _is_rtl(design.language),
        "words": _words(),
        "facts": _facts(survey, design, expected, today),
        "digest": design.digest,
        "digest_note": _("Fingerprint of the design")
        if survey.state != Survey.State.DRAFT
        else _("Fingerprint of the design; it changes with every edit, and with a reason that is given at opening"),
        "about": [
            [str(title), design.about.text(name, design.language)]
            for name, title in ABOUT_TITLES.items()
            if name in design.about.texts
        ],
        "missing": [[one.title, one.text] for one in checklist(survey, design, expected) if not one.done],
        "protection": list(_protection(design, labels)),
        "questions": [_scheme(number, label, design) for number, label in enumerate(labels, start=1)],
        "precision": list(_precision(survey, expected)),
        "precision_note": _groups_note(survey, design, expected),
        "stored": _stored(survey),
        "learns": [[str(text) for text in row] for row in LEARNS],
        "pages": [_page(design, code, place) for code in design.languages for place in range(len(design.versions))],
        "pictures": _pictures(survey, design),
        "reason": design.reason,
    }


def _pictures(survey: Survey, design: Design) -> dict[str, list[int]]:
    """The pictures beside questions by name; typst reads bytes as a list of numbers."""
    contents = contents_of(survey, design)
    return {picture.name: list(contents[picture.digest]) for picture in design.pictures}


def _is_rtl(language: str) -> bool:
    return language.split("-")[0] in settings.LANGUAGES_BIDI


def _facts(survey: Survey, design: Design, expected: int, today: date) -> list[list[str]]:
    state = _("opened") if survey.state != Survey.State.DRAFT else _("a draft")
    address = f"/s/{design.slug}/"
    if get_language_bidi():
        address = f"\u2066{address}\u2069"  # from left to right, within words from right to left
    values = {"address": address, "version": design.version, "state": state}
    return [
        [_("Survey"), _("%(address)s, version %(version)s, %(state)s") % values],
        # Translators: a format of a date as in Django's templates, such as 25 November 2026.
        [_("Day of this dossier"), formats.date_format(today, _("j F Y"))],
        [_("Languages"), ", ".join(selectors.language_names(design.languages))],
        [_("Questions"), wording.count(len(design.items))],
        [_("Responses expected"), wording.count(expected)],
        [_("Who can answer"), str(way_in(design).protection)],
    ]


def _words() -> dict[str, object]:
    """The headings and sentences that are the same of every survey."""
    return {
        "kind": _("Dossier of a survey"),
        "page": _("Page %(page)s of %(pages)s"),
        "about": _("Who asks"),
        "nobody": _("Nobody has said yet who asks."),
        "missing": _("What is still missing"),
        "complete": _("Nothing of the platform’s checklist is missing."),
        "protection": _("How answers are protected"),
        "reason": _("It was opened above a ceiling of epsilon. The reason that was given:"),
        "learns": _("Who can learn what"),
        "learns_heads": [_("Who"), _("Can learn:"), _("Cannot know for sure:")],
        "took_part": _("All of them may still learn that somebody took part."),
        "stored": _("What is stored, and for how long"),
        "precision": _("Expected precision"),
        "precision_heads": [_("Question"), _("Half-width"), _("Precision"), _("Responses needed")],
        "precision_how": f"{_precision_how()} {precision_rule()}",
        "scheme": _("The randomisation of each question"),
        "pages": _("What respondents see"),
        "pages_how": _(
            "The page on a phone, drawn from the very page that respondents get: its words, its controls and its "
            "colours on a light screen. Parts that unfold when they are pressed are drawn open, but for the practice "
            "question and the technical checks. “…” stands for what only an answer brings. What stands in a dotted "
            "frame above a question is a note for you, and not on the page."
        ),
    }


def _protection(design: Design, labels: list[QuestionPrivacy]) -> Iterator[str]:
    ratios = ratios_of_versions(design)
    yield _(
        "Each answer is randomised on the respondent’s own device before anything is sent, by a ticket that is drawn "
        "from the table below it. The true answer never leaves the device. Nobody can be sure from a response whether "
        "the person or the ticket chose it; over many people the effect of the tickets is known, and is taken out "
        "again."
    )
    text = _(
        "All questions together have epsilon %(epsilon)s: whatever anyone believed before, everything that a person "
        "sends multiplies the odds between any two of that person’s possible sets of answers by at most %(odds)s."
    )
    yield text % {"epsilon": wording.epsilon(epsilon_of_design(design)), "odds": wording.odds(max(ratios))}
    if design.spent > 1:
        text = _("Earlier waves and linked surveys multiply these odds by at most %(odds)s more.")
        yield text % {"odds": wording.odds(design.spent)}
    if design.groups:
        yield _("The group that a person names is sent openly, not randomised.")
    if arms := design.background.arms:
        yield arms_in_words(design, arms)
        yield from own_consents(design, arms)
    if design.background.asked:
        background = design.background
        text = _(
            "Background questions are sent openly, not randomised: %(questions)s. The browser sends one of %(cells)s "
            "combinations of answers, made for at least %(smallest)s of %(expected)s expected respondents each; rarer "
            "ones are put together."
        )
        yield text % {
            "questions": " ".join(question.wording[design.language] for question in background.asked),
            "cells": wording.count(len(background.cells)),
            "smallest": wording.count(background.smallest_cell),
            "expected": wording.count(background.expected_responses),
        }


def _scheme(number: int, label: QuestionPrivacy, design: Design) -> dict[str, object]:
    """The randomisation of a question, in words and as a table."""
    tossed = tosses(design, design.language).get(design.items[number - 1].key)
    coin = "" if tossed is None else _by_coin(tossed)
    return {
        "number": number,
        "wording": label.wording,
        "words": " ".join(filter(None, (label.sentence, label.named, label.how, coin))),
        "caption": str(label.tickets.caption),
        "corner": str(label.tickets.corner),
        "columns": [str(name) for name in label.tickets.columns],
        "rows": [[str(name), *(str(text) for text, _own in cells)] for name, cells in label.tickets.rows],
        "remark": str(label.tickets.remark),
    }


def _by_coin(question: CoinQuestion) -> str:
    """What the versions of the page with a coin ask of respondents."""
    rules = " ".join(f"{rule.shown}: {rule.action}" for rule in question.rules)
    text = _("Versions with a coin of one’s own say: “%(toss)s %(rules)s”")
    return text % {"toss": question.toss, "rules": rules}


def _precision_how() -> str:
    return _(
        "For the number of responses above, at the planner’s expected shares, with 95 % intervals that cover sampling, "
        "too; the main intervals of the report are no wider."
    )


def _precision(survey: Survey, expected: int) -> Iterator[list[str]]:
    """For each question the expected half-width, the verdict on it, and the responses that it takes to report one."""
    items = selectors.definition_of(survey)["items"]
    prices = price_of(items, expected).questions
    for (question, wanted), item in zip(expectations_of(survey), items, strict=True):
        price = prices[item["key"]]
        enough = wording.count(enough_responses(question, wanted)) if question else "–"
        half = f"± {_amount(question, price.half)}" if question and price.half is not None else "–"
        yield [half, str(LABELS[price.verdict]) if price.verdict else "–", enough]


def _amount(question: PlannedQuestion, half: float) -> str:
    """Half of an interval: in percentage points, or in the unit of the answers."""
    text = _("%(number)s percentage points")
    if question.values:
        text = _("%(number)s scale points") if question.kind == "scale" else _("%(number)s units")
    return text % {"number": amount(question, half, bare=True)}


def _groups_note(survey: Survey, design: Design, expected: int) -> str:
    found = group_warnings(design.groups, design.language, expectations_of(survey), expected)
    return found.in_words if found else ""


def _stored(survey: Survey) -> list[list[str]]:
    logs = _("Respondents’ pages set and read no cookie; no log has an address or a browser of them.")
    backups = _("Hold what was stored when they were made, for as long as the operator keeps them.")
    return [
        [_("Stored of each response"), str(STORED)],
        [_("Kept"), retention.in_words(survey.purge_after)],
        [_("Finest time that is kept"), _("The day, and only of ten responses or more together.")],
        [_("Cookies and logs"), logs],
        [_("Backups"), backups],
    ]


def _page(design: Design, language: str, version: int) -> dict[str, object]:
    """A version of the page in one of the survey's languages, screen by screen, with notes for the board."""
    notes = {
        place + 1: note for place in design.versions[version] if (note := _note(design, design.items[place], language))
    }
    shown = screens(design, language, with_coin=has_page(design), notes=notes, version=version)
    name = LANGUAGES.get(language, language)
    if design.background.arms:
        name = f"{name} · {design.background.questions[0].choices[version][language]}"
    return {
        "name": name,
        "language": language.split("-")[0],
        "rtl": _is_rtl(language),
        "colours": colours_of(design.look),
        "font": design.look.font,
        "screens": [asdict(screen) | {"caption": _caption(screen)} for screen in shown],
    }


def _caption(screen: Screen) -> str:
    caption = str(STAGES[screen.stage])
    if screen.stage != "questions" or screen.sections == 1:
        return caption
    section = _("%(caption)s: section %(section)s of %(sections)s")
    return section % {"caption": caption, "section": screen.place + 1, "sections": screen.sections}


def _note(design: Design, item: Item, language: str) -> str:
    """What a picture cannot show of a question: when it is asked, and that its choices change places."""
    told = []
    if item.asked_if:
        number, before = next((n, one) for n, one in enumerate(design.items, start=1) if one.key == item.asked_if.item)
        either = [_("“%(answer)s”") % {"answer": before.choices[place][language]} for place in item.asked_if.answers]
        asked = _("Shown only after one of these answers to question %(number)s: %(answers)s.")
        told.append(asked % {"number": number, "answers": ", ".join(either)})
    if item.known_share is not None:
        text = _("A control question: %(share)s of the people asked truly say Yes.")
        told.append(text % {"share": wording.percent(float(Fraction(item.known_share)))})
    if item.keep_last:
        told.append(_("The choices stand in a random order, except the last."))
    elif item.shuffle:
        told.append(_("The choices stand in a random order."))
    return " ".join(told)
