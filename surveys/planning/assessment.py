"""A data-protection impact assessment of a survey, filled from its design and this installation's settings.

It is a draft for who answers for data protection (Article 35 GDPR): what only they know is left to write. Each measure
names the test or the setting that it rests on; tests/surveys/test_assessment.py fails where one of them is gone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import formats
from django.utils.translation import gettext, gettext_lazy

from collector.designs import Design
from estimator.base import wording
from estimator.base.languages import activated
from estimator.base.protection import epsilon_of_design, total_ratio
from estimator.base.typesetting import typeset
from estimator.base.ways_in import way_in
from estimator.reports import retention
from randomized_response import __version__
from surveys.models import Survey

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

TEMPLATE = Path(__file__).parent / "assessment.typ"
LANGUAGES = ("en", "de")


@dataclass(frozen=True)
class Measure:
    """A risk, what is done about it, and the tests or settings that this rests on."""

    risk: "StrOrPromise"
    measure: "StrOrPromise"
    rests_on: tuple[str, ...]


MEASURES = (
    Measure(
        gettext_lazy("Somebody who holds the stored responses learns what a person answered."),
        gettext_lazy(
            "Only randomised answers leave the device. What a response can say about an answer is bounded by its "
            "published table, and measured at the wire of a real browser."
        ),
        ("tests/audit/test_wire.py", "tests/collector/test_parsing.py"),
    ),
    Measure(
        gettext_lazy("Several questions or waves together tell more than one."),
        gettext_lazy("The privacy loss of all is added up exactly, and a survey above the ceiling does not open."),
        ("tests/surveys/test_ceilings.py", "CANDOR_EPSILON_CEILING"),
    ),
    Measure(
        gettext_lazy("The server sends a changed page that reveals answers."),
        gettext_lazy(
            "The page names the hash of everything it runs; what each page must be is in a signed log that others "
            "compare with the pages."
        ),
        ("tests/surveys/test_page_log.py", "tests/browser/respondent/test_page_refusals.py"),
    ),
    Measure(
        gettext_lazy("Addresses, times or the order of responses tell whose they are."),
        gettext_lazy(
            "No address, browser or time of day is stored or logged, and the store forgets in which order responses "
            "came."
        ),
        ("tests/config/test_logs.py", "tests/storage/test_order_attack.py"),
    ),
    Measure(
        gettext_lazy("Openly told background answers identify a person."),
        gettext_lazy(
            "The browser sends only a combination that enough people are expected to share, and groups of fewer than "
            "10 responses are never told of by themselves."
        ),
        ("tests/surveys/test_background_questions.py", "tests/estimator/test_background_groups.py"),
    ),
    Measure(
        gettext_lazy("Somebody of the team reads, changes or exports what they must not."),
        gettext_lazy("Roles in teams, a second factor, an audit log, and no way to a true answer for any role."),
        ("tests/panel/test_access.py", "CANDOR_SECOND_FACTOR"),
    ),
    Measure(
        gettext_lazy("Backups or exported files are stolen."),
        gettext_lazy(
            "They hold randomised responses alone; backups in a store are encrypted, exported files are deleted after "
            "the days that are set."
        ),
        ("tests/storage/test_stored_backups.py", "CANDOR_EXPORTS_KEPT", "CANDOR_MICRODATA_KEPT"),
    ),
)


def assessment(survey: Survey, design: Design, *, today: date, language: str) -> bytes:
    """The assessment as a PDF, in English or German; empty if the fonts lack a letter of the survey's texts."""
    with activated(language, dict.fromkeys(LANGUAGES, "")):
        return typeset(TEMPLATE, contents(survey, design, today=today, language=language))


def record(survey: Survey, design: Design, *, today: date, language: str) -> bytes:
    """The record of processing activities (Article 30 GDPR) of a survey, as `assessment` does."""
    with activated(language, dict.fromkeys(LANGUAGES, "")):
        return typeset(TEMPLATE, record_contents(survey, design, today=today, language=language))


def contents(survey: Survey, design: Design, *, today: date, language: str) -> dict[str, object]:
    """Every text of the assessment, in the language that is activated."""
    return _document(design, language) | {
        "kind": gettext("Data-protection impact assessment"),
        "sections": [
            [gettext("The processing"), [list(row) for row in _processing(survey, design, today)]],
            [gettext("Necessity and proportion"), [list(row) for row in _necessity(design)]],
            [gettext("Rights of respondents"), [list(row) for row in _rights()]],
        ],
        "risks": gettext("Risks and measures"),
    }


def record_contents(survey: Survey, design: Design, *, today: date, language: str) -> dict[str, object]:
    """Every text of the record of processing activities, in the language that is activated."""
    rows = [*_processing(survey, design, today), *_concerned(design)]
    return _document(design, language) | {
        "kind": gettext("Record of processing activities"),
        "sections": [[gettext("The processing"), [list(row) for row in rows]]],
        "risks": gettext("Technical and organisational measures"),
    }


def _document(design: Design, language: str) -> dict[str, object]:
    """What both documents say."""
    return {
        "language": language,
        "survey_language": design.language.split("-")[0],
        "title": design.title[design.language],
        "draft": gettext(
            "A draft, filled from the survey and this installation. What stands in square brackets only those who "
            "answer for data protection can write."
        ),
        "heads": [gettext("Risk"), gettext("What is done"), gettext("Rests on")],
        "measures": [[str(one.risk), str(one.measure), ", ".join(one.rests_on)] for one in MEASURES],
        "digest": design.digest,
        "page": gettext("Page {page} of {pages}"),
    }


def _processing(survey: Survey, design: Design, today: date) -> Iterator[tuple[str, str]]:
    about, own = design.about.texts, design.language
    unknown = f"[{gettext('to be written')}]"
    yield gettext("Day"), formats.date_format(today, "DATE_FORMAT")
    yield gettext("Controller"), about["institution"][own] if "institution" in about else unknown
    yield gettext("Data protection officer"), about["data_protection"][own] if "data_protection" in about else unknown
    yield gettext("Purpose"), design.introduction[own] or unknown
    yield gettext("Legal basis"), f"[{gettext('consent, Article 6 (1) a and 9 (2) a GDPR, or another one')}]"
    yield gettext("Who takes part"), str(way_in(design).protection)
    yield gettext("Asked with a ticket"), "; ".join(item.wording[own] for item in design.items)
    openly = [design.strata_wording[own]] if design.groups else []
    openly += [question.wording[own] for question in design.background.questions]
    yield gettext("Sent openly"), "; ".join(openly) or gettext("nothing")
    stored = gettext("randomised answers, a random number, what is sent openly; no address, no time of day")
    yield gettext("Stored of each response"), stored
    yield gettext("Kept"), retention.in_words(survey.purge_after)
    days = gettext("exported files {files} days, with a row for each response {rows}")
    yield gettext("Files"), days.format(files=settings.CANDOR_EXPORTS_KEPT, rows=settings.CANDOR_MICRODATA_KEPT)
    yield gettext("Software"), f"Candor {__version__}"


def _concerned(design: Design) -> Iterator[tuple[str, str]]:
    """What a record says beyond an assessment: whose data, of which kinds, who gets them, and where."""
    yield gettext("Categories of people"), gettext("respondents; researchers with an account")
    kinds = gettext(
        "of respondents randomised answers, perhaps to questions of special categories (Article 9 GDPR), and what is "
        "sent openly; of researchers name, mail address, actions"
    )
    yield gettext("Categories of data"), kinds
    yield (
        gettext("Recipients"),
        gettext("the members of the survey’s team; everybody, of published estimates")
        + f" [{gettext('the server’s operator')}]",
    )
    yield gettext("Transfers to third countries"), f"[{gettext('none, or to which and on what basis')}]"


def _necessity(design: Design) -> Iterator[tuple[str, str]]:
    total, ratio = epsilon_of_design(design), total_ratio(design)
    yield (
        gettext("Least data"),
        gettext("The true answers are never collected; estimates for groups are made from randomised ones."),
    )
    loss = gettext("epsilon {epsilon} for all questions; odds of a guess change by a factor of at most {odds}")
    yield gettext("Privacy loss"), loss.format(epsilon=wording.epsilon(total), odds=wording.odds(ratio))
    yield gettext("Voluntary"), gettext("Nobody has to answer; leaving the page sends nothing.")


def _rights() -> Iterator[tuple[str, str]]:
    told = gettext("Before the first question: who asks, how answers are protected, what a participant agrees to.")
    yield gettext("Information"), told
    yield (
        gettext("Access, correction, erasure"),
        gettext(
            "A stored response cannot be assigned to a person, so these rights cannot be exercised on it (Article 11 "
            "GDPR). The text of the consent should say so."
        ),
    )
    left = gettext("Until Send at any time, without a trace; afterwards a response cannot be found again.")
    yield gettext("Withdrawal"), left
    yield gettext("Complaint"), f"[{gettext('the supervisory authority')}]"
