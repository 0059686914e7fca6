"""Sign-in by a one-time link: its code is in the fragment, and only pressing the button uses it up."""

from django.contrib.auth import login
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from sesame.backends import ModelBackend

from surveys.panel.views import panel_page

BACKEND = "sesame.backends.ModelBackend"


@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Show the button; a POST uses up the code. Any other request to this URL does not affect the link."""
    if request.method != "POST":
        return panel_page(request, "panel/people/sign_in.html", title=gettext("Sign in"))
    code = request.POST.get("code", "").strip().rpartition("#")[2]
    if spend(request, code):
        return redirect("admin:index")
    return panel_page(request, "panel/people/no_link.html", status=403, title=gettext("Not signed in"))


@transaction.atomic
def spend(request: HttpRequest, code: str) -> bool:
    """Sign in with this code, which is used up; False if it is invalid, expired or used. Tries with links do not
    count as tries with passwords, so that nobody is kept out by them."""
    user = ModelBackend().authenticate(request, code)
    if user is None:
        return False
    User.objects.select_for_update().get(pk=user.pk)
    user = ModelBackend().authenticate(request, code)  # of two who send it at once, the second waited and finds it used
    if user is None:
        return False
    user.backend = BACKEND
    login(request, user)
    return True
