"""The page on which a survey is opened, and from then on the page of its schedule.

What is confirmed is what opens: the form carries the digest of the design that was shown.
"""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from collector import selectors as reports
from collector.designs import Design
from surveys import appointments, lifecycle, selectors
from surveys.access import Role, get_survey_or_404
from surveys.appointments import Terms, moment
from surveys.group_warnings import expected_reports, group_warnings
from surveys.lifecycle import MOVES, NotAllowed
from surveys.models import Appointment, Survey
from surveys.panel.acts import act
from surveys.panel.frame import survey_page
from surveys.panel.frozen import Frozen, frozen
from surveys.panel.overview import next_moves
from surveys.panel.views import signed_in
from surveys.reading import DefinitionError

NOW, LATER = "now", "later"


class OpeningForm(forms.Form):
    """The digest that was shown, and the terms. Times are UTC."""

    digest = forms.RegexField(regex=r"^[0-9a-f]{64}$")
    opens = forms.ChoiceField(choices=[(NOW, NOW), (LATER, LATER)], initial=NOW)
    opens_at = forms.DateTimeField(required=False)
    closes_at = forms.DateTimeField(required=False)
    cap = forms.IntegerField(required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        later = cleaned.get("opens") == LATER
        if later and not cleaned.get("opens_at") and "opens_at" not in self.errors:
            self.add_error("opens_at", "Say when it is to open.")
        for field, fault in self.terms.faults(timezone.now()):
            self.add_error(field, fault)
        return cleaned

    @property
    def terms(self) -> Terms:
        given = self.cleaned_data
        opens_at = given.get("opens_at") if given.get("opens") == LATER else None
        return Terms(opens_at=opens_at, closes_at=given.get("closes_at"), cap=given.get("cap"))


class ExtensionForm(forms.Form):
    """A later closing time, UTC."""

    closes_at = forms.DateTimeField()


@require_http_methods(["GET", "HEAD", "POST"])
def opening(request: HttpRequest, slug: str) -> HttpResponse:
    """What will be frozen, in full, with the button that does it; of a survey that was opened, its schedule."""
    role = MOVES["open"].role if request.method == "POST" else Role.VIEWER
    survey = get_survey_or_404(request.user, slug, role)
    form = OpeningForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and (survey.state != Survey.State.DRAFT or form.is_valid()):
        return _open(request, survey, form)
    status = 422 if form.is_bound else 200
    context = _of_draft(survey, request) if survey.state == Survey.State.DRAFT else _of_opened(survey)
    waiting = appointments.waiting(survey)
    history = survey.appointments.exclude(state=Appointment.State.WAITING)
    page = {
        "form": form,
        "waiting": waiting,
        "agreed": any(one.move in appointments.OPENING for one in waiting),
        "trouble": appointments.trouble(survey),
        "history": history,
        "moves": next_moves(survey),
        **context,
    }
    return survey_page(request, "panel/opening.html", survey, step="open", status=status, **page)


def _open(request: HttpRequest, survey: Survey, form: OpeningForm) -> HttpResponse:
    """Open it on the terms that were given, or say why not; the page then shows what there is to confirm now."""
    try:
        lifecycle.require_draft(survey)
        version = appointments.open_on(survey, form.terms, confirmed=form.cleaned_data["digest"], by=signed_in(request))
    except (DefinitionError, NotAllowed) as refusal:
        messages.error(request, str(refusal))
        return redirect("panel:opening", survey.slug)
    if version is None:
        assert form.terms.opens_at is not None
        messages.success(request, f"It opens by itself on {moment(form.terms.opens_at)}, if the draft stays as it is.")
        return redirect("panel:opening", survey.slug)
    messages.success(request, f"Version {version.number} is open. Its design is frozen; share the link below.")
    return redirect("panel:survey" if survey.rehearsal else "panel:share", survey.slug)


@act(Role.EDITOR)
def extend(request: HttpRequest, survey: Survey) -> str:
    form = ExtensionForm(request.POST)
    if not form.is_valid():
        raise NotAllowed("The new closing date must be a date and a time, like 2026-12-01 18:00.")
    closes_at: datetime = form.cleaned_data["closes_at"]
    appointments.extend(survey, closes_at, by=signed_in(request))
    return f"It closes by itself on {moment(closes_at)} now."


@act(Role.EDITOR)
def call_off(request: HttpRequest, survey: Survey) -> str:
    appointments.call_off(survey, by=signed_in(request))
    return "It does not open by itself any more."


def _of_draft(survey: Survey, request: HttpRequest) -> dict[str, Any]:
    """The design as it would be frozen, or nothing where it cannot be."""
    try:
        design, _ = selectors.design_to_open(survey)
    except DefinitionError:
        return {"shown": None}
    return {"shown": frozen(design), **groups_of(survey, design, request)}


def groups_of(survey: Survey, design: Design, request: HttpRequest) -> dict[str, Any]:
    """What is warned of the groups of a design, for as many reports as the address says."""
    expected = expected_reports(survey, request.GET.get("expected", ""))
    return {"groups": None if design.rehearsal else group_warnings(design.document, expected)}


def _of_opened(survey: Survey) -> dict[str, Frozen]:
    version = selectors.latest_version(survey)
    assert version is not None  # whatever is not a draft was opened
    return {"shown": frozen(reports.get_design(version.design_id))}
