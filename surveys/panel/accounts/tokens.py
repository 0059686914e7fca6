"""The page of the user's access tokens: creating one, which is shown once, and revoking them."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from collector.designs.texts import validate_line
from collector.errors import Conflict
from surveys.accounts import tokens
from surveys.accounts.access import one_or_404
from surveys.models import AccessToken
from surveys.panel.views import panel_page, signed_in

MAY = [("read", gettext_lazy("read")), ("write", gettext_lazy("read and change"))]
LASTING = [
    ("7", gettext_lazy("a week")),
    ("30", gettext_lazy("30 days")),
    ("90", gettext_lazy("90 days")),
    ("365", gettext_lazy("a year")),
    ("", gettext_lazy("until revoked")),
]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Purpose"), max_length=100, validators=[validate_line], widget=UnfoldAdminTextInputWidget
    )
    scope = forms.ChoiceField(label=gettext_lazy("Permission"), choices=MAY, widget=UnfoldAdminSelectWidget)
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
        choices=LASTING,
        coerce=int,
        empty_value=None,
        required=False,
        initial="90",
        widget=UnfoldAdminSelectWidget,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def my_tokens(request: HttpRequest) -> HttpResponse:
    """The user's tokens; a POST creates one and shows it in this reply only."""
    user, form, secret = signed_in(request), TokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            _made, secret = tokens.make(user, **form.cleaned_data)
            form = TokenForm()
        except Conflict as refusal:
            form.add_error(None, str(refusal))
    context = {"form": form, "secret": secret, "tokens": tokens.tokens_of(user)}
    status = 422 if form.errors else 200
    return panel_page(request, "panel/people/tokens.html", context, status=status, title=gettext("Access tokens"))


@require_POST
def revoke(request: HttpRequest, token: int) -> HttpResponse:
    user = signed_in(request)
    found = one_or_404(AccessToken.objects.filter(user=user, pk=token).first(), "token")
    tokens.revoke(found, by=user)
    messages.success(request, gettext("The token “{name}” is revoked.").format(name=found.name))
    return redirect("panel:tokens")
