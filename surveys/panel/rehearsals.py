"""The rehearsals of a survey: requesting one, its progress, its findings, and the earlier ones."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.designs.selectors import get_design
from collector.errors import Conflict, ValidationError
from estimator.base import charts, wording
from estimator.reports import report
from estimator.runs.groups import label_of_key
from surveys.accounts.access import Role, get_rehearsal_or_404, get_survey_or_404
from surveys.lifecycle.selectors import report_context
from surveys.models import Rehearsal, Survey
from surveys.panel.frame import survey_page
from surveys.panel.transitions import transition
from surveys.panel.views import signed_in
from surveys.planning.rehearsals import outcome_charts, services
from surveys.planning.rehearsals.findings import Block, findings
from surveys.planning.rehearsals.form import RehearsalForm, expected_of
from surveys.planning.rehearsals.misreporting import Misreporting
from surveys.planning.rehearsals.population import Behaviour

NEWEST = 50


@dataclass(frozen=True)
class FindingsWithPictures:
    """A question's findings with their charts."""

    block: Block
    intervals: list[charts.Curve]
    widths: SafeString


@require_http_methods(["GET", "HEAD", "POST"])
def rehearse(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, and the history below it; a POST requests a rehearsal."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR if request.method == "POST" else Role.VIEWER)
    try:
        design = services.design_to_rehearse(survey, 1)
    except ValidationError as fault:
        return _page(request, survey, status=400 if request.method == "POST" else 200, lacking=str(fault))
    number = request.GET.get("like", "")
    known = number.isdecimal() and len(number) < 9
    like = survey.rehearsals.filter(number=int(number)).first() if known else None
    posted = request.POST if request.method == "POST" else None
    form = RehearsalForm(design, expected_of(survey, design), posted, like=like)
    if posted is not None and form.is_valid():
        numbers = {name: form.cleaned_data[name] for name in ("repetitions", "seed")}
        requested = services.request_rehearsal(survey, form.assumptions, **numbers, by=signed_in(request))
        return redirect("panel:rehearsal", slug, requested.number)
    return _page(request, survey, status=400 if posted is not None else 200, form=form)


@require_safe
def rehearsal(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The progress of a rehearsal, and its findings."""
    survey = get_survey_or_404(request.user, slug)
    rehearsal = get_rehearsal_or_404(survey, number)
    found = findings(rehearsal)
    context: dict[str, object] = {"rehearsal": rehearsal, "found": found, "marks": charts.legends()}
    context["misreporting"] = _in_words(rehearsal)
    if found is not None:
        context["drawn"] = [
            FindingsWithPictures(
                block,
                outcome_charts.intervals_of(block, place) if found.many else [],
                SafeString(outcome_charts.widths_of(block, place)),
            )
            for place, block in enumerate(found.blocks)
        ]
        if not found.many and rehearsal.run is not None:
            context |= report.context(rehearsal.run, report_context(rehearsal.run))
    return survey_page(request, "panel/rehearse/result.html", survey, step="rehearse", context=context)


@require_POST
def repeat(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Repeat a rehearsal with the same seed, for the survey as it is written now."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    before = get_rehearsal_or_404(survey, number)
    try:
        if before.assumptions.get("file"):
            raise Conflict(
                gettext("Its respondents came from a file that is not stored, so it cannot be repeated here.")
            )
        again = services.request_rehearsal(
            survey, before.assumptions, repetitions=before.repetitions, seed=before.seed, by=signed_in(request)
        )
    except (ValidationError, Conflict) as refusal:
        messages.error(request, str(refusal))
        return redirect("panel:rehearsal", slug, number)
    return redirect("panel:rehearsal", slug, again.number)


@transition(Role.EDITOR, then="panel:rehearsal", within=True)
def stop(request: HttpRequest, survey: Survey, number: int) -> str:
    services.stop(get_rehearsal_or_404(survey, number))
    return gettext("The rehearsal stops; finished repetitions stay.")


@transition(Role.EDITOR, then="panel:rehearse")
def delete(request: HttpRequest, survey: Survey, number: int) -> str:
    services.delete(get_rehearsal_or_404(survey, number), by=signed_in(request))
    return gettext("Rehearsal {number} and everything that it made are deleted.").format(number=number)


def _in_words(rehearsal: Rehearsal) -> list[str]:
    """Who did not say what is true; empty if everybody did."""
    found = Misreporting.of(rehearsal.assumptions)
    if not found:
        return []
    text = gettext(
        "{random} answered at random, {misread} of the others said the opposite of what is true, and {denial} of the "
        "rest said No although Yes is true."
    )
    design = get_design(rehearsal.design_id)
    labels = {group.key: group.label[design.language] for group in design.groups}
    said = [text.format(**_percents(found.shares("")))]
    for key in found.groups:
        label = labels.get(key) or label_of_key(design, key, design.language)
        more = gettext("“{group}”: {random}, {misread} and {denial}.")
        said.append(more.format(group=label, **_percents(found.shares(key))))
    return [*said, gettext("The estimates are of what they said, the true values of what is true.")]


def _percents(shares: Behaviour) -> dict[str, str]:
    names = {"random": "at_random", "misread": "misunderstanding", "denial": "denial"}
    return {name: wording.percent(shares[behaviour]) for name, behaviour in names.items()}  # type: ignore[literal-required]


def _page(request: HttpRequest, survey: Survey, *, status: int, **context: Any) -> HttpResponse:
    history = survey.rehearsals.all()[:NEWEST]
    return survey_page(
        request, "panel/rehearse/form.html", survey, step="rehearse", status=status, history=history, **context
    )
