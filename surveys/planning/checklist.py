"""What a draft has and still lacks before it is opened: words for respondents, a simulation, enough responses.

Nothing here keeps a survey from being opened: what does, `lifecycle.selectors.opening_fault` says.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from collector.designs import Design
from collector.designs.selectors import get_design
from estimator.base import wording
from estimator.base.verdict import Verdict
from estimator.reports import retention
from surveys.lifecycle import selectors
from surveys.models import Rehearsal, Survey
from surveys.planning.draft_prices import price_of

EDIT, PLAN, REHEARSE, SHARE = "edit", "survey-plan", "rehearse", "share"


@dataclass(frozen=True)
class Check:
    """One line of the list; `page` is the panel's page where it is put right."""

    name: str
    title: str
    done: bool
    text: str
    page: str


def checklist(survey: Survey, design: Design, expected: int) -> list[Check]:
    """The list for a draft with this design and so many expected responses; empty for a rehearsal."""
    if design.rehearsal:
        return []
    return [*_words(design), _simulation(survey, design), _precision(survey, expected), _retention(survey)]


def missing_from(checks: list[Check]) -> list[str]:
    """The sentences of what is missing, for programs and commands."""
    return [f"{one.title}: {one.text}" for one in checks if not one.done]


def _words(design: Design) -> Iterator[Check]:
    about = design.about.texts
    asks = "sender" in about or "institution" in about
    texts = (
        ("introduction", _("Introduction"), any(design.introduction.values()), _("what respondents read first")),
        ("consent", _("Consent"), any(design.consent.values()), _("what respondents agree to")),
        ("sender", _("Sender"), asks, _("who asks, or for which institution")),
        ("contact", _("Contact"), "contact" in about, _("whom respondents can ask about the survey")),
        ("data_protection", _("Data protection"), "data_protection" in about, _("who is responsible for the data")),
    )
    for name, title, done, what in texts:
        lacks = _("Nobody has written yet %(what)s.") % {"what": what}
        yield Check(name, title, done, _("Written.") if done else lacks, EDIT)
    yield Check("help_line", _("Help line"), "help_line" in about, _help_line(design), EDIT)


def _help_line(design: Design) -> str:
    if "help_line" not in design.about.texts:
        return _("There is none. Where a question can hurt, respondents need one.")
    places = len(design.about.items) + len(design.about.sections)
    text = ngettext(
        "Shown at the end and at %(count)s marked place.", "Shown at the end and at %(count)s marked places.", places
    )
    return text % {"count": wording.count(places)} if places else _("Shown at the end.")


def _simulation(survey: Survey, design: Design) -> Check:
    last = survey.rehearsals.filter(state=Rehearsal.State.DONE).first()
    done = False
    if last is None:
        text = _("Nobody has simulated respondents yet: it shows what the estimates will be worth.")
    elif not _same_questions(get_design(last.design_id), design):
        text = _("The last one, number %(number)s, was made before the questions changed.") % {"number": last.number}
    else:
        done, text = True, _("Number %(number)s is of these questions.") % {"number": last.number}
    return Check("simulation", _("Simulation"), done, text, REHEARSE)


def _same_questions(one: Design, other: Design) -> bool:
    return (one.items, one.groups, one.background) == (other.items, other.groups, other.background)


def _precision(survey: Survey, expected: int) -> Check:
    """Whether estimates are expected to be precise enough to report, at the planner's expected share."""
    items = selectors.definition_of(survey)["items"]
    prices = price_of(items, expected).questions
    imprecise = [
        number
        for number, item in enumerate(items, start=1)
        if prices[item["key"]].verdict in (None, Verdict.TOO_IMPRECISE)
    ]
    values = {"number": wording.count(expected), "questions": ", ".join(map(str, imprecise))}
    text = _("With %(number)s responses every estimate is expected to be precise enough to report.")
    if len(imprecise) == 1:
        text = _(
            "With %(number)s responses the estimate of question %(questions)s is expected to be too imprecise to "
            "report."
        )
    elif imprecise:
        text = _(
            "With %(number)s responses the estimates of questions %(questions)s are expected to be too imprecise to "
            "report."
        )
    return Check("precision", _("Precision"), not imprecise, text % values, PLAN)


def _retention(survey: Survey) -> Check:
    days = survey.purge_after
    return Check("retention", _("Retention"), days is not None, retention.in_words(days), SHARE)
