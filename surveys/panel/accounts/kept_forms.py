"""A form that was refused for want of a session is given back: after signing in it can be sent again as it was typed.

It travels in the refusing page itself and then in the session of whoever signed in: nobody who has not signed in makes
the server keep anything. What another site sent is never given back, so that no press of a button here does its work.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from surveys.panel.views import panel_page

LONGEST = 500_000
"""Characters of a form that is given back: a draft with many questions in the plain form has 100,000."""

SECRET = {"password", "code", "old_password", "new_password1", "new_password2"}
NEVER = {"csrfmiddlewaretoken", "kept"}
FORGOTTEN = {"panel:paper", "panel:mail"}
"""Pages whose forms no session may hold: responses from paper sheets, and addresses of people."""
IN_SESSION = "kept_form"


@dataclass(frozen=True)
class KeptForm:
    """What was sent, and where to."""

    path: str
    fields: list[tuple[str, str]]

    @property
    def json(self) -> str:
        return json.dumps(asdict(self))


def kept_form(request: HttpRequest) -> KeptForm | None:
    """The form of a request as it can be sent again; None if it holds a secret or a file, or came from elsewhere."""
    form = request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data")
    if request.method != "POST" or not form or request.FILES:
        return None
    if not _from_here(request) or _forgotten(request.path_info):
        return None
    fields = [(name, value) for name, values in request.POST.lists() for value in values if name not in NEVER]
    whole = sum(len(name) + len(value) for name, value in fields)
    if not fields or whole > LONGEST or SECRET & {name for name, _ in fields}:
        return None
    return KeptForm(request.get_full_path(), fields)


def sign_in_again(request: HttpRequest, kept: KeptForm) -> HttpResponse:
    """The sign-in page for a form whose session has ended, with the form in it."""
    onward = f"{reverse('admin:login')}?{urlencode({'next': reverse('panel:kept')})}"
    context = {"kept": kept, "app_path": onward, "form": AdminAuthenticationForm(request)}
    return panel_page(request, "admin/login.html", context, status=403, title=gettext("Your session has ended"))


def give_back(request: HttpRequest, kept: KeptForm, *, status: int = 200) -> HttpResponse:
    """The page with the form, to be sent again by a press."""
    get_token(request)
    return panel_page(request, "panel/people/kept.html", status=status, title=gettext("Not sent yet"), kept=kept)


@require_http_methods(["GET", "HEAD", "POST"])
def kept(request: HttpRequest) -> HttpResponse:
    """What was typed before the session ended; a POST discards it."""
    found = _read(request.session.get(IN_SESSION, ""))
    if request.method == "POST" or found is None:
        request.session.pop(IN_SESSION, None)
        return redirect("panel:index")
    return give_back(request, found)


def needs_sign_in(response: HttpResponse) -> bool:
    """Whether a request was sent away to sign in, or to give the second factor."""
    doors = reverse("admin:login"), reverse("panel:code")
    return response.status_code == 302 and response["Location"].partition("?")[0] in doors


def keep_for(request: HttpRequest, kept: KeptForm) -> HttpResponse:
    """Give a form back to whoever has to sign in first, or has still to give the second factor."""
    if not request.user.is_authenticated:
        return sign_in_again(request, kept)
    request.session[IN_SESSION] = kept.json
    return redirect(f"{reverse('panel:code')}?{urlencode({'next': reverse('panel:kept')})}")


def no_page(request: HttpRequest, refusal: HttpResponse) -> HttpResponse:
    """The page in place of a blank one at an address that only a button leads to."""
    page = panel_page(request, "panel/people/no_page.html", status=405, title=gettext("No page at this address"))
    page["Allow"] = refusal["Allow"]
    return page


def _take_along(sender: object, request: HttpRequest, **_more: object) -> None:
    """Whoever signs in on the page that holds a form has it in the session."""
    written = request.POST.get("kept", "")
    if _read(written) is not None:
        request.session[IN_SESSION] = written


def _from_here(request: HttpRequest) -> bool:
    """Whether a page of this site sent it, as its browser says."""
    here = f"{request.scheme}://{request.get_host()}"
    return request.headers.get("Sec-Fetch-Site") == "same-origin" or request.headers.get("Origin") == here


def _forgotten(path: str) -> bool:
    try:
        return resolve(path).view_name in FORGOTTEN
    except Resolver404:
        return True


def _read(written: str) -> KeptForm | None:
    try:
        raw: Any = json.loads(written) if written and len(written) < 2 * LONGEST else None
        found = KeptForm(str(raw["path"]), [(str(name), str(value)) for name, value in raw["fields"]])
    except (ValueError, TypeError, KeyError):
        return None
    plain = found.path.partition("?")[0]
    within = plain.startswith("/panel/") and url_has_allowed_host_and_scheme(found.path, allowed_hosts=None)
    return found if within and not _forgotten(plain) else None


user_logged_in.connect(_take_along, dispatch_uid="kept form")
