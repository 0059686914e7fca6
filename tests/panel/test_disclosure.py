"""The page on which an author says what reports disclose."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from estimator.exports import services
from estimator.models import Export, Run
from estimator.reports import disclosures
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import AuditEntry, Survey
from tests.factories import payloads
from tests.panel.forms import form_of

pytestmark = pytest.mark.django_db

PAGE = "/panel/survey/campus/disclose/"
FIELDS = {field.name: "" for field in disclosures.FIELDS}


def test_disclosure_one_language_keeps_the_other(her: Client, survey: Survey) -> None:
    for language, sponsor in (("en", "The university."), ("de", "Die Universität.")):
        sent = her.post(PAGE, {**FIELDS, "language": language, "sponsor": f" {sponsor}\r\n"})
        assert sent.headers["Location"] == f"{PAGE}?language={language}"
    assert disclosures.of("campus").texts == {"sponsor": {"en": "The university.", "de": "Die Universität."}}
    page = her.get(PAGE, {"language": "de"}).content.decode()
    assert "Die Universität.</textarea>" in page
    assert ">Auftraggeber</label>" in page
    assert AuditEntry.objects.filter(act="changed the disclosure", slug="campus").count() == 2


def test_disclosure_refused_text_stays_in_form(her: Client, survey: Survey) -> None:
    answer = her.post(PAGE, {**FIELDS, "language": "en", "limits": "Kept <b>", "sample": "simple"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "so this must say how its members were drawn" in page
    assert "Kept &lt;b&gt;</textarea>" in page
    assert "checked" in page
    assert disclosures.of("campus").pk is None


def test_disclosure_change_deletes_outdated_files(her: Client, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda export_id: None)
    for name in ("pdf", "bundle", "csv"):
        services.request(run, name)
    her.post(PAGE, {**FIELDS, "language": "en", "sponsor": "Nobody."})
    assert set(Export.objects.values_list("format", flat=True)) <= {"csv"}


def test_disclosure_follows_rename_and_deletion(her: Client, alice: User) -> None:
    draft = write_survey(payloads.definition(slug="draft"), team=home_team(alice))
    disclosures.disclose("draft", {"sponsor": {"en": "Nobody."}}, probability_sample=False)
    address = reverse("admin:surveys_survey_change", args=[draft.pk])
    her.post(address, form_of(her, address) | {"slug": "renamed"})
    assert disclosures.of("renamed").texts == {"sponsor": {"en": "Nobody."}}
    assert disclosures.of("draft").pk is None
    her.post(reverse("admin:surveys_survey_delete", args=[draft.pk]), {"post": "yes"})
    assert disclosures.of("renamed").pk is None


def test_number_of_people_asked_is_kept_and_checked(her: Client, survey: Survey) -> None:
    place = reverse("panel:disclose", args=["campus"])
    her.post(place, FIELDS | {"language": "en", "asked": " 1200 "})
    assert disclosures.of("campus").asked == 1200
    assert 'name="asked" inputmode="numeric" value="1200"' in her.get(place).content.decode()
    for wrong in ("0", "-5", "many", "1.5", "٣", "10000000000000"):
        page = her.post(place, FIELDS | {"language": "en", "asked": wrong})
        text = page.content.decode()
        assert (page.status_code, "a whole number from 1 to 1,000,000,000" in text) == (422, True)
        assert f'value="{wrong}"' in text
    assert disclosures.of("campus").asked == 1200
    her.post(place, FIELDS | {"language": "de", "asked": ""})
    assert disclosures.of("campus").asked is None
