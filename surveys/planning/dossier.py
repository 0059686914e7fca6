"""The dossier of a survey for an ethics board: one PDF with everything that opening freezes, what it can tell, and
what is stored of whom.

Its frame is in English, as the panel is; what respondents read stands in it in each of the survey's languages.
"""

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from math import prod
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import formats, translation
from django.utils.translation import gettext as _

from collector.designs import Design, Item
from collector.designs.selectors import get_design
from collector.errors import Conflict, ValidationError
from estimator.base import wording
from estimator.base.typesetting import typeset
from estimator.base.ways_in import way_in
from estimator.reports import retention
from estimator.reports.privacy import STORED, QuestionPrivacy, item_label
from randomized_response import epsilon_total
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import selectors
from surveys.models import Survey
from surveys.planning.checklist import checklist
from surveys.planning.draft_prices import price_of
from surveys.planning.drafts import expectations_of
from surveys.planning.forecast import reports_of_use
from surveys.planning.group_warnings import group_warnings
from surveys.rendering.pages import before_in, logo_in, screening_in, shown_choices

TEMPLATE = Path(__file__).parent / "dossier.typ"
NO_LETTER = "The fonts that come with the platform lack a letter of this survey's texts."
ABOUT_TITLES = {
    "sender": "Sender",
    "institution": "Institution",
    "contact": "Contact",
    "data_protection": "Data protection",
    "help_line": "Help line",
}
LEARNS = (
    ("Researchers", "Totals and estimates with intervals, and the randomised responses.", "Anybody's true answer."),
    (
        "The operator of the site",
        "The randomised responses, without name, address, browser or time of day.",
        "Anybody's true answer, unless the page is changed. The page's SHA-256 is published, so that a change shows.",
    ),
    (
        "A thief of the database, or a court",
        "The same randomised responses.",
        "Anybody's true answer: it was never there.",
    ),
    (
        "An observer of the network",
        "That somebody opened the survey; sizes are the same for all.",
        "What was answered or sent.",
    ),
    ("A reader of the report", "Estimates for whole groups, with their uncertainty.", "What any one person answered."),
    ("The next user of the device", "Perhaps that the survey was open.", "What was answered: it is wiped at Send."),
)


def dossier(survey: Survey, *, expected: int, today: date, by: User | None = None) -> bytes:
    """The PDF for a draft as it would open now, or for the newest version of an opened survey.

    Raises
    ------
    Conflict
        Where the draft cannot be opened yet, or a letter has no glyph.
    """
    design = _design(survey)
    with translation.override("en"):
        made = typeset(TEMPLATE, contents(survey, design, expected=expected, today=today))
    if not made:
        raise Conflict(NO_LETTER)
    record_event(by, "exported the dossier", survey=survey, detail=f"design {design.digest}")
    return made


def _design(survey: Survey) -> Design:
    version = selectors.latest_version(survey)
    if survey.state != Survey.State.DRAFT and version is not None:
        return get_design(version.design_id)
    try:
        return selectors.design_to_open(survey)[0]
    except ValidationError as fault:
        raise Conflict(f"The dossier is of what opening would freeze, and: {selectors.describe_fault(fault)}") from None


def contents(survey: Survey, design: Design, *, expected: int, today: date) -> dict[str, object]:
    """Every text of the dossier; English must be active."""
    labels = [item_label(item, design.language) for item in design.items]
    opened = survey.state != Survey.State.DRAFT
    return {
        "title": design.title[design.language],
        "language": design.language,
        "facts": [
            ["Survey", f"/s/{design.slug}/, version {design.version}, {'opened' if opened else 'a draft'}"],
            ["Day of this dossier", formats.date_format(today, "j F Y")],
            ["Languages", ", ".join(selectors.language_names(design.languages))],
            ["Questions", str(len(design.items))],
            ["Responses expected", wording.count(expected)],
            ["Who can answer", str(way_in(design).protection)],
        ],
        "digest": design.digest,
        "digest_note": "Fingerprint of the design"
        + ("" if opened else "; it changes with every edit, and with a reason that is given at opening"),
        "about": [
            [title, design.about.text(name, design.language)]
            for name, title in ABOUT_TITLES.items()
            if name in design.about.texts
        ],
        "missing": [[one.title, one.text] for one in checklist(survey, design, expected) if not one.done],
        "protection": list(_protection(design, labels)),
        "questions": [_scheme(number, label) for number, label in enumerate(labels, start=1)],
        "precision": list(_precision(survey, expected)),
        "precision_note": _groups_note(survey, design, expected),
        "stored": _stored(survey, design),
        "learns": [list(row) for row in LEARNS],
        "groups": [group.label[design.language] for group in design.groups],
        "pages": [_page(design, code) for code in design.languages],
        "reason": design.reason,
    }


def _protection(design: Design, labels: list[QuestionPrivacy]) -> Iterator[str]:
    total = epsilon_total(label.mechanism for label in labels)
    ratio = prod((Fraction(label.mechanism.ratio) for label in labels), start=Fraction(1))
    yield (
        "Each answer is randomised on the respondent's own device before anything is sent, by a ticket that is drawn "
        "from the table below it. The true answer never leaves the device. Nobody can tell from a response whether the "
        "person or the ticket chose it; over many people the effect of the tickets is known, and is taken out again."
    )
    yield (
        f"All questions together have epsilon {wording.epsilon(total)}: whatever anyone believed before, everything "
        f"that a person sends multiplies the odds between any two of that person's possible sets of answers by at most "
        f"{wording.odds(ratio)}."
    )
    if design.spent > 1:
        yield f"Earlier waves and linked surveys multiply these odds by at most {wording.odds(design.spent)} more."
    if design.groups:
        yield "The group that a person names is sent openly, not randomised."


def _scheme(number: int, label: QuestionPrivacy) -> dict[str, object]:
    """The randomisation of a question, in words and as a table."""
    return {
        "number": number,
        "wording": label.wording,
        "words": " ".join(filter(None, (label.sentence, label.named, label.how))),
        "caption": str(label.tickets.caption),
        "corner": str(label.tickets.corner),
        "columns": [str(name) for name in label.tickets.columns],
        "rows": [[str(name), *(str(text) for text, _own in cells)] for name, cells in label.tickets.rows],
        "remark": str(label.tickets.remark),
    }


def _precision(survey: Survey, expected: int) -> Iterator[list[str]]:
    """For each question the expected half-width, whether it is of use, and the responses with which it is."""
    items = selectors.definition_of(survey)["items"]
    prices = price_of(items, expected).questions
    for (question, wanted), item in zip(expectations_of(survey), items, strict=True):
        price = prices[item["key"]]
        enough = wording.count(reports_of_use(question, wanted)) if question else "–"
        yield [f"± {price.width}" if price.width else "–", "yes" if price.of_use else "no", enough]


def _groups_note(survey: Survey, design: Design, expected: int) -> str:
    found = group_warnings(design.groups, design.language, expectations_of(survey), expected)
    return found.in_words if found else ""


def _stored(survey: Survey, design: Design) -> list[list[str]]:
    return [
        ["Stored of each response", str(STORED)],
        ["Kept", retention.in_words(survey.purge_after)],
        ["Finest time that is kept", "The day, and only of ten responses or more together."],
        ["Cookies and logs", "Respondents' pages set and read no cookie; no log has an address or a browser of them."],
        ["Backups", "Hold what was stored when they were made, for as long as the operator keeps them."],
    ]


def _page(design: Design, language: str) -> dict[str, object]:
    """What respondents read in one language, in its order."""
    about = {name: text[language] for name, text in design.about.texts.items()}
    with translation.override(language):
        own = {
            "promise": _("Your true answer stays on this device. We receive a randomised answer."),
            "consent_title": _("By sending you agree to this"),
            "contact_title": _("Contact"),
            "data_title": _("Data protection"),
            "help_title": _("Help and advice"),
            "closing_title": _("Thank you. Your randomised answer has arrived."),
            "openly": _("Sent openly, not randomised"),
            **_entry(design, language),
        }
    titles = {section.key: section for section in design.sections}
    met, questions = set[str](), []
    for number, item in enumerate(design.items, start=1):
        section = titles.get(item.section or "")
        heads = section is not None and section.key not in met
        met |= {section.key} if section else set()
        last = section is not None and item is [one for one in design.items if one.section == section.key][-1]
        questions.append(
            _question(number, item, language)
            | {
                "section": [section.title[language], section.introduction[language]] if section and heads else [],
                "helped": item.key in design.about.items or (last and item.section in design.about.sections),
            }
        )
    return own | {
        "name": dict(settings.LANGUAGES).get(language, language),
        "language": language.split("-")[0],
        "rtl": language.split("-")[0] in settings.LANGUAGES_BIDI,
        "title": design.title[language],
        "introduction": design.introduction[language],
        "consent": design.consent[language],
        "about": about,
        "closing": _closing(design, language),
        "sender": " · ".join(filter(None, (about.get("sender"), about.get("institution")))),
        "group": [design.strata_wording[language], [group.label[language] for group in design.groups]],
        "questions": questions,
    }


def _entry(design: Design, language: str) -> dict[str, object]:
    """What comes before the first question."""
    return {
        "logo": logo_in(design, language)["logo"],
        "statements_title": _("Do you agree to this?"),
        "statements": [statement[language] for statement in design.consent_statements],
        "screening_title": _("Is this survey for you?"),
        "leading": _("Go on only if your answer is one of these:"),
        "ending": _("If it is one of these, the survey ends here for you:"),
        "screening": screening_in(design.screening, language),
    }


def _closing(design: Design, language: str) -> list[str]:
    """What respondents read and can follow at the end, in one language."""
    ending, completion = design.ending, design.ending.completion
    with translation.override(language):
        code = f"{_('Your completion code:')} {completion.code}" if completion.code else ""
    link = f"{ending.label[language]}: {ending.address}" if ending.address else ""
    return [line for line in (ending.text.get(language, ""), code, completion.address, link) if line]


def _question(number: int, item: Item, language: str) -> dict[str, object]:
    notes = [f"at most {item.most}"] if item.most is not None else []
    notes += ["may be left blank"] if not item.required else []
    notes += ["in random order"] if item.shuffle else []
    notes += [f"asked only after some answers to {item.asked_if.item}"] if item.asked_if else []
    pictured = [one for one in shown_choices(item, language) if one.picture]
    return {
        "number": number,
        "before": before_in(item.before, language),
        "pictures": [f"{one.words}: {one.picture['alternative']}" for one in pictured if one.picture],
        "wording": item.wording[language],
        "choices": [choice[language] for choice in item.choices],
        "box": item.kind == "several_choices",
        "range": str(item.grid or ""),
        "notes": "; ".join(notes),
    }
