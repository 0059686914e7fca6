"""Where a survey begins: the templates can be opened as they stand, and each way makes a draft under a free name."""

import copy

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from collector.errors import ValidationError
from surveys.definition import templates
from surveys.definition.definitions import design_of, dump, load_checked, total_epsilon
from surveys.definition.mechanisms import mechanism_of
from surveys.lifecycle import selectors
from surveys.models import Survey
from surveys.panel.gallery import cards

TOPICS = (
    "substance-use", "academic-cheating", "partner-violence", "corruption", "sexual-health", "discrimination-at-work",
    "tax", "doping", "classroom",
)  # fmt: skip
TO_BE_FILLED_IN = {"partner-violence"}


def test_templates_are_eight_topics_and_a_classroom() -> None:
    assert tuple(template.name for template in templates.templates()) == TOPICS
    assert templates.find("tax") is templates.templates()[6]
    assert templates.find("taxes") is None


@pytest.mark.parametrize("name", TOPICS)
def test_template_size_languages_and_epsilon(name: str) -> None:
    """Three to six questions in two languages, none above epsilon 2, together at most 4, also with a coin or a die.

    A class has one question, whose share is known.
    """
    template = templates.find(name)
    assert template is not None
    definition = copy.deepcopy(template.definition)
    assert definition["languages"] == ["en", "de"]
    assert 3 <= len(definition["items"]) <= 6 or definition["items"][0].get("known_share")
    assert all(mechanism_of(item).epsilon <= 2 for item in definition["items"])
    assert total_epsilon(definition) <= 4
    assert all(definition[text][code] for text in ("title", "introduction", "consent") for code in ("en", "de"))
    assert template.sources
    assert next(card for card in cards("en") if card.template.name == name).with_coin
    if name in TO_BE_FILLED_IN:
        with pytest.raises(
            ValidationError, match=r"introduction\.en has a placeholder to fill in: \[\[name and number"
        ):
            design_of(definition, version=1)
        definition["introduction"] = {"en": "Call 1.", "de": "Nummer 1."}
    assert design_of(definition, version=1).slug == name
    assert load_checked(dump(definition)) == definition


@pytest.mark.django_db
def test_the_gallery_shows_each_template(her: Client) -> None:
    html = her.get(reverse("panel:templates")).content.decode()
    for template in templates.templates():
        assert template.topic["en"] in html
        assert f'value="{template.name}"' in html
    assert html.count("Use this template</button>") == 9
    assert "<dd>3.18</dd>" in html, "4 questions: 3 * ln 2 + ln 3"


@pytest.mark.django_db
def test_the_gallery_speaks_german(her: Client) -> None:
    english = her.get(reverse("panel:templates")).content.decode()
    her.cookies["candor_language"] = "de"
    html = her.get(reverse("panel:templates")).content.decode()
    for template in templates.templates():
        assert set(template.topic) == set(template.why) == set(template.adapt) == {"en", "de"}
        assert template.topic["de"] in html
        assert template.why["de"][:40] in html
        assert template.definition["items"][0]["wording"]["de"] in html
    assert "<dd>3,18</dd>" in html
    her.cookies["candor_language"] = "en"
    assert her.get(reverse("panel:templates")).content.decode().count("<dd>3.18</dd>") == english.count("<dd>3.18</dd>")


@pytest.mark.django_db
def test_template_becomes_draft_with_free_slug(her: Client, alice: User) -> None:
    address = reverse("panel:templates")
    first, second = (her.post(address, {"template": "partner-violence"}) for _ in range(2))
    assert [answer["Location"].split("/")[-2] for answer in (first, second)] == [
        "partner-violence", "partner-violence-2",
    ]  # fmt: skip
    html = her.get(first["Location"]).content.decode()
    assert "has a placeholder to fill in" in html
    template = templates.find("partner-violence")
    assert template is not None
    assert selectors.definition_of(Survey.objects.get(slug="partner-violence")) == template.definition
    assert her.post(address, {"template": "no-such"}).status_code == 404
    assert Survey.objects.count() == 2


@pytest.mark.django_db
def test_copy_of_own_survey_takes_free_slug(survey: Survey, her: Client, bob: User, sign_in: object) -> None:
    address = reverse("panel:new")
    assert her.post(address, {"survey": "campus", "same_people": "yes"})["Location"] == reverse(
        "panel:survey", args=["campus-2"]
    )
    before = selectors.definition_of(survey)
    assert selectors.definition_of(Survey.objects.get(slug="campus-2")) == before | {"slug": "campus-2"}
    his: Client = sign_in(bob)  # type: ignore[operator]
    assert his.post(address, {"survey": "campus"}).status_code == 404
    assert "campus" not in his.get(address).content.decode()


@pytest.mark.django_db
def test_an_unfinished_draft_can_be_copied(survey: Survey, her: Client) -> None:
    survey.items.update(wording={"en": ""})
    her.post(reverse("panel:new"), {"survey": "campus", "same_people": "yes"})
    assert selectors.opening_fault(Survey.objects.get(slug="campus-2"))


@pytest.mark.django_db
def test_free_slug_long_slug_is_shortened(survey: Survey) -> None:
    Survey.objects.update(slug="a" * 64)
    assert selectors.free_slug("a" * 64) == "a" * 56 + "-2"
    assert selectors.free_slug("b") == "b"
