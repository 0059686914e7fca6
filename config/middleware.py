"""Security headers: the permissions of this site's pages in a browser."""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from surveys.definition.languages import CODE

RESPONDENT_PATH = "/s/"
SPENT_PATH = "/spent/"
PREVIEW_BY_LINK = "/preview/"
PANEL_PATH = "/panel/"
PREVIEW_PATH = re.compile(r"/panel/(preview/|survey/[^/]+/preview/page)")
STATIC_PATH = "/static/"
COIN_PATH = re.compile(rf"/s/[^/]+/({CODE}/)?coin/(send/)?")

RESPONDENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""No external resources, no form submission by the browser, no markup made from text."""

SPENT_POLICY = RESPONDENT_POLICY.replace("connect-src 'self'", "connect-src 'none'")
"""The page that shows what is stored on a respondent's device, and a preview by link: they cannot send anything."""

PREVIEW_POLICY = SPENT_POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
"""The author's preview of the respondent's page: framed by the panel, and unable to send anything."""

COIN_POLICY = (
    "default-src 'none'; script-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""The own-coin page and its preview: forms that the browser sends to this site, and no script at all."""

# No exception for scripts or styles within a page, nor for text that becomes a script: templates/unfold/ has anew what
# the theme would need one for. Its calendars and select boxes set styles from scripts, which no policy hinders.
# Only the preview lets itself be framed.
PANEL_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'"
)

DEFAULT_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

STATIC_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""Images and other files that could be opened as a document. Scripts and style sheets, forty to a page, say
nothing of it: opened by themselves they are text."""

SILENT = ("Cross-Origin-Opener-Policy", "ETag", "Last-Modified", "Referrer-Policy")
"""Headers set elsewhere, useless for a file with its content's hash in its name: it opens no window, leads
nowhere, and never has to be asked for again."""

NAMELESS = ""
"""An empty Server header: without one the server (granian) would add its name to every response."""

PERMISSIONS = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=(), "
    "browsing-topics=()"
)


def security_headers(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Add the security policies to every response, including error pages."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path.startswith((RESPONDENT_PATH, SPENT_PATH, PREVIEW_BY_LINK)):
            # To a respondent's address everybody is nobody: no cookie is read there, so none is ever set.
            request.META.pop("HTTP_COOKIE", None)
        response = get_response(request)
        for name, value in headers_for(request.path, missing=response.status_code >= 400).items():
            response.headers[name] = value
        if framing := getattr(response, "frame_ancestors", ()):
            # The sites that a survey names (surveys/lifecycle/embedding.py), and nothing else of the policy.
            policy = response.headers["Content-Security-Policy"]
            allowed = f"frame-ancestors {' '.join(framing)}"
            response.headers["Content-Security-Policy"] = policy.replace("frame-ancestors 'none'", allowed)
        if style := getattr(response, "own_style", ""):
            # The colours of the survey (surveys/definition/appearance.py), by their hash.
            policy = response.headers["Content-Security-Policy"]
            response.headers["Content-Security-Policy"] = policy.replace(
                "style-src 'self'", f"style-src 'self' {style}"
            )
        if "immutable" in response.headers.get("Cache-Control", ""):
            for name in SILENT:
                response.headers.pop(name, None)
        response.headers.setdefault("Cache-Control", "no-store")
        for name, value in transport_security().items():
            response.headers.setdefault(name, value)
        return response

    return middleware


def transport_security() -> dict[str, str]:
    """The HSTS header, which Django adds only to https requests; the proxy in front of us removes https."""
    if not settings.SECURE_HSTS_SECONDS:
        return {}
    return {"Strict-Transport-Security": f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains"}


def headers_without_django(path: str) -> dict[str, str]:
    """All headers of a response at `path` that does not pass Django's middleware."""
    django = {
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
        "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": settings.X_FRAME_OPTIONS,
    }
    return django | headers_for(path) | transport_security()


def headers_for(path: str, *, missing: bool = False) -> dict[str, str]:
    """The security headers of a response at `path`; `missing` for the page at a static file's path that says it
    is missing."""
    same_origin = {"Cross-Origin-Resource-Policy": "same-origin", "Server": NAMELESS}
    if path.startswith(STATIC_PATH) and not missing:
        text = path.endswith((".js", ".css"))
        return same_origin if text else same_origin | {"Content-Security-Policy": STATIC_POLICY}
    headers = same_origin | {"Permissions-Policy": PERMISSIONS}
    # Under no-referrer a browser posts its forms with "Origin: null", which the checks on forgery refuse.
    with_origin = headers | {"Referrer-Policy": "same-origin"}
    # A browser that knows this header runs no script whose content the page has not named.
    named_scripts = headers | {"Integrity-Policy": "blocked-destinations=(script)"}
    policies = (
        (COIN_PATH.fullmatch(path), with_origin, COIN_POLICY),
        (path.startswith(RESPONDENT_PATH), named_scripts, RESPONDENT_POLICY),
        (path.startswith((SPENT_PATH, PREVIEW_BY_LINK)), named_scripts, SPENT_POLICY),
        (PREVIEW_PATH.fullmatch(path), named_scripts, PREVIEW_POLICY),
        (path.startswith(PANEL_PATH), with_origin, PANEL_POLICY),
        (True, headers, DEFAULT_POLICY),
    )
    more, policy = next((more, policy) for fits, more, policy in policies if fits)
    return more | {"Content-Security-Policy": policy}
