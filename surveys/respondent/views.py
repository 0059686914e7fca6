"""Views of the respondents' pages: the same bytes for everyone. Only the URL determines the language."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from collector.designs.selectors import get_design
from surveys.accounts.access import one_or_404
from surveys.lifecycle import selectors
from surveys.lifecycle.embedding import framed_by
from surveys.lifecycle.pictures import content_of
from surveys.lifecycle.selectors import PublishedVersion
from surveys.models import Page
from surveys.rendering import pages, results_page
from surveys.rendering.picture_response import picture_response
from surveys.respondent.stored_pages import answer_with


@require_safe
def respond(request: HttpRequest, slug: str, language: str = "") -> HttpResponse:
    """The page of an open survey as rendered at opening; for a closed one, a page that says so."""
    shown = one_or_404(selectors.published_version(slug, language))
    return framed_by(_page(request, shown), shown.version.survey.embedded_in)


def _page(request: HttpRequest, shown: PublishedVersion) -> HttpResponse:
    if shown.closed:
        return answer_with(request, _closed_page(shown))
    page = shown.page(Page.Kind.ANSWER)
    if page is None:
        raise Http404("This survey was opened before it had a page in each of its languages.")
    return answer_with(request, page)


def _closed_page(shown: PublishedVersion) -> bytes:
    """A page that says that the survey is closed, or the results once computed, if its owner shows them."""
    final = selectors.final_run(shown.version) if shown.version.survey.results_shown else None
    if final is None:
        return pages.render_closed(shown.design, shown.language)
    return results_page.rendered(final.key, shown.language)


@require_safe
def design(request: HttpRequest, slug: str) -> HttpResponse:
    """The frozen design, byte for byte: its SHA-256 is the digest."""
    version = one_or_404(selectors.version_on_the_web(slug))
    return answer_with(request, version.design.document.encode(), "application/json")


@require_safe
def picture(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """A picture that the survey shows. Its name is that of its bytes, so a browser never asks for it again."""
    version = one_or_404(selectors.version_on_the_web(slug), "picture")
    shown = {one.name for one in get_design(version.design_id).pictures}
    return picture_response(one_or_404(content_of(version.survey, name) if name in shown else None, "picture"))


@require_safe
def spent(request: HttpRequest, language: str = settings.LANGUAGE_CODE) -> HttpResponse:
    """The page that reads a respondent's privacy budget from the device: the same bytes for every survey."""
    if language not in dict(settings.LANGUAGES):
        raise Http404("This page is not in that language.")
    return answer_with(request, pages.render_spent(language))
