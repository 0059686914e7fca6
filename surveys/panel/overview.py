"""The content of a survey's page: the next steps, and the results."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext

from collector import designs
from collector.designs.selectors import get_design
from estimator.base import wording
from estimator.models import Run
from estimator.reports import report
from estimator.reports.privacy import QuestionPrivacy, item_label
from estimator.runs import selectors as estimates
from surveys.definition.mechanisms import mechanism_of
from surveys.definition.questions import frozen_item
from surveys.lifecycle import links, selectors, transitions
from surveys.lifecycle.waves import waves_of
from surveys.maintenance import reopening
from surveys.models import Item, Survey, Version
from surveys.opening import schedules
from surveys.panel.closing import closing_facts, pending_closing
from surveys.panel.forms.item_summary import facts_of

NEWEST_RUNS = 10
NEWEST_ITEMS = 3
"""Number of questions with results on the survey's page; the page of its progress has all of them."""


@dataclass(frozen=True)
class QuestionRow:
    """An item of a draft; `fault` is why its mechanism cannot be used."""

    item: Item
    wording: str
    label: QuestionPrivacy | None
    fault: str

    @property
    def facts(self) -> str:
        """The kind of the question and its options, in a line."""
        return facts_of(self.item)


@dataclass(frozen=True)
class VersionRow:
    """One opening of the survey."""

    version: Version
    name: str
    reports: str
    last_done: Run | None
    page_digests: dict[str, str]


def overview(survey: Survey) -> dict[str, object]:
    """The context of a survey's page within its frame."""
    version = selectors.latest_version(survey)
    pending = estimates.last_run(version.design_id) if version else None
    done = estimates.last_done(version.design_id) if version else None
    context: dict[str, object] = {
        "moves": next_moves(survey),
        "closing": pending_closing(survey),
        "waiting": schedules.waiting(survey),
        "trouble": schedules.schedule_fault(survey),
        "reopening": reopening.RISK if reopening.may_be_reopened(survey) else "",
        "questions": list(questions(survey)),
        "asked_openly": list(open_questions(survey)),
        "pending": pending if pending and pending.state in (Run.State.QUEUED, Run.State.RUNNING) else None,
        "failed": pending if pending and pending.state == Run.State.FAILED else None,
        "public_link": links.report_link(done) if done and done.published else "",
        "versions": list(_version_lines(survey)),
    }
    if done is None:
        return context
    newest = report.context(done, selectors.report_context(done), most=NEWEST_ITEMS)
    items = len(get_design(done.design_id).items)
    return context | newest | {"more_items": max(0, items - NEWEST_ITEMS)}


def next_moves(survey: Survey) -> list[dict[str, object]]:
    """The transitions with a button here, each with what it still lacks; opening has separate pages."""
    found = transitions.moves_from(survey.state)
    version = selectors.latest_version(survey)
    return [
        {
            "name": name,
            **vars(move),
            "missing": move.missing(survey),
            "facts": list(closing_facts(survey, version)) if name == "close" and version else [],
        }
        for name, move in found.items()
        if name not in schedules.OPENING
    ]


def questions(survey: Survey) -> Iterator[QuestionRow]:
    """The survey's items with their protection, as currently written."""
    return (question_of(item) for item in survey.items.all())


def open_questions(survey: Survey) -> Iterator[dict[str, object]]:
    """The questions that are asked and sent openly, as currently written: that of the group, and background questions.

    What a version of the page is called is no question.
    """
    language = survey.language
    if groups := survey.groups.all():
        asked = survey.strata_wording.get(language) or gettext("Question of the group")
        yield {"wording": asked, "choices": [group.label.get(language) or group.key for group in groups]}
    for question in (survey.background_questions or {}).get("questions", []):
        if "arms" not in question:
            choices = [choice.get(language, "") for choice in question["choices"]]
            yield {"wording": question["wording"].get(language) or question["key"], "choices": choices}


def question_of(item: Item) -> QuestionRow:
    """An item in its survey's default language, with its protection or the error of its mechanism."""
    language, written = item.survey.language, selectors.item_of(item)
    text = str(item.wording.get(language, ""))
    try:
        mechanism_of(written)  # says what is wrong in words about the mechanism alone
        return QuestionRow(item, text, item_label(designs.Item.of(frozen_item(written, (item.key,))), language), "")
    except KeyError as missing:
        return QuestionRow(
            item, text, None, gettext("The randomisation method needs {args}.").format(args=missing.args[0])
        )
    except (ValueError, TypeError) as error:
        return QuestionRow(item, text, None, str(error))


def runs_of(survey: Survey) -> list[tuple[Version, Run, str]]:
    """The newest runs of every version, the newest first, each with its number of responses in words."""
    versions = {version.design_id: version for version in survey.versions.all()}
    newest = Run.objects.filter(design__in=versions).defer("tallies")[:NEWEST_RUNS]
    counts = ("–" if run.reports is None else wording.count(run.reports) for run in newest)
    return [(versions[run.design_id], run, count) for run, count in zip(newest, counts, strict=True)]


def _version_lines(survey: Survey) -> Iterator[VersionRow]:
    """Every version with its counts, in a constant number of queries."""
    waves = waves_of(survey)[::-1]
    done = estimates.last_done_of([one.version.design_id for one in waves])
    pages = selectors.page_digests([one.version for one in waves])
    for one in waves:
        of, digests = one.version, pages.get(one.version.pk, {})
        yield VersionRow(of, one.name, wording.reports(one.counted), done.get(of.design_id), digests)
