"""Preview of a draft's page, saved or not, by the code of the real one. Nothing is stored or can be sent.

Four locks, each of which would do: the page's button for sending is off, it knows no address for reports, its policy
lets it connect to nothing, and its design is not frozen, so the collector would not know what a report is about.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.designs import Design
from collector.errors import Conflict, InputError, ValidationError
from surveys.accounts.access import Role, get_survey_or_404, one_or_404
from surveys.definition.definitions import drawn_items
from surveys.definition.parts import Definition
from surveys.lifecycle import links, preview_links, selectors
from surveys.lifecycle.pictures import content_of
from surveys.lifecycle.preview_links import MOST_DAYS, USUAL_DAYS
from surveys.models import Survey
from surveys.panel.editor.presentable import answerable, parsed_definition, presentable, with_needed_reason
from surveys.panel.frame import survey_page
from surveys.panel.transitions import transition
from surveys.panel.views import signed_in
from surveys.rendering import pages
from surveys.rendering.picture_response import picture_response
from surveys.respondent.stored_pages import page_response

NO_NAME = "preview"
"""Placeholder for the slug of a survey that has none yet."""


@require_safe
def of_survey(request: HttpRequest, slug: str) -> HttpResponse:
    """The preview of what is saved, with its languages and widths, and the links to it."""
    return _preview(request, get_survey_or_404(request.user, slug))


def _preview(request: HttpRequest, found: Survey, *, status: int = 200, **more: object) -> HttpResponse:
    names = zip(found.languages, selectors.language_names(found.languages), strict=True)
    language = _language(found.languages, request.GET.get("language"))
    shown: dict[str, object] = {"links": preview_links.good(found), "usual_days": USUAL_DAYS, "most_days": MOST_DAYS}
    versions = _version_names(selectors.definition_of(found), language)
    shown |= {"versions": list(enumerate(versions)), "version": request.GET.get("version", "0")}
    page: dict[str, object] = {"languages": list(names), "language": language, "days_fault": "", **shown, **more}
    return survey_page(request, "panel/preview/survey.html", found, step="write", status=status, context=page)


def _version_names(definition: Definition, language: str) -> list[str]:
    """What the versions of the page are called; none where there are none."""
    asked = definition.get("background_questions")
    first = asked["questions"][0] if asked and asked["questions"] else None
    return [name.get(language, "") for name in first["choices"]] if first and "arms" in first else []


@require_POST
def make_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a link to the preview, which only this reply shows."""
    found = get_survey_or_404(request.user, slug, Role.EDITOR)
    written = request.POST.get("days", "").strip()
    try:
        secret = preview_links.make(found, preview_links.days_of(written), by=signed_in(request))
    except InputError as fault:
        return _preview(request, found, status=422, days=written, days_fault=str(fault))
    except Conflict as refusal:
        messages.error(request, str(refusal))
        return redirect("panel:preview", slug)
    return _preview(request, found, link=links.link_to("preview-by-link", secret))


@transition(Role.EDITOR, then="panel:preview")
def revoke_link(request: HttpRequest, survey: Survey) -> str:
    preview_links.revoke(survey, request.POST.get("link", ""), by=signed_in(request))
    return gettext("The link no longer works.")


@require_safe
def by_link(request: HttpRequest, secret: str, language: str = "") -> HttpResponse:
    """The page of a draft for whoever has the link, with the gaps of the draft filled."""
    found = one_or_404(preview_links.find(secret), "page")
    addresses = {code: reverse("preview-by-link", args=[secret, code]) for code in found.languages}
    try:
        design = presentable(selectors.definition_of(found))
    except ValidationError as fault:
        response = _not_yet([str(fault)])
    else:
        shown = _language(design.languages, language)
        pictures = f"{reverse('preview-by-link', args=[secret])}pictures/"
        page = pages.render_page(design, shown, preview=True, previews=addresses, pictures_address=pictures)
        response = page_response(page)
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return response


@require_safe
def picture_by_link(request: HttpRequest, secret: str, name: str) -> HttpResponse:
    """A picture of a draft for whoever has the link."""
    found = one_or_404(preview_links.find(secret), "page")
    return picture_response(one_or_404(content_of(found, name), "picture"))


@require_http_methods(["GET", "HEAD", "POST"])
@xframe_options_sameorigin
def page_of_survey(request: HttpRequest, slug: str) -> HttpResponse:
    """The page itself, for the frame of `of_survey`; of what is sent, with its gaps filled, for that of the editor."""
    if request.method != "POST":
        found = get_survey_or_404(request.user, slug)
        return _answer(selectors.definition_of(found), request.GET.get("language"), found, request.GET.get("version"))
    found = get_survey_or_404(request.user, slug, Role.EDITOR)
    try:
        if "first" in request.POST:
            return HttpResponse(questions_while_written(request.POST, found))
        page = page_while_written(request.POST, found)
    except ValidationError as fault:
        return _not_yet([str(fault)])
    return page_response(page)


def page_while_written(sent: QueryDict, survey: Survey | None) -> bytes:
    """The page of the `definition` that is sent in the language that is shown, of all `languages`, in a `version`.

    Raises ValidationError.
    """
    design = presentable(parsed_definition(sent.get("definition", "")))
    known = [code for code in sent.get("languages", "").split() if code in dict(settings.LANGUAGES)]
    address, place = pictures_address(survey), _version(design, sent.get("version"))
    return pages.render_page(
        design, design.language, preview=True, languages=known, pictures_address=address, version=place
    )


def _version(design: Design, written: str | None) -> int | None:
    """The place of the version to show; None, so that chance decides, where there is none like it."""
    known = written in [str(place) for place in range(len(design.background.arms))]
    return int(written) if known and written is not None else None


def questions_while_written(sent: QueryDict, survey: Survey) -> bytes:
    """Of a page that is shown already, the questions that changed, which are all of the definition that is sent.

    `first` is the place of the first of them and `shown` its number, `count` is how many are in the page, and
    `branching` is there where some are asked only after some answers. Raises ValidationError.
    """
    design = presentable(parsed_definition(sent.get("definition", "")))
    place: Any = {name: _number(sent, name) for name in ("first", "shown", "count")}
    place["branching"] = "branching" in sent
    return pages.render_questions(design, design.language, **place, pictures_address=pictures_address(survey))


def _number(sent: QueryDict, name: str) -> int:
    written = sent.get(name, "")
    if not (written.isascii() and written.isdecimal() and len(written) <= 3):
        raise ValidationError(
            (name,), gettext("must be a whole number of at most three digits; got {written!r}").format(written=written)
        )
    return int(written)


@require_safe
def picture(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """A picture of a survey, for its preview."""
    found = get_survey_or_404(request.user, slug)
    return picture_response(one_or_404(content_of(found, name), "picture"))


def pictures_address(survey: Survey | None) -> str:
    """The beginning of the addresses of a survey's pictures in its preview."""
    return reverse("panel:picture", args=[survey.slug, "-"]).removesuffix("-") if survey else ""


@require_POST
@xframe_options_sameorigin
def of_form(request: HttpRequest) -> HttpResponse:
    """The page for the content of the form, of a saved survey if it names one."""
    slug = request.POST.get("preview-survey", "")
    found = get_survey_or_404(request.user, slug, Role.EDITOR) if slug else None
    definition = drafted(request, found)
    if isinstance(definition, list):
        return _not_yet(definition)
    return _answer(definition, request.POST.get("preview-language"), found)


def drafted(request: HttpRequest, survey: Survey | None) -> Definition | list[str]:
    """The definition in a survey's form, or its errors in words. The database is only read."""
    form, formsets = _forms(request, survey)
    valid = [form.is_valid(), *(formset.is_valid() for formset in formsets)]
    if not all(valid):
        return list(_faults(form, formsets))
    groups, sections, items = (_parts(formset) for formset in formsets)
    return selectors.definition_from(form.instance, groups, sections, items)


def _forms(request: HttpRequest, survey: Survey | None) -> tuple[Any, list[Any]]:
    model_admin: Any = admin.site.get_model_admin(Survey)
    sent = request.POST.copy()
    if not sent.get("slug"):
        sent["slug"] = NO_NAME
    form = model_admin.get_form(request, survey, change=survey is not None)(sent, instance=survey)
    formsets = [
        made(data=sent, instance=form.instance, prefix=made.get_default_prefix(), queryset=inline.get_queryset(request))
        for made, inline in model_admin.get_formsets_with_inlines(request, survey)
    ]
    return form, formsets


def _parts(formset: Any) -> list[Any]:
    """The rows to be saved, in their order; those without a number last."""
    rows = [
        form.instance
        for form in formset.forms
        if form not in formset.deleted_forms and (form.instance.pk or form.has_changed())
    ]
    return sorted(rows, key=lambda part: (part.position is None, part.position or 0))


def _faults(form: BaseForm, formsets: Sequence[Any]) -> Iterable[str]:
    for one in (form, *(row for formset in formsets for row in formset.forms if row not in formset.deleted_forms)):
        where = f"{one.instance.key}: " if getattr(one.instance, "key", "") else ""
        for name, errors in one.errors.items():
            label = str(one.fields[name].label or name.replace("_", " ").capitalize()) if name in one.fields else ""
            yield from (f"{where}{label}: {words}" if label else f"{where}{words}" for words in map(str, errors))
    for formset in formsets:
        yield from map(str, formset.non_form_errors())


def _answer(
    definition: Definition, language: str | None, survey: Survey | None, version: str | None = None
) -> HttpResponse:
    try:
        design = with_needed_reason(drawn_items(answerable(definition), version=1))
    except ValidationError as fault:
        return _not_yet([str(fault)])
    shown = _language(definition["languages"], language)
    address, place = pictures_address(survey), _version(design, version)
    return page_response(pages.render_page(design, shown, preview=True, pictures_address=address, version=place))


def _language(languages: Sequence[str], language: str | None) -> str:
    return language if language in languages else languages[0]  # type: ignore[return-value]


def _not_yet(faults: Sequence[str]) -> HttpResponse:
    return HttpResponse(render_to_string("panel/preview/faults.html", {"faults": faults}))
