"""The page on which a survey is opened, and afterwards the page of its schedule.

What is confirmed is what opens: the form carries the digest of the design that was shown.
"""

from collections.abc import Callable
from datetime import datetime

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from collector.designs import LONGEST_REASON
from collector.designs.selectors import get_design
from collector.designs.texts import validate_text
from collector.errors import Conflict, ValidationError
from surveys.accounts.access import Role, get_survey_or_404
from surveys.definition import ceilings
from surveys.lifecycle import selectors
from surveys.lifecycle.transitions import MOVES
from surveys.models import Appointment, Survey, Version
from surveys.opening import schedules
from surveys.opening.schedules import OpeningPlan
from surveys.panel.closing import pending_closing
from surveys.panel.design_preview import DesignPreview, design_preview
from surveys.panel.frame import status_of, survey_page
from surveys.panel.overview import next_moves
from surveys.panel.transitions import transition
from surveys.panel.views import signed_in
from surveys.planning.checklist import checklist
from surveys.planning.dossier import LANGUAGES
from surveys.planning.drafts import expectations_of
from surveys.planning.group_warnings import expected_reports, group_warnings
from surveys.times import moment

NOW, LATER = "now", "later"
Opens = Callable[..., Version | None]


class OpeningForm(forms.Form):
    """The digest shown, the times, the reason for exceeding a ceiling, and confirmation of the warnings; UTC."""

    digest = forms.RegexField(regex=r"^[0-9a-f]{64}$")
    opens = forms.ChoiceField(choices=[(NOW, NOW), (LATER, LATER)], initial=NOW)
    opens_at = forms.DateTimeField(required=False)
    closes_at = forms.DateTimeField(required=False)
    cap = forms.IntegerField(required=False)
    reason = forms.CharField(required=False, max_length=LONGEST_REASON, validators=[validate_text])
    warned = forms.BooleanField(required=False)

    def __init__(self, data: QueryDict | None, shown: DesignPreview | None) -> None:
        """`shown`: the design to freeze now, or None if the survey cannot be opened."""
        super().__init__(data)
        self.shown = shown

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or self.cleaned_data
        later = cleaned.get("opens") == LATER
        if later and not cleaned.get("opens_at") and "opens_at" not in self.errors:
            self.add_error("opens_at", gettext("Enter when the survey opens."))
        for field, fault in self.terms.faults(timezone.now()):
            self.add_error(field, fault)
        if self.shown and self.shown.excesses and not cleaned.get("reason") and "reason" not in self.errors:
            self.add_error(
                "reason",
                gettext("Enter a reason of 1 to {longest_reason} characters for opening above the ceiling.").format(
                    longest_reason=LONGEST_REASON
                ),
            )
        if self.shown and self.shown.warnings and not cleaned.get("warned"):
            self.add_error("warned", gettext("Read the warnings above and confirm them."))
        return cleaned

    @property
    def confirmed(self) -> dict[str, str]:
        """The digest and the reason, which opening takes."""
        return {"confirmed": self.cleaned_data["digest"], "reason": self.cleaned_data["reason"].replace("\r\n", "\n")}

    @property
    def terms(self) -> OpeningPlan:
        given = self.cleaned_data
        opens_at = given.get("opens_at") if given.get("opens") == LATER else None
        return OpeningPlan(opens_at=opens_at, closes_at=given.get("closes_at"), cap=given.get("cap"))


class ExtensionForm(forms.Form):
    """A later closing time, UTC."""

    closes_at = forms.DateTimeField()


@require_http_methods(["GET", "HEAD", "POST"])
def opening(request: HttpRequest, slug: str) -> HttpResponse:
    """The design to freeze, in full, with the button that opens it; for an opened survey, its schedule."""
    role = MOVES["open"].role if request.method == "POST" else Role.VIEWER
    survey = get_survey_or_404(request.user, slug, role)
    standing = status_of(survey)
    design = standing.design
    if standing.version and survey.state != Survey.State.DRAFT:
        design = get_design(standing.version.design_id)
    shown = design_preview(design) if design else None
    form = OpeningForm(request.POST if request.method == "POST" else None, shown)
    if request.method == "POST" and (survey.state != Survey.State.DRAFT or form.is_valid()):
        later = gettext("The survey opens automatically on {}, if the draft does not change.")
        opens = schedules.open_on
        return open_confirmed(request, survey, form, opens, page="panel:opening", later=later, name=gettext("Version"))
    status = 422 if form.is_bound else 200
    waiting = schedules.waiting(survey)
    page = {
        "form": form,
        "waiting": waiting,
        "agreed": any(one.move in schedules.OPENING for one in waiting),
        "trouble": schedules.schedule_fault(survey),
        "history": survey.appointments.exclude(state=Appointment.State.WAITING),
        "moves": next_moves(survey),
        "closing": pending_closing(survey),
        "shown": shown,
        **(groups_of(survey, shown, request) if survey.state == Survey.State.DRAFT else {}),
    }
    return survey_page(request, "panel/opening.html", survey, step="open", status=status, known=standing, context=page)


def open_confirmed(
    request: HttpRequest, survey: Survey, form: OpeningForm, opens: Opens, *, page: str, later: str, name: str
) -> HttpResponse:
    """Open it by the plan of the form, or show the error; the page then shows what there is to confirm now.

    `later` is the message where it is still to open, with a place for the time; `name` that of what was opened.
    """
    try:
        terms, confirmed = (form.terms, form.confirmed) if form.is_valid() else (OpeningPlan(), {"confirmed": ""})
        version = opens(survey, terms, **confirmed, by=signed_in(request))
    except (ValidationError, Conflict) as refusal:
        version = pressed_before(survey, request)
        if version is None:
            messages.error(request, str(refusal))
            return redirect(page, survey.slug)
    if version is None:
        assert terms.opens_at is not None
        messages.success(request, later.format(moment(terms.opens_at)))
        return redirect(page, survey.slug)
    messages.success(
        request,
        gettext("{name} {number} is open. Its design is frozen; share the link below.").format(
            name=name, number=version.number
        ),
    )
    return redirect("panel:survey" if survey.rehearsal else "panel:share", survey.slug)


def pressed_before(survey: Survey, request: HttpRequest) -> Version | None:
    """The open version with the very design that this form confirms, as after a double press; else None."""
    survey.refresh_from_db(fields=["state"])
    version = selectors.latest_version(survey) if survey.state == Survey.State.OPEN else None
    if version is None:
        return None
    shown = ceilings.without_reason(get_design(version.design_id))
    return version if shown.digest == request.POST.get("digest") else None


@transition(Role.EDITOR)
def extend(request: HttpRequest, survey: Survey) -> str:
    form = ExtensionForm(request.POST)
    if not form.is_valid():
        raise Conflict(gettext("The new closing date must be a date and a time, like 2026-12-01 18:00."))
    closes_at: datetime = form.cleaned_data["closes_at"]
    schedules.extend(survey, closes_at, by=signed_in(request))
    return gettext("The survey now closes automatically on {closes_at}.").format(closes_at=moment(closes_at))


@transition(Role.EDITOR)
def call_off(request: HttpRequest, survey: Survey) -> str:
    schedules.cancel(survey, by=signed_in(request))
    return gettext("The scheduled opening is cancelled.")


def groups_of(survey: Survey, shown: DesignPreview | None, request: HttpRequest) -> dict[str, object]:
    """The checklist, and the warnings of the groups in the design to freeze, for the responses in the query."""
    if shown is None or shown.design.rehearsal:
        return {"groups": None}
    expected = expected_reports(survey, request.GET.get("expected", ""))
    checks = checklist(survey, shown.design, expected)
    lacking = [one for one in checks if not one.done]
    return {
        "checks": checks,
        "lacking_checks": lacking,
        "expected": expected,
        "dossiers": LANGUAGES.items(),
        "groups": group_warnings(shown.design.groups, shown.own, expectations_of(survey), expected),
    }
