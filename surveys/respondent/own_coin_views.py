"""Views of the own-coin page: the page, a review of what was marked, sending, and the confirmation."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.endpoint import rate_limits, receiving
from collector.endpoint.headers import check_headers
from collector.errors import RequestRefused
from surveys.definition.languages import address_of
from surveys.lifecycle import proof_of_work
from surveys.lifecycle.selectors import PublishedVersion
from surveys.models import Page
from surveys.rendering import pages
from surveys.rendering.own_coin import page
from surveys.respondent.stored_pages import answer_with, attachment, page_or_404, page_response

FORM_TYPES = ("application/x-www-form-urlencoded",)


# No cookie means anything here and the page is the same for everybody, so it can hold no token; `check_headers` refuses
# other sites instead.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: HttpRequest, slug: str, language: str = "") -> HttpResponse:
    """The own-coin page as rendered at opening; for its form, a review of what would be sent. Stores nothing."""
    shown, stored = page_or_404(slug, language, Page.Kind.COIN)
    if request.method == "POST":
        return _look(request, shown, stored)
    if shown.closed:
        return _closed(shown, status=200)
    return answer_with(request, stored)


@require_safe
def sheet(request: HttpRequest, slug: str, language: str = "") -> HttpResponse:
    """The paper sheet as rendered at opening: the same bytes for everybody."""
    shown, stored = page_or_404(slug, language, Page.Kind.SHEET)
    if shown.closed:
        return _closed(shown, status=410)
    return attachment(stored, "application/pdf", f"{slug}-{shown.language}.pdf")


@csrf_exempt
@require_POST
def send(request: HttpRequest, slug: str, language: str = "") -> HttpResponse:
    """Store the reviewed form and redirect to another page, which can be reloaded without sending anything."""
    shown, _ = page_or_404(slug, language, Page.Kind.COIN)
    try:
        form = _form(request)
        rate_limits.take("reports by survey", slug)
        if proof_of_work.bits_of(slug):
            # Without a script nobody can do the work, and a robot would come in here.
            rate_limits.take("coins by survey", slug)
        receiving.receive_form(form, slug=slug)
    except RequestRefused as refusal:
        return _refused(shown, refusal)
    return HttpResponse(status=303, headers={"Location": address_of("coin-sent", shown.design, shown.language)})


@require_safe
def sent(request: HttpRequest, slug: str, language: str = "") -> HttpResponse:
    """Confirm that a form was accepted; the same for everybody, whatever they sent."""
    shown, stored = page_or_404(slug, language, Page.Kind.COIN)
    birthdays = page.asks_birthdays(stored)
    return page_response(page.render_sent(shown.design, shown.language, birthdays=birthdays))


def _look(request: HttpRequest, shown: PublishedVersion, stored: bytes) -> HttpResponse:
    try:
        looked = receiving.preview_form(_form(request), slug=shown.version.survey.slug)
    except RequestRefused as refusal:
        return _refused(shown, refusal)
    birthdays = page.asks_birthdays(stored)
    return page_response(page.render_review(shown.design, looked, shown.language, birthdays=birthdays))


def _form(request: HttpRequest) -> bytes:
    """The body of a form from one of our own pages; raises RequestRefused if not."""
    not_form = RequestRefused(415, "Content-Type", "Content-Type must be application/x-www-form-urlencoded.")
    check_headers(request.META, types=FORM_TYPES, otherwise=not_form)
    rate_limits.take("reports by address", rate_limits.address_of(request.META))
    return request.body


def _refused(shown: PublishedVersion, refusal: RequestRefused) -> HttpResponse:
    if refusal.status == 410 and shown.closed:
        return _closed(shown, status=refusal.status)
    headers = {} if refusal.retry is None else {"Retry-After": str(refusal.retry)}
    explained = page.render_refusal(shown.design, refusal, shown.language)
    return page_response(explained, status=refusal.status, headers=headers)


def _closed(shown: PublishedVersion, *, status: int) -> HttpResponse:
    return page_response(pages.render_closed(shown.design, shown.language), status=status)
