"""The texts of a draft out to translators and in again, for the editor."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from collector.errors import ValidationError
from surveys.accounts.access import Role, get_survey_or_404
from surveys.accounts.audit_log import record_event
from surveys.exchange import translation_files
from surveys.lifecycle import selectors
from surveys.panel.editor.views import answers_errors
from surveys.panel.views import signed_in
from surveys.respondent.stored_pages import attachment


@require_GET
@answers_errors
def download(request: HttpRequest, slug: str) -> HttpResponse:
    """A table of all languages, or a PO file of one, of the draft as it is saved."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    form, language = request.GET.get("format", "csv"), request.GET.get("language", "")
    if form not in translation_files.FORMATS:
        raise Http404
    content = translation_files.write(selectors.definition_of(survey), form, language)
    record_event(signed_in(request), "exported", survey=survey, detail=f"the translations, as {form.upper()}")
    name = f"{survey.slug}-{language}" if form == "po" else f"{survey.slug}-translations"
    return attachment(content, translation_files.FORMATS[form], f"{name}.{form}")


@require_POST
@answers_errors
def read(request: HttpRequest, slug: str) -> HttpResponse:
    """What a file that came back changes in the draft as it is saved. Nothing is written: the editor does that."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    file = request.FILES.get("file")
    if file is None:
        raise ValidationError(("file",), gettext("must be a file of translations"))
    found = translation_files.read(file.read(), filename=str(file.name), definition=selectors.definition_of(survey))
    return JsonResponse(found.to_dict())
