"""Signing in with the name and password that the institution's directory knows, where it has no provider."""

from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters

from collector.errors import Conflict, RequestRefused
from estimator.base.extras import lacking_package
from surveys.accounts import single_sign_on
from surveys.accounts.institution import Confirmed, issuer
from surveys.panel.accounts.account import locked
from surveys.panel.views import panel_page


@sensitive_post_parameters("password")
def account_of(request: HttpRequest, *, connects: User | None = None) -> User | HttpResponse:
    """The account of whose name and password a form has; before, and where they are wrong, the page with the form.

    With `connects` that account is connected. Wrong passwords are counted as those of Candor's own accounts are, but
    apart from them: who tries one here does not lock a namesake out there.
    """
    if missing := lacking_package("ldap", "ldap"):
        return _page(request, missing, status=503)
    if request.method != "POST":
        return _page(request)
    name = request.POST.get("name", "").strip()
    credentials = {"username": f"{issuer()}: {name}"}
    if not AxesProxyHandler.is_allowed(request, credentials):
        return locked(request)
    try:
        confirmed = _confirmed(request, name, credentials)
        if connects is None:
            return single_sign_on.account_of(confirmed)
        single_sign_on.connect(connects, confirmed)
    except (PermissionDenied, Conflict) as refusal:
        return _page(request, str(refusal), status=403)
    except RequestRefused as refusal:
        return _page(request, refusal.message, status=refusal.status)
    return connects


def _confirmed(request: HttpRequest, name: str, credentials: dict[str, str]) -> Confirmed:
    """Ask the directory; a refusal counts as a wrong password."""
    from surveys.accounts import directory

    try:
        return directory.confirm(name, request.POST.get("password", ""))
    except PermissionDenied:
        user_login_failed.send(sender=__name__, credentials=credentials, request=request)
        raise


def _page(request: HttpRequest, words: str = "", *, status: int = 200) -> HttpResponse:
    """The form, with what was wrong and the name that was typed, never the password."""
    onward = request.POST.get("next", request.GET.get("next", ""))
    context = {"words": words, "name": request.POST.get("name", ""), "onward": onward}
    title = gettext("Sign in")
    return panel_page(request, "panel/people/directory.html", context, status=status, title=title)
