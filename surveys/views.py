"""The respondent's addresses: the same bytes for everyone."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from surveys import pages, selectors
from surveys.models import Survey, Version


@require_safe
def respond(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of an open survey as it was rendered when it opened; of a closed one, a page that says so."""
    version = _version_or_404(slug)
    if version.survey.state == Survey.State.CLOSED:
        document = selectors.document_of(version)
        return HttpResponse(pages.render_closed(document, document["languages"][0]))
    return HttpResponse(bytes(version.page))


@require_safe
def design(request: HttpRequest, slug: str) -> HttpResponse:
    """The frozen design, byte for byte: its SHA-256 is the digest."""
    return HttpResponse(_version_or_404(slug).design.document, content_type="application/json")


def _version_or_404(slug: str) -> Version:
    version = selectors.version_on_the_web(slug)
    if version is None:
        raise Http404("There is no such survey.")
    return version
