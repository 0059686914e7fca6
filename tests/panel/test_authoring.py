"""Writing a survey in the panel's form and by file: nothing is lost on the way, and faults are said where they are."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from surveys.accounts.teams import home_team
from surveys.definition import bounds, definitions
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Survey, Version
from tests.exchange import samples
from tests.factories import payloads
from tests.panel.forms import BILINGUAL, change, form_of, save
from tests.tools.gate import few

pytestmark = pytest.mark.django_db


@pytest.fixture
def bilingual(alice: User) -> Survey:
    return write_survey(BILINGUAL, team=home_team(alice))


def test_survey_form_saved_unchanged_keeps_definition(bilingual: Survey, her: Client) -> None:
    assert "is saved." in save(her, change(bilingual), form_of(her, change(bilingual)))
    assert selectors.definition_of(Survey.objects.get()) == BILINGUAL


def test_survey_form_edits_default_language_only(bilingual: Survey, her: Client) -> None:
    fields = form_of(her, change(bilingual))
    fields |= {"title": "College", "items-0-wording": "Did you cheat?", "items-1-choices": "Low\nFine\nWell\n"}
    save(her, change(bilingual), fields)
    found = selectors.definition_of(Survey.objects.get())
    assert found["title"] == {"en": "College", "de": "Universität"}
    assert found["items"][0]["wording"] == {"en": "Did you cheat?", "de": "Haben Sie betrogen?"}
    # Low and Well moved and took their German along; So-so was renamed and keeps its own.
    assert found["items"][1]["choices"] == [
        {"en": "Low", "de": "Schlecht"}, {"en": "Fine", "de": "Mittel"}, {"en": "Well", "de": "Gut"},
    ]  # fmt: skip


def test_survey_form_edits_every_language(bilingual: Survey, her: Client) -> None:
    fields = form_of(her, change(bilingual))
    assert fields["items-1-choices_de"] == "Gut\nMittel\nSchlecht"
    fields |= {"title_de": "Hochschule", "items-1-choices": "Fine\nLow\nWell", "items-1-choices_de": "Na ja\nMies\nGut"}
    fields |= {"groups-0-label_de": "Eins"}
    save(her, change(bilingual), fields)
    found = selectors.definition_of(Survey.objects.get())
    assert found["title"] == {"en": "Campus", "de": "Hochschule"}
    assert found["strata"]["groups"][0]["label"] == {"en": "First", "de": "Eins"}
    assert found["items"][1]["choices"] == [
        {"en": "Fine", "de": "Na ja"}, {"en": "Low", "de": "Mies"}, {"en": "Well", "de": "Gut"},
    ]  # fmt: skip


def test_survey_form_adds_and_removes_language(bilingual: Survey, her: Client) -> None:
    """What is missing in a new one is said; the platform's own words are there at once; one that goes is forgotten."""
    html = save(her, change(bilingual), form_of(her, change(bilingual)) | {"more_languages": ["de", "fr"]})
    assert (
        "There is no text in Français yet for: the title, the introduction, the consent, the question that assigns"
        in html
    )
    found = selectors.definition_of(Survey.objects.get())
    assert found["languages"] == ["en", "de", "fr"]
    assert found["items"][0]["choices"] == [
        {"en": "No", "de": "Nein", "fr": "Non"},
        {"en": "Yes", "de": "Ja", "fr": "Oui"},
    ]
    assert found["items"][1]["wording"] == {"en": "How are you?", "de": "Wie geht es?", "fr": ""}
    assert "Still missing: the text in Français." in her.get(change(bilingual)).content.decode()
    save(her, change(bilingual), form_of(her, change(bilingual)) | {"more_languages": ["de"]})
    assert selectors.definition_of(Survey.objects.get()) == BILINGUAL
    fields = form_of(her, change(bilingual))
    save(her, change(bilingual), fields | {"own_language": "de", "more_languages": []})
    assert selectors.definition_of(Survey.objects.get()) == BILINGUAL | {"languages": ["de", "en"]}


def test_survey_form_makes_link_name_and_keys_of_texts(her: Client, alice: User) -> None:
    address = reverse("admin:surveys_survey_add")
    fields = form_of(her, address) | {"title": "Rauschmittel an Hochschulen", "groups-TOTAL_FORMS": 2}
    fields |= {"strata_wording": "Year?", "sections-TOTAL_FORMS": 1, "sections-0-title": "Your studies"}
    fields |= {"groups-0-label": "First", "groups-1-label": "Later on", "items-TOTAL_FORMS": 3}
    fields |= {f"items-{place}-section": "your_studies" for place in range(3)}
    fields |= {f"items-{place}-kind": "yes_no" for place in range(3)}
    fields |= {f"items-{place}-mechanism": "warner" for place in range(3)}
    fields |= {f"items-{place}-truth": "3/4" for place in range(3)}
    fields |= {"items-0-wording": "Schön betrogen?", "items-1-wording": "Schön betrogen?", "items-2-wording": ""}
    fields |= {"items-0-prefer_not": ""}
    save(her, address, fields)
    found = selectors.definition_of(Survey.objects.get())
    assert found["slug"] == "rauschmittel-an-hochschulen"
    assert [item["key"] for item in found["items"]] == ["schon_betrogen", "schon_betrogen_2", "question"]
    assert [section["key"] for section in found["sections"]] == ["your_studies"]
    assert [group["key"] for group in found["strata"]["groups"]] == ["first___", "later_on"]


def test_survey_form_emptied_keys_stay_as_they_are(bilingual: Survey, her: Client) -> None:
    fields = form_of(her, change(bilingual)) | {"slug": "", "items-0-key": "", "groups-0-key": ""}
    save(her, change(bilingual), fields)
    assert selectors.definition_of(Survey.objects.get()) == BILINGUAL


def test_survey_form_emptied_key_gives_way_to_one_that_took_its_name(bilingual: Survey, her: Client) -> None:
    save(her, change(bilingual), form_of(her, change(bilingual)) | {"items-0-key": "", "items-1-key": "cheated"})
    found = selectors.definition_of(Survey.objects.get())
    assert [item["key"] for item in found["items"]] == ["cheated_2", "cheated"]


def test_survey_form_new_survey_round_trips_by_file(her: Client, alice: User) -> None:
    address = reverse("admin:surveys_survey_add")
    fields = form_of(her, address) | {
        "title": "Study", "slug": "study", "own_language": "de", "introduction": "Hallo.", "consent": "",
        "items-TOTAL_FORMS": 2,
        "items-0-key": "a", "items-0-kind": "yes_no", "items-0-wording": "Ja?", "items-0-mechanism": "warner",
        "items-0-prefer_not": "",
        "items-0-truth": "3/4", "items-0-choices": "", "items-0-yes": "", "items-0-weights": "",
        "items-1-key": "b", "items-1-kind": "one_choice", "items-1-wording": "Was?", "items-1-mechanism": "k_ary",
        "items-1-truth": "1/2", "items-1-choices": "Eins\nZwei\nDrei", "items-1-yes": "", "items-1-weights": "",
    }  # fmt: skip
    html = save(her, address, fields)
    assert "Ready to open." in html
    survey = Survey.objects.get(slug="study")
    assert (survey.team, survey.languages) == (home_team(alice), ["de"])
    assert [(item.key, item.position) for item in survey.items.all()] == [("a", 1), ("b", 2)]
    written = selectors.definition_of(survey)
    assert written["items"][0]["choices"] == [{"de": "Nein"}, {"de": "Ja"}]
    text = her.get(reverse("panel:definition", args=["study"])).content.decode()
    assert definitions.load(text) == written | {"same_people_as": "study"}


@pytest.mark.parametrize(
    ("changes", "words"),
    few(
        [
            ({"items-0-truth": "5/4"}, "truth must be"),
            ({"items-0-truth": "half"}, "truth must be"),
            ({"groups-0-share": "a lot"}, "share must be a fraction from 0 to 1 as text, such as &#x27;1/2&#x27;; got"),
            ({"own_language": "xx"}, "The respondents’ pages speak English, Deutsch"),
            ({"title_de": "x" * 301}, "Deutsch: at most 300 characters; these are 301."),
            ({"items-1-choices_de": "A\nB\nC\nD"}, "Deutsch has 4 lines, but English has 3 options."),
            ({"items-0-yes": "2"}, "yes must be"),
            ({"items-0-mechanism": "warner", "items-0-truth": "1/2"}, "truth must differ from 1/2"),
            ({"items-1-weights": "5 1 1\n1 x 1\n1 1 5"}, "Enter whole numbers"),
            ({"items-1-weights": "5 1 1\n1 5 1\n1 1 4"}, "must sum to 7"),
            ({"items-1-weights": "1 1 1\n1 1 1\n1 1 1"}, "linearly independent"),
            ({"items-0-choices": "No\nYes\nMaybe"}, "choices must be 2 for forced_response; got 3"),
            ({"items-0-key": "Not a key"}, "Use a-z, 0-9"),
            ({"slug": "Not a slug"}, "valid"),
            ({"title": ""}, "required"),
        ]
    ),
)
def test_survey_form_errors_stand_beside_fields(
    bilingual: Survey, her: Client, changes: dict[str, str], words: str
) -> None:
    html = save(her, change(bilingual), form_of(her, change(bilingual)) | changes)
    assert words in html
    assert selectors.definition_of(Survey.objects.get()) == BILINGUAL


def test_survey_form_saves_unfinished_draft(bilingual: Survey, her: Client) -> None:
    html = save(her, change(bilingual), form_of(her, change(bilingual)) | {"items-1-key": "cheated"})
    assert 'class="candor-missing"' in html
    assert "cheated is used more than once" in html
    assert her.get(change(bilingual)).content.decode().count("a key of its own; another question has this one too") == 2


def test_survey_page_names_mechanism_misfit(bilingual: Survey, her: Client) -> None:
    item = bilingual.items.all()[0]
    item.choices = item.choices[:1]
    item.save()
    html = her.get(reverse("panel:survey", args=["campus"])).content.decode()
    assert "choices must be 2 for forced_response; got 1" in html


def test_survey_form_removes_items_and_groups(bilingual: Survey, her: Client) -> None:
    gone = dict.fromkeys(("items-1-DELETE", "groups-0-DELETE", "groups-1-DELETE"), "on")
    fields = form_of(her, change(bilingual)) | gone
    save(her, change(bilingual), fields)
    found = selectors.definition_of(Survey.objects.get())
    assert (len(found["items"]), found["strata"]["groups"]) == (1, [])


def test_survey_form_shows_epsilon_and_channel(bilingual: Survey, her: Client) -> None:
    html = her.get(change(bilingual), {"open": [item.pk for item in bilingual.items.all()]}).content.decode()
    assert ("of 5, that send each response" in html, "(epsilon) 1.61" in html) == (True, True)


def test_survey_form_open_survey_is_refused(version: Version, her: Client) -> None:
    address, before = change(version.survey), selectors.definition_of(version.survey)
    assert her.post(address, {"title": "Other"}).status_code == 403
    response = her.get(address, follow=True)
    assert [message.level_tag for message in response.context["messages"]] == ["info"]
    assert selectors.definition_of(Survey.objects.get()) == before


def test_delete_never_opened_survey_removes_it(survey: Survey, her: Client) -> None:
    address = reverse("admin:surveys_survey_delete", args=[survey.pk])
    assert "Delete the draft “Campus”?" in her.get(address).content.decode()
    assert her.post(address, {"post": "yes"}).status_code == 302
    assert not Survey.objects.exists()


def test_delete_opened_survey_answers_403(version: Version, her: Client) -> None:
    address = reverse("admin:surveys_survey_delete", args=[version.survey.pk])
    assert her.post(address, {"post": "yes"}).status_code == 403
    assert Survey.objects.exists()


def yaml() -> str:
    return definitions.dump(BILINGUAL)


def test_upload_makes_draft(alice: User, her: Client) -> None:
    file = SimpleUploadedFile("campus.yaml", yaml().encode(), content_type="application/yaml")
    response = her.post(reverse("panel:upload"), {"file": file}, follow=True)
    assert [message.level_tag for message in response.context["messages"]] == ["success"]
    survey = Survey.objects.get()
    assert (survey.team, selectors.definition_of(survey)) == (home_team(alice), BILINGUAL)
    back = her.get(reverse("panel:definition", args=["campus"]))
    assert back["Content-Disposition"] == 'attachment; filename="campus.yaml"'
    assert definitions.load(back.content.decode()) == BILINGUAL | {"same_people_as": "campus"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Choose a file or paste its text."),
        ("a: [", "this is not YAML"),
        ("- 1", "must be an object"),
        ("slug: x\nweight: 3", "unknown keys: weight"),
        ("slug: x\ntitle: X", "items must be 1 to 256 questions"),
        ("!!python/object/apply:os.system ['true']", "tags are not allowed"),
    ],
)
def test_upload_errors_name_the_fault(her: Client, text: str, words: str) -> None:
    assert words in her.post(reverse("panel:upload"), {"text": text}).content.decode()
    assert not Survey.objects.exists()


def test_upload_error_marks_line_and_keeps_text(her: Client) -> None:
    text = yaml().replace("truth: 2/5", "truth: 7/5")
    line = 1 + text[: text.index("7/5")].count("\n")
    file = SimpleUploadedFile("campus.yaml", text.encode(), content_type="application/yaml")
    response = her.post(reverse("panel:upload"), {"file": file})
    html = response.content.decode()
    assert f"line {line}: items[0].channel: truth" in html
    marked = [one for one in response.context["form"].excerpt if one.faulty]
    assert [(one.number, one.words.strip()) for one in marked] == [(line, "truth: 7/5")]
    assert html.count("truth: 7/5") == 2, "in the marked line and in the field, to be put right"


def test_import_report_lists_missing_texts_by_language(her: Client) -> None:
    file = SimpleUploadedFile("form.csv", samples.content("form.csv"), content_type="text/csv")
    html = her.post(reverse("panel:upload"), {"file": file, "format": "auto"}).content.decode()
    assert "<li>There is no text in Deutsch yet for: the title" in html
    assert "title.de" not in html


def test_upload_not_utf8_is_refused(her: Client) -> None:
    file = SimpleUploadedFile("x.yaml", b"\xff\xfe\x00")
    assert list(her.post(reverse("panel:upload"), {"file": file}).context["form"].errors) == ["__all__"]


def test_upload_open_or_foreign_survey_is_refused(version: Version, her: Client, bob: User, sign_in: Any) -> None:
    for client in (her, sign_in(bob)):
        errors = client.post(reverse("panel:upload"), {"text": yaml()}).context["form"].errors
        assert list(errors) == ["__all__"]
    assert selectors.definition_of(Survey.objects.get()) == payloads.definition()


def test_survey_form_saves_invitations_waves_and_release(survey: Survey, her: Client) -> None:
    said = {"invitations": "secret", "repeats": "remember", "participation": "0.5", "privacy_budget": "2.5"}
    save(her, change(survey), form_of(her, change(survey)) | said)
    assert selectors.definition_of(Survey.objects.get()).items() >= said.items()
    unsaid = {"invitations": "", "repeats": "fresh", "participation": "", "privacy_budget": ""}
    save(her, change(survey), form_of(her, change(survey)) | unsaid)
    assert selectors.definition_of(Survey.objects.get()).keys().isdisjoint(said)


@pytest.mark.parametrize(
    ("written", "words"), few([("0", "must be greater than 0 and at most 8"), ("much", "decimal number")])
)
def test_survey_form_validates_release_epsilon(survey: Survey, her: Client, written: str, words: str) -> None:
    html = save(her, change(survey), form_of(her, change(survey)) | {"participation": written})
    assert words in html
    assert Survey.objects.get().participation == ""
    Survey.objects.update(participation=written)
    assert "Hide exact group sizes (epsilon) must be " in her.get(f"/panel/survey/{survey.slug}/").content.decode()


def test_survey_form_saves_known_share(survey: Survey, her: Client) -> None:
    save(her, change(survey), form_of(her, change(survey)) | {"items-0-known_share": "1/3"})
    assert selectors.definition_of(Survey.objects.get())["items"][0]["known_share"] == "1/3"
    save(her, change(survey), form_of(her, change(survey)) | {"items-0-known_share": ""})
    assert "known_share" not in selectors.definition_of(Survey.objects.get())["items"][0]


def test_survey_form_saves_sensitivity_and_validates_budget(survey: Survey, her: Client) -> None:
    save(her, change(survey), form_of(her, change(survey)) | {"items-0-sensitivity": "very", "privacy_budget": "2,5"})
    definition = selectors.definition_of(Survey.objects.get())
    assert (definition["items"][0]["sensitivity"], definition["privacy_budget"]) == ("very", "2.5")
    html = save(her, change(survey), form_of(her, change(survey)) | {"privacy_budget": "101"})
    assert "The privacy budget must be greater than 0 and at most 100; got &#x27;101&#x27;." in html
    assert selectors.definition_of(Survey.objects.get()) == definition


def test_upload_too_large_answers_413(her: Client) -> None:
    file = SimpleUploadedFile("a.yaml", b"#" * (bounds.LARGEST + 1))
    errors = str(her.post("/panel/upload/", {"file": file}).context["form"].errors)
    assert ("524,288" in errors, "524,289" in errors) == (True, True)
    answer = her.generic("POST", "/panel/upload/", b"", CONTENT_LENGTH="50000000")
    assert (answer.status_code, answer.content) == (
        413,
        b"A request may have 1,048,576 bytes here; this one has 50000000.",
    )


def test_survey_form_errors_are_linked_above_it(bilingual: Survey, her: Client) -> None:
    changes = {"items-0-truth": "5/4", "title": "", "groups-0-share": "a lot"}
    html = save(her, change(bilingual), form_of(her, change(bilingual)) | changes)
    summary = html.partition("data-errors>")[2].partition("</section>")[0]
    anchors = re.findall(r'href="#([^"]+)"', summary)
    assert "Question 1, " in summary
    assert anchors == ["id_title", "id_groups-0-share", "id_items-0-truth"]
    assert all(f'id="{anchor}"' in html for anchor in anchors)


def test_survey_form_takes_percent_and_evens_group_keys(bilingual: Survey, her: Client) -> None:
    changes = {
        "items-0-truth": "75 %", "groups-0-share": "30%", "groups-1-share": "0,7",
        "groups-0-key": "men", "groups-1-key": "women",
    }  # fmt: skip
    save(her, change(bilingual), form_of(her, change(bilingual)) | changes)
    saved = selectors.definition_of(Survey.objects.get())
    assert saved["items"][0]["channel"]["truth"] == "0.75"
    assert [(group["key"], group["share"]) for group in saved["strata"]["groups"]] == [
        ("men__", "0.3"),
        ("women", "0.7"),
    ]
