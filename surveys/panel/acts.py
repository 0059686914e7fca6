"""The buttons of a survey's page: each one POST, one service, one sentence about what happened."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from estimator import selectors as runs
from estimator import services as estimator
from estimator.models import Run
from surveys import selectors, services
from surveys.access import get_run_or_404, get_survey_or_404
from surveys.forms import DuplicateForm
from surveys.lifecycle import NotAllowed
from surveys.models import Survey, Version
from surveys.reading import DefinitionError

Act = Callable[[HttpRequest, Survey], str]


def act(change: Act) -> Callable[[HttpRequest, str], HttpResponse]:
    """Make a view of a change: it returns what happened in words; a refusal is said, not raised."""

    @require_POST
    @wraps(change)
    def view(request: HttpRequest, slug: str) -> HttpResponse:
        survey = get_survey_or_404(request.user, slug)
        try:
            messages.success(request, change(request, survey))
        except (DefinitionError, NotAllowed) as refusal:
            messages.error(request, str(refusal))
        return redirect("panel:survey", slug)

    return view


@act
def open_survey(request: HttpRequest, survey: Survey) -> str:
    version = services.open_survey(survey)
    return f"Version {version.number} is open. Its design is frozen; share the link below."


@act
def close(request: HttpRequest, survey: Survey) -> str:
    services.close_survey(survey)
    return "The survey is closed. The final estimate is on its way."


@act
def revise(request: HttpRequest, survey: Survey) -> str:
    services.revise_survey(survey)
    return f"This is now a draft of version {selectors.next_number(survey)}. What was collected stays as it is."


@act
def estimate(request: HttpRequest, survey: Survey) -> str:
    version = selectors.latest_version(survey)
    if version is None:
        raise NotAllowed("There are no reports to estimate from: this survey was never opened.")
    last = runs.last_run(version.design_id)
    if last is not None and last.state in (Run.State.QUEUED, Run.State.RUNNING):
        raise NotAllowed("An estimate is on its way already.")
    estimator.request_run(version.design_id)
    return "The estimate is on its way."


@require_POST
def duplicate(request: HttpRequest, slug: str) -> HttpResponse:
    """A draft with the same questions under a name of its own."""
    survey = get_survey_or_404(request.user, slug)
    form = DuplicateForm(request.POST)
    try:
        if form.is_valid():
            copy = services.duplicate_survey(survey, slug=form.cleaned_data["slug"])
            messages.success(request, f"This is a copy of {slug}, as a draft.")
            return redirect("panel:survey", copy.slug)
        fault = " ".join(str(error) for error in form.errors["slug"])
    except DefinitionError as refusal:
        fault = str(refusal)
    messages.error(request, fault)
    return redirect("panel:survey", slug)


@require_POST
def publish(request: HttpRequest, key: str) -> HttpResponse:
    """Let whoever has the link read a run's report, or no longer."""
    run = get_run_or_404(request.user, key)
    published = request.POST.get("published") == "yes"
    if run.state == Run.State.DONE:
        estimator.publish(run, published=published)
        messages.success(request, "The report is public." if published else "The report is no longer public.")
    else:
        messages.error(request, "This run has no estimates to publish.")
    survey = Version.objects.select_related("survey").get(design=run.design_id).survey
    return redirect("panel:survey", survey.slug)
