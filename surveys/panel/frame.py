"""The frame of every page about one survey: its name, its facts, and its steps, each with a page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, pgettext

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.errors import ValidationError
from collector.reports import selectors as reports
from collector.reports.steps import STEP
from estimator.base import wording
from estimator.base.protection import epsilon_of_design
from estimator.models import Run
from estimator.runs import selectors as estimates
from surveys.accounts.access import Role, role_in
from surveys.definition.definitions import total_epsilon
from surveys.lifecycle import selectors
from surveys.lifecycle.waves import waves_of
from surveys.models import Survey, Version
from surveys.opening import schedules
from surveys.panel.forms.missing import missing_texts

DRAFT, OPEN = Survey.State.DRAFT, Survey.State.OPEN


@dataclass(frozen=True)
class Step:
    """A step on the way from an idea to a report: a link, and its status (done, now or later)."""

    name: str
    title: str
    address: str
    status: str
    sentence: str


@dataclass(frozen=True)
class Action:
    """The primary action of a survey, in the header of its pages: a link."""

    label: str
    address: str


@dataclass(frozen=True)
class SurveyStatus:
    """The data for the steps, read once for a page."""

    survey: Survey
    version: Version | None
    design: Design | None
    """What opening the draft would freeze now; None where it cannot be opened, as `missing` says, or is no draft."""
    missing: str
    done: Run | None


def survey_page(
    request: HttpRequest,
    template: str,
    survey: Survey,
    *,
    step: str,
    status: int = 200,
    known: SurveyStatus | None = None,
    context: Mapping[str, object] | None = None,
    **more: object,
) -> HttpResponse:
    """A page about one survey, within its frame; `step` names the step that it belongs to, or is empty.

    `known` is where the survey stands, where the page has read it for itself; `context` and `more` are what it shows.
    """
    standing, role = known or status_of(survey), role_in(request.user, survey)
    around = {**admin.site.each_context(request), **frame(standing), "current": step, "title": str(survey)}
    around |= {"position": position(standing, step), **may(role)}
    action = primary_action(standing, role)
    around["action"] = action if action and action.address != request.path else None
    return render(request, template, {**around, **(context or {}), **more}, status=status)


def may(role: Role | None) -> dict[str, object]:
    """The permissions by which templates offer actions; the views check again."""
    held = role or 0
    return {
        "role": role,
        "may_analyse": held >= Role.ANALYST,
        "may_edit": held >= Role.EDITOR,
        "may_own": held >= Role.OWNER,
    }


def frame(standing: SurveyStatus) -> dict[str, object]:
    """The context for `panel/frame.html`, which pages within it may use too."""
    survey, version = standing.survey, standing.version
    coin_reports = reports.coin_report_count(version.design_id) if version else 0
    counted = reports.report_counts([version.design_id])[version.design_id] if version else reports.ReportCounts(0, 0)
    return {
        "survey": survey,
        "version": version,
        "opening": waves_of(survey)[-1].name if version else "",
        "missing": standing.missing,
        "lacking": missing_texts(selectors.definition_of(survey), standing.missing) if standing.missing else [],
        "done": standing.done,
        "count": wording.reports(counted),
        "nothing_came": survey.state != OPEN and not counted.stored and not counted.stepwise,
        "step_of": STEP if counted.stepwise else None,
        "coin_count": wording.count(coin_reports) if coin_reports else "",
        "epsilon": epsilon_of(survey, version),
        "steps": list(steps(standing)),
        "sentence": (_written(standing) if survey.state == DRAFT else _opened(standing))[1],
    }


def status_of(survey: Survey) -> SurveyStatus:
    version, design, missing = selectors.latest_version(survey), None, ""
    if survey.state == DRAFT:
        try:
            design, _ = selectors.design_to_open(survey)
        except ValidationError as fault:
            missing = selectors.describe_fault(fault)
    return SurveyStatus(survey, version, design, missing, estimates.last_done(version.design_id) if version else None)


def steps(standing: SurveyStatus) -> Iterator[Step]:
    """The steps in their order."""
    survey, missing = standing.survey, standing.missing
    here, plan = (reverse(name, args=[survey.slug]) for name in ("panel:survey", "panel:survey-plan"))
    yield Step("write", pgettext("step", "Write"), here, *_written(standing))
    ready = survey.state == DRAFT and not missing
    planned = "now" if ready else "later" if survey.state == DRAFT else "done"
    yield Step("plan", pgettext("step", "Plan"), plan, planned, gettext("How many respondents the protection costs."))
    yield Step(
        "rehearse", pgettext("step", "Rehearse"), reverse("panel:rehearse", args=[survey.slug]), *_rehearsed(standing)
    )
    opening, share = (reverse(name, args=[survey.slug]) for name in ("panel:opening", "panel:share"))
    yield Step(
        "open", pgettext("step", "Open"), share if selectors.takes_answers(survey) else opening, *_opened(standing)
    )
    yield Step(
        "watch", pgettext("step", "Watch"), reverse("panel:survey-watch", args=[survey.slug]), *_watched(standing)
    )
    analyse, analysed = reverse("panel:survey-analyse", args=[survey.slug]), "now" if standing.version else "later"
    yield Step("analyse", pgettext("step", "Analyse"), analyse, analysed, gettext("Compare groups and versions."))
    yield Step("report", pgettext("step", "Report"), here, *_reported(standing))


STEPS = ("write", "plan", "rehearse", "open", "watch", "analyse", "report")


def position(standing: SurveyStatus, step: str) -> int:
    """The number of a page's step, counted from 1; on pages of no step that of the step the survey has reached."""
    if step not in STEPS:
        state = standing.survey.state
        step = ("write" if standing.missing else "open") if state == DRAFT else "watch" if state == OPEN else "report"
    return STEPS.index(step) + 1


def primary_action(standing: SurveyStatus, role: Role | None) -> Action | None:
    """What is usually done next with a survey in this state, or None."""
    survey = standing.survey
    if survey.state == DRAFT:
        if (role or 0) < Role.EDITOR:
            return _action(gettext("Preview"), "preview", survey)
        return (
            _action(gettext("Edit the draft"), "edit", survey)
            if standing.missing
            else _action(gettext("Review and open …"), "opening", survey)
        )
    if survey.state == OPEN:
        return (
            _action(gettext("Watch"), "survey-watch", survey)
            if survey.rehearsal
            else _action(gettext("Share"), "share", survey)
        )
    return (
        Action(gettext("Read the report"), reverse("panel:report", args=[standing.done.key])) if standing.done else None
    )


def _action(label: str, page: str, survey: Survey) -> Action:
    return Action(label, reverse(f"panel:{page}", args=[survey.slug]))


def _written(standing: SurveyStatus) -> tuple[str, str]:
    if standing.survey.state != DRAFT:
        return "done", gettext("The design is frozen.")
    return (
        ("now", gettext("Not ready yet; see what is missing."))
        if standing.missing
        else ("done", gettext("Ready to open."))
    )


def _rehearsed(standing: SurveyStatus) -> tuple[str, str]:
    done = standing.survey.rehearsals.count()
    if done:
        return "done", gettext("Rehearsed once.") if done == 1 else gettext("Rehearsed {done} times.").format(done=done)
    ready = standing.survey.state == DRAFT and not standing.missing
    return "now" if ready else "later", gettext("Try it with simulated respondents.")


def _opened(standing: SurveyStatus) -> tuple[str, str]:
    survey = standing.survey
    if survey.state == DRAFT:
        opens = any(one.move == "open" for one in schedules.waiting(survey))
        sentence = gettext("Opens automatically.") if opens else gettext("Not open yet.")
        return ("later" if standing.missing else "now"), sentence
    if survey.state == OPEN:
        return "now", gettext("Respondents can answer.")
    opens = any(one.move == "wave" for one in schedules.waiting(survey))
    return (
        ("done", gettext("Opens again automatically."))
        if opens
        else ("done", gettext("No more responses are accepted."))
    )


def _watched(standing: SurveyStatus) -> tuple[str, str]:
    if standing.survey.state == OPEN:
        return "now", gettext("Estimates are updated automatically.")
    if standing.version is None:
        return "later", gettext("Shows estimates once the survey is open.")
    return "done", gettext("The final estimates.")


def _reported(standing: SurveyStatus) -> tuple[str, str]:
    status = "later" if standing.survey.state in (DRAFT, OPEN) else "now"
    if standing.done is None:
        return status, gettext("There are no estimates yet.")
    return (
        ("done", gettext("Public for anyone with the link."))
        if standing.done.published
        else (status, gettext("Visible to your team only."))
    )


def epsilon_of(survey: Survey, version: Version | None) -> str:
    """Total epsilon, of a draft as it is written now; a dash if an item's mechanism is incomplete."""
    if version is not None and survey.state != DRAFT:
        return wording.epsilon(frozen_epsilon(version.design_id))
    try:
        # Of what is at hand already: a list of surveys asks the database for nothing more.
        items = [selectors.item_of(item) for item in survey.items.all()]
        draft: Any = {"items": items, "background_questions": survey.background_questions}
        return wording.epsilon(total_epsilon(draft))
    except (ValueError, TypeError, KeyError):
        return "–"


@lru_cache(maxsize=4096)
def frozen_epsilon(digest: str) -> float:
    """Epsilon of a frozen design, which never changes."""
    return epsilon_of_design(get_design(digest))
