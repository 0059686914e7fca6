"""The address of the own-coin page: it gives the page and takes its form."""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from collector import services as collector
from collector.errors import Closed, NotForm, Refusal
from collector.headers import check_headers
from surveys import pages, selectors
from surveys.coin import page
from surveys.models import Survey, Version

FORM_TYPES = ("application/x-www-form-urlencoded",)


# The page is the same bytes for everybody, so it can hold no token; `check_headers` refuses other sites instead.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: HttpRequest, slug: str) -> HttpResponse:
    """The own-coin page as it was rendered when the survey opened, or what became of its form."""
    version = _version_or_404(slug)
    if request.method == "POST":
        return _take(request, version)
    if version.survey.state == Survey.State.CLOSED:
        return _closed(version, status=200)
    return HttpResponse(bytes(version.coin_page))


@require_safe
def sent(request: HttpRequest, slug: str) -> HttpResponse:
    """Says that a form was taken; the same for everybody, whatever they sent."""
    document = selectors.document_of(_version_or_404(slug))
    return HttpResponse(page.render_sent(document, document["languages"][0]))


def _take(request: HttpRequest, version: Version) -> HttpResponse:
    """Store what was marked and lead on to another page, which can be loaded again without sending anything."""
    slug = version.survey.slug
    try:
        not_form = NotForm("Content-Type", "Content-Type must be application/x-www-form-urlencoded.")
        check_headers(request, types=FORM_TYPES, otherwise=not_form)
        collector.receive_form(request.body, slug=slug)
    except Refusal as refusal:
        return _refused(version, refusal)
    return HttpResponse(status=303, headers={"Location": reverse("surveys:coin-sent", args=[slug])})


def _refused(version: Version, refusal: Refusal) -> HttpResponse:
    if isinstance(refusal, Closed) and version.survey.state == Survey.State.CLOSED:
        return _closed(version, status=refusal.status)
    document = selectors.document_of(version)
    return HttpResponse(page.render_refusal(document, refusal, document["languages"][0]), status=refusal.status)


def _closed(version: Version, *, status: int) -> HttpResponse:
    document = selectors.document_of(version)
    return HttpResponse(pages.render_closed(document, document["languages"][0]), status=status)


def _version_or_404(slug: str) -> Version:
    """The version in the field, where it has an own-coin page."""
    version = selectors.version_on_the_web(slug)
    if version is None or not version.coin_page:
        raise Http404("There is no such page.")
    return version
