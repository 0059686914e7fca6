"""What a draft has and still lacks before it is opened: words for respondents, a simulation, enough responses.

Nothing here keeps a survey from being opened: what does, `lifecycle.selectors.opening_fault` says.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from collector.designs import Design
from collector.designs.selectors import get_design
from estimator.base import wording
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
    texts = (
        ("introduction", "Introduction", any(design.introduction.values()), "what respondents read first"),
        ("consent", "Consent", any(design.consent.values()), "what respondents agree to"),
        ("sender", "Sender", "sender" in about or "institution" in about, "who asks, or for which institution"),
        ("contact", "Contact", "contact" in about, "whom respondents can ask about the survey"),
        ("data_protection", "Data protection", "data_protection" in about, "who is responsible for the data"),
    )
    for name, title, done, what in texts:
        yield Check(name, title, done, "Written." if done else f"Nobody has written yet {what}.", EDIT)
    done = "help_line" in about
    places = len(design.about.items) + len(design.about.sections)
    shown = f"Shown at the end and at {wording.count(places)} marked places." if places else "Shown at the end."
    text = shown if done else "There is none. Where a question can hurt, respondents need one."
    yield Check("help_line", "Help line", done, text, EDIT)


def _simulation(survey: Survey, design: Design) -> Check:
    last = survey.rehearsals.filter(state=Rehearsal.State.DONE).first()
    if last is None:
        text = "Nobody has simulated respondents yet: it shows what the estimates will be worth."
    elif not _same_questions(get_design(last.design_id), design):
        text = f"The last one, number {last.number}, was made before the questions changed."
    else:
        return Check("simulation", "Simulation", True, f"Number {last.number} is of these questions.", REHEARSE)
    return Check("simulation", "Simulation", False, text, REHEARSE)


def _same_questions(one: Design, other: Design) -> bool:
    return (one.items, one.groups) == (other.items, other.groups)


def _precision(survey: Survey, expected: int) -> Check:
    """Whether the expected intervals are of use, question by question, at the planner's expected share."""
    items = selectors.definition_of(survey)["items"]
    prices = price_of(items, expected).questions
    wide = [number for number, item in enumerate(items, start=1) if not prices[item["key"]].of_use]
    number = wording.count(expected)
    if not wide:
        text = f"With {number} responses the interval of every question is expected to be of use."
        return Check("precision", "Precision", True, text, PLAN)
    named = ("question " if len(wide) == 1 else "questions ") + ", ".join(map(str, wide))
    text = f"With {number} responses the intervals are expected to be too wide to be of use for {named}."
    return Check("precision", "Precision", False, text, PLAN)


def _retention(survey: Survey) -> Check:
    days = survey.purge_after
    text = (
        f"Responses are deleted {days} days after closing." if days else "Responses are kept for good, without an end."
    )
    return Check("retention", "Retention", days is not None, text, SHARE)
