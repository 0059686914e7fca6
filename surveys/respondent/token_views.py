"""Views of blind invitations: the page that fetches a token, signing, and access for users with an account."""

from django.contrib import admin
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from collector.endpoint import rate_limits
from collector.endpoint.headers import check_headers
from collector.errors import RequestRefused
from surveys.lifecycle import links, selectors
from surveys.models import Page, Version
from surveys.rendering import pages
from surveys.respondent import tokens
from surveys.respondent.stored_pages import answer_with, page_or_404

JSON_TYPES = ("application/json", "application/json;charset=utf-8")


@require_safe
def fetch(request: HttpRequest, slug: str, language: str = "") -> HttpResponse:
    """The page as rendered at opening, the same for everybody; for a closed survey, a page that says so."""
    shown, stored = page_or_404(slug, language, Page.Kind.TOKEN)
    return answer_with(request, pages.render_closed(shown.design, shown.language) if shown.closed else stored)


# No cookie means anything here, so nothing could be forged with one; `check_headers` refuses other sites.
@csrf_exempt
@require_POST
def sign(request: HttpRequest, slug: str) -> HttpResponse:
    """Sign a browser's blinded message, once for each code."""
    try:
        not_json = RequestRefused(415, "Content-Type", "Content-Type must be application/json.")
        length = check_headers(request.META, types=JSON_TYPES, otherwise=not_json)
        if length > tokens.LARGEST_BODY:
            raise RequestRefused(413, "body", f"The body must be at most {tokens.LARGEST_BODY} bytes; got {length}.")
        rate_limits.take("tokens by address", rate_limits.address_of(request.META))
        return JsonResponse({"signed": tokens.issue(request.body, slug=slug)})
    except RequestRefused as refusal:
        headers = {} if refusal.retry is None else {"Retry-After": str(refusal.retry)}
        return JsonResponse({"error": refusal.to_dict()}, status=refusal.status, headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
def by_account(request: HttpRequest, slug: str) -> HttpResponse:
    """A code for a signed-in user, to use on the page on which nobody is signed in."""
    version = selectors.version_on_the_web(slug)
    if version is None or version.closed_at is not None or not version.survey.fetched_by_account:
        raise Http404("There is no such page.")
    link = _link_for(request, version) if request.method == "POST" else ""
    context = {"survey": version.survey, "link": link, "title": "Your invitation", **admin.site.each_context(request)}
    return render(request, "panel/people/fetch.html", context)


def _link_for(request: HttpRequest, version: Version) -> str:
    assert isinstance(request.user, User)
    try:
        code = tokens.code_for(request.user, version)
    except RequestRefused:
        raise Http404("There is no such page.") from None
    return links.token_link_prefix(version) + code
