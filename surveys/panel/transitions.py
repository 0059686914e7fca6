"""The buttons of a survey's page: each one POST, one service, one message about the result."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from collector.designs import FEWEST_IN_GROUP
from collector.errors import Conflict, ValidationError
from collector.reports.selectors import report_counts
from estimator.models import Run
from surveys.accounts import access
from surveys.accounts.access import Role, get_run_or_404, get_survey_or_404
from surveys.lifecycle import closing, selectors, services
from surveys.lifecycle.tags import set_tags
from surveys.lifecycle.transitions import MOVES
from surveys.maintenance import reopening
from surveys.models import Survey
from surveys.opening import schedules
from surveys.panel.forms.survey import DuplicateForm
from surveys.panel.views import signed_in
from surveys.times import moment

Change = Callable[..., str]
View = Callable[..., HttpResponse]


def transition(role: Role, *, then: str = "panel:survey", within: bool = False) -> Callable[[Change], View]:
    """Make a view of a change to a survey, for this role: it returns a message; refusals are shown, not raised.

    `then` names the page that it leads to: one of the survey, or `within` it of what else the address names.
    """

    def of(change: Change) -> View:
        @require_POST
        @wraps(change)
        def view(request: HttpRequest, slug: str, **parts: Any) -> HttpResponse:
            survey = get_survey_or_404(request.user, slug, role)
            try:
                messages.success(request, change(request, survey, **parts))
            except (ValidationError, Conflict) as refusal:
                messages.error(request, str(refusal))
            page = "panel:opening" if request.POST.get("back") == "opening" else then
            return redirect(reverse(page, kwargs={"slug": slug} | (parts if within else {})))

        return view

    return of


@transition(MOVES["close"].role)
def close(request: HttpRequest, survey: Survey) -> str:
    """For good where that is said, else so that it can be undone; a double press answers like one."""
    if request.POST.get("now") == "yes":
        run = services.close_survey(survey, by=signed_in(request))
        return _closed(run)
    try:
        final_at = closing.begin_closing(survey, by=signed_in(request))
    except Conflict:
        survey.refresh_from_db()
        version = selectors.version_closing(survey)
        if version is None:
            raise
        final_at = selectors.final_time(version)
    return gettext("The survey is closed: it takes no more responses. You can undo that until {final_at}.").format(
        final_at=moment(final_at)
    )


@transition(MOVES["close"].role)
def undo_closing(request: HttpRequest, survey: Survey) -> str:
    closing.undo_closing(survey, by=signed_in(request))
    if any(one.move == "close" for one in schedules.waiting(survey)):
        return gettext("The survey takes responses again, and closes automatically as scheduled.")
    return gettext("The survey takes responses again. It stays open until you close it.")


@transition(MOVES["close"].role)
def finish_closing(request: HttpRequest, survey: Survey) -> str:
    return _closed(closing.finish_closing(survey, by=signed_in(request)))


def _closed(run: Run) -> str:
    return f"{gettext('The survey is closed permanently.')} {_what_follows(run)}"


def _what_follows(run: Run) -> str:
    came = report_counts([run.design_id])[run.design_id].stored
    if not came:
        return gettext("No response came, so there is nothing to estimate.")
    if came < FEWEST_IN_GROUP:
        return gettext(
            "Responses: {came}. An estimate needs at least {fewest_in_group}, so there will be none."
        ).format(came=came, fewest_in_group=FEWEST_IN_GROUP)
    return gettext("The final estimate is being computed.")


@transition(MOVES["revise"].role)
def revise(request: HttpRequest, survey: Survey) -> str:
    services.revise_survey(survey, by=signed_in(request))
    return gettext("This is now a draft of version {survey}. Collected responses do not change.").format(
        survey=selectors.next_number(survey)
    )


@transition(MOVES["archive"].role)
def archive(request: HttpRequest, survey: Survey) -> str:
    services.archive_survey(survey, by=signed_in(request))
    return gettext("The survey is archived. It is no longer in the list of surveys; nothing was deleted.")


@transition(MOVES["restore"].role)
def restore(request: HttpRequest, survey: Survey) -> str:
    services.restore_survey(survey, by=signed_in(request))
    return gettext("The survey is restored from the archive.")


@transition(Role.EDITOR)
def tags(request: HttpRequest, survey: Survey) -> str:
    names = set_tags(survey, request.POST.get("tags", ""), by=signed_in(request))
    return gettext("Tags: {names}").format(names=", ".join(names)) if names else gettext("The survey has no tags.")


@transition(Role.OWNER)
def reopen(request: HttpRequest, survey: Survey) -> str:
    reopening.reopen(survey, by=signed_in(request))
    return gettext("The survey takes responses again. The audit log records that you reopened it after a restore.")


@transition(Role.ANALYST, then="panel:survey-watch")
def estimate(request: HttpRequest, survey: Survey) -> str:
    services.request_estimate(survey, by=signed_in(request))
    return gettext("The estimate is being computed.")


@require_POST
def duplicate(request: HttpRequest, slug: str) -> HttpResponse:
    """A draft with the same questions under another slug."""
    survey, user = get_survey_or_404(request.user, slug, Role.EDITOR), signed_in(request)
    form = DuplicateForm(request.POST, user=user)
    try:
        if form.is_valid():
            team = form.cleaned_data.get("team")
            answers = {name: form.cleaned_data[name] for name in ("slug", "same_people")}
            copy = services.duplicate_survey(survey, **answers, team=team, by=user)
            messages.success(request, gettext("Created a draft as a copy of {slug}.").format(slug=slug))
            return redirect("panel:survey", copy.slug)
        fault = " ".join(str(error) for errors in form.errors.values() for error in errors)
    except ValidationError as refusal:
        fault = str(refusal)
    messages.error(request, fault)
    return redirect("panel:survey", slug)


@require_POST
def publish(request: HttpRequest, key: str) -> HttpResponse:
    """Publish a run's report to anybody with the link, or unpublish it."""
    run = get_run_or_404(request.user, key, Role.OWNER)
    published = request.POST.get("published") == "yes"
    try:
        services.publish_run(run, published=published, by=signed_in(request))
        messages.success(
            request, gettext("The report is public.") if published else gettext("The report is no longer public.")
        )
    except Conflict as refusal:
        messages.error(request, str(refusal))
    return redirect("panel:survey", access.survey_of(run).slug)
