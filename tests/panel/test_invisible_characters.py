"""A character that cannot be seen is refused wherever a text enters, with the field, its code point and its place."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from collector.errors import ValidationError
from estimator.models import Disclosure
from surveys.definition import definitions
from surveys.models import AccessToken, Survey, Team
from tests.panel.forms import change, form_of
from tests.tools.api import Program

pytestmark = pytest.mark.django_db
TURNED = "ab\u202ec"
SAID = "U+202E (RIGHT-TO-LEFT OVERRIDE) as character 3"


def test_survey_form_refuses_invisible_characters(survey: Survey, her: Client) -> None:
    fields = form_of(her, change(survey))
    texts = [
        "title", "introduction", "consent", "strata_wording", "groups-0-label", "items-0-wording", "items-0-choices",
        "items-0-truth", "items-0-key", "items-0-asked_if_answers", "slug",
    ]  # fmt: skip
    answer = her.post(change(survey), fields | dict.fromkeys(texts, TURNED))
    context = answer.context
    refused = [
        context["adminform"].form.errors,
        *(e for i in context["inline_admin_formsets"] for e in i.formset.errors),
    ]
    named = {f"{name}" for errors in refused for name, words in errors.items() if SAID in str(words)}
    assert {"title", "introduction", "consent", "strata_wording", "label", "wording", "choices", "truth"} <= named
    assert "asked_if_answers" in named
    assert {"slug", "key"} <= {name for errors in refused for name in errors}
    assert "\u202e" not in json.dumps(list(Survey.objects.values()), default=str, ensure_ascii=False)


@pytest.mark.parametrize(
    ("place", "more", "model"),
    [
        ("panel:teams", {"name": TURNED}, Team),
        ("panel:tokens", {"name": TURNED, "scope": "read", "days": "7"}, AccessToken),
    ],
)
def test_names_refuse_invisible_characters(her: Client, place: str, more: dict[str, str], model: Any) -> None:
    before = model.objects.count()
    answer = her.post(reverse(place), more)
    assert SAID in answer.content.decode().replace("&#x27;", "'")
    assert model.objects.count() == before


def test_disclosure_refuses_invisible_characters(survey: Survey, her: Client) -> None:
    answer = her.post(reverse("panel:disclose", args=[survey.slug]), {"language": "en", "sponsor": TURNED})
    assert (answer.status_code, SAID in answer.content.decode()) == (422, True)
    assert not Disclosure.objects.exists()


def test_upload_refuses_invisible_characters(her: Client) -> None:
    text = f"slug: x\ntitle: {TURNED}\nitems: [{{key: a, wording: b}}]"
    assert SAID in her.post(reverse("panel:upload"), {"text": text}).content.decode()
    for source, words in (
        ('title: "\\u202e"', "title has U+202E"),
        ('"ti\\u200btle": x', "a key that has U+200B"),
        ("items: [{wording: {en: \"\\0\"}}]", "items[0].wording.en has U+0000"),
    ):  # fmt: skip
        with pytest.raises(ValidationError) as caught:
            definitions.load(source)
        assert words in str(caught.value)


def test_api_refuses_invisible_characters(alice: User, survey: Survey) -> None:
    program = Program(alice)
    for path, body, field in (
        ("surveys/", {"definition": {"title": {"en": TURNED}}}, "definition.title.en"),
        ("surveys/", {"yaml": TURNED}, "yaml"),
        ("surveys/campus/duplicate/", {"slug": TURNED}, "slug"),
        ("surveys/campus/open/", {"digest": TURNED}, "digest"),
    ):
        (fault,) = program.refused(422, "POST", path, body)["errors"]
        assert (fault["field"], SAID in fault["message"]) == (field, True)
    program.refused(422, "PATCH", "surveys/campus/definition/", {"introduction": {"en": "a\u200f"}})


def test_commands_refuse_invisible_characters(survey: Survey) -> None:
    with pytest.raises(CommandError, match=r"slug has U\+202E"):
        call_command("open_survey", TURNED)
    with pytest.raises(CommandError, match=r"file has U\+202E"):
        call_command("import_survey", f"{TURNED}.yaml")


def test_account_name_refuses_invisible_characters(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("root", password="a long passphrase"))
    user = User.objects.create_user("carol")
    page = reverse("admin:auth_user_change", args=[user.pk])
    answer = client.post(page, {"username": "carol", "first_name": TURNED})
    assert SAID in answer.content.decode()
