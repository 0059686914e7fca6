"""The panel's forms, filled as a browser would fill them."""

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from django.template.response import TemplateResponse
from django.test import Client
from django.urls import reverse

from surveys.definition import definitions
from surveys.models import Item, Survey
from surveys.panel.forms.multilingual import WordsField

SMOKES, OFTEN, SUBSTANCE, PLACE, HABITS, MOOD, WORRY, DRINKS, HOURS = range(9)
"""Places of the questions of the example with every kind."""

BILINGUAL: dict[str, Any] = definitions.load(
    """
slug: campus
languages: [en, de]
title: {en: Campus, de: Universität}
introduction: {en: Two questions., de: Zwei Fragen.}
consent: {en: Leave at any time., de: Jederzeit aufhören.}
strata:
  wording: {en: "Which year?", de: "Welches Jahr?"}
  groups:
    - {key: y1, label: {en: First, de: Erstes}, share: 1/4}
    - {key: y2, label: {en: Later, de: Später}, share: 0.75}
items:
  - key: cheated
    wording: {en: "Have you cheated?", de: "Haben Sie betrogen?"}
    channel: {name: forced_response, truth: 2/5, yes: 1/3}
  - key: mood
    kind: one_choice
    wording: {en: "How are you?", de: "Wie geht es?"}
    choices: [{en: Well, de: Gut}, {en: So-so, de: Mittel}, {en: Low, de: Schlecht}]
    channel: {name: custom, weights: [[5, 1, 1], [1, 5, 1], [1, 1, 5]]}
"""
)


def form_of(client: Client, address: str, *, opened: Sequence[int] | None = None) -> dict[str, Any]:
    """What a browser would send if Save were pressed at once, with these questions unfolded; every one by default.

    The page itself is not rendered, which takes most of its time: its forms are enough.
    """
    keys = [item.pk for item in Item.objects.all()] if opened is None else opened
    with patch.object(TemplateResponse, "rendered_content", ""):
        response: Any = client.get(address, {"open": keys})
    assert response.status_code == 200
    context = response.context_data
    fields: dict[str, Any] = {"revision": context["revision"]} if "revision" in context else {}
    forms = [context["adminform"].form]
    for inline in context["inline_admin_formsets"]:
        formset = inline.formset
        forms += [formset.management_form, *formset.forms]
    for form in forms:
        fields |= {f"{form.prefix}-closed": "1"} if getattr(form, "closed", False) else {}
        for bound in form:
            value = bound.value()
            if isinstance(bound.field, WordsField):
                widget = bound.field.widget
                said = value or {}
                fields |= {widget.name_of(bound.html_name, code): said.get(code, "") for code in widget.languages}
            elif value is not None and value is not False:
                fields[bound.html_name] = value
            if bound.field.show_hidden_initial:
                fields[bound.html_initial_name] = value or ""
    return fields


def change(survey: Survey) -> str:
    return reverse("admin:surveys_survey_change", args=[survey.pk])


def save(client: Client, address: str, fields: dict[str, Any]) -> str:
    response = client.post(address, fields, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def errors_of(response: Any, place: int) -> dict[str, str]:
    formset = response.context["inline_admin_formsets"][-1].formset
    return {name: str(said[0]) for name, said in formset.forms[place].errors.items()}
