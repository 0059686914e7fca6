"""The fields of one question of a draft, fetched when its line in the form is unfolded."""

from types import SimpleNamespace
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collector.errors import Conflict
from surveys.accounts.access import Role, get_survey_or_404, one_or_404
from surveys.lifecycle import transitions
from surveys.models import Survey


@require_safe
def fields(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The fields below the row of a question, as saved; `row` is its index among the rows of the form."""
    found = get_survey_or_404(request.user, slug, Role.EDITOR)
    try:
        transitions.require_draft(found)
    except Conflict as refusal:
        raise PermissionDenied(str(refusal)) from None
    row = request.GET.get("row", "")
    model_admin: Any = admin.site.get_model_admin(Survey)
    *_, (made, inline) = model_admin.get_formsets_with_inlines(request, found)
    made.opened = frozenset([pk])
    formset = made(instance=found, queryset=inline.get_queryset(request))
    (shown,) = model_admin.get_inline_formsets(request, [formset], [inline], found)
    question = one_or_404(next((one for one in shown if one.original is not None and one.original.pk == pk), None))
    if row.isdecimal():
        question.form.prefix = formset.add_prefix(int(row))
    about = {"inline_admin_form": question, "inline_admin_formset": shown}
    return render(request, "panel/write/_fields.html", about | {"adminform": SimpleNamespace(model_admin=model_admin)})
