"""The page for the author's disclosures in a survey's report, in each language of reports."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from estimator.base.languages import DEFAULT, LANGUAGES
from estimator.reports import disclosures
from surveys.accounts.access import Role, get_survey_or_404
from surveys.lifecycle import disclosures as disclosing
from surveys.models import Survey
from surveys.panel.frame import survey_page
from surveys.panel.views import signed_in

SAMPLES = ("probability", "simple")
"""Declarations about the respondents' sample; other values declare nothing."""


@dataclass(frozen=True)
class DisclosureField:
    """A field of the form: its prompt in the report's language, its text, and why that is not accepted."""

    name: str
    title: str
    asks: str
    ours: bool
    text: str
    fault: str = ""


@require_http_methods(["GET", "HEAD", "POST"])
def disclose(request: HttpRequest, slug: str) -> HttpResponse:
    """The items of AAPOR's Code; a POST stores those of one language, and does not change the others."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    language = request.POST.get("language") or request.GET.get("language", DEFAULT)
    language = language if language in LANGUAGES else DEFAULT
    found = disclosures.of(survey.slug)
    if request.method != "POST":
        texts = {field.name: found.texts.get(field.name, {}).get(language, "") for field in disclosures.FIELDS}
        sample = "simple" if found.has_margin else "probability" if found.probability_sample else ""
        return _page(
            request, survey, language, texts, sample=sample, asked="" if found.asked is None else str(found.asked)
        )
    texts = {field.name: request.POST.get(field.name, "") for field in disclosures.FIELDS}
    sample = request.POST.get("sample", "")
    declared = {"probability_sample": sample in SAMPLES, "simple_random": sample == "simple"}
    merged = {name: {**found.texts.get(name, {}), language: text} for name, text in texts.items()}
    asked, written = _asked(request), request.POST.get("asked", "").strip()
    if errors := disclosures.errors_of(merged, probability_sample=declared["probability_sample"], asked=asked):
        return _page(request, survey, language, texts, sample=sample, asked=written, faults=errors)
    disclosing.disclose(survey, merged, **declared, asked=asked, by=signed_in(request))
    messages.success(request, gettext("Saved. Every report of this survey shows it from now on."))
    return redirect(f"{reverse('panel:disclose', args=[slug])}?language={language}")


def _asked(request: HttpRequest) -> int | None:
    """The number of people who were asked; None where the field is empty, 0 where it holds no number."""
    written = request.POST.get("asked", "").strip()
    if not written:
        return None
    return int(written) if written.isascii() and written.isdigit() and len(written) <= 12 else 0


def _page(
    request: HttpRequest,
    survey: Survey,
    language: str,
    texts: dict[str, str],
    *,
    sample: str,
    asked: str,
    faults: dict[str, str] | None = None,
) -> HttpResponse:
    with translation.override(language):
        fields = [
            DisclosureField(
                one.name, str(one.title), str(one.asks), one.ours, texts[one.name], (faults or {}).get(one.name, "")
            )
            for one in disclosures.FIELDS
        ]
    context: dict[str, object] = {"fields": fields, "sample": sample, "chosen": language, "languages": LANGUAGES}
    context |= {"faults": faults or {}, "longest": disclosures.LONGEST, "asked": asked}
    return survey_page(
        request, "panel/disclose.html", survey, step="report", status=422 if faults else 200, context=context
    )
