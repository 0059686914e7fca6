"""An origin of its own for respondents: at it nothing else is served, and nothing of theirs at the site's.

A page of the panel, whoever might get a script into it, then shares neither storage nor permissions with the pages on
which people answer. Where CANDOR_RESPONDENT_URL is not set there is one origin for all.
"""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect

from config.middleware import RESPONDENT_PATH, SPENT_PATH, STATIC_PATH

RESPONDENTS = (RESPONDENT_PATH, SPENT_PATH)
"""What respondents open: questionnaires with all around them, and the record on their device."""


def keep_apart(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse at the respondents' origin what is not theirs; send who opens an address of theirs elsewhere there."""

    def middleware(request: HttpRequest) -> HttpResponse:
        theirs = settings.CANDOR_RESPONDENT_URL
        if not theirs or request.path.startswith(STATIC_PATH):
            return get_response(request)
        there = request.get_host().rpartition(":")[0] or request.get_host()
        at_theirs = there == urlsplit(theirs).hostname
        if at_theirs == request.path.startswith(RESPONDENTS):
            return get_response(request)
        if at_theirs or request.method not in ("GET", "HEAD"):
            raise Http404("There is no such page.")
        # A browser keeps the fragment, which has the fingerprint of the design.
        moved = HttpResponsePermanentRedirect(theirs + request.get_full_path())
        moved.status_code = 308
        return moved

    return middleware
