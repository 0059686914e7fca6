"""Import of another tool's questionnaire: the report first, then the draft."""

import io
import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from surveys.lifecycle import selectors
from surveys.models import Survey
from tests.exchange import samples
from tests.tools.html import words

pytestmark = pytest.mark.django_db


def upload(client: Client, name: str, **fields: str) -> str:
    file = SimpleUploadedFile(name, samples.content(name))
    return client.post(reverse("panel:upload"), {"file": file, "format": "auto", **fields}).content.decode()


def make_draft(client: Client, html: str) -> Survey:
    source = unescape(re.findall(r'<textarea name="text" hidden>(.*?)</textarea>', html, re.S)[0])
    fields = {"text": source, "format": "candor", "unfinished": "on"}
    assert client.post(reverse("panel:upload"), fields).status_code == 302
    return Survey.objects.get()


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda one: one.filename)
def test_import_shows_report_then_makes_draft(her: Client, sample: samples.Sample) -> None:
    html = upload(her, sample.filename)
    assert not Survey.objects.exists()
    assert all(text in words(html) for text in (*sample.words, *sample.left_out, "left out" if sample.left_out else ""))
    definition = selectors.definition_of(make_draft(her, html))
    assert [(item["key"], item["kind"], len(item["choices"])) for item in definition["items"]] == sample.items


def test_import_of_pasted_list_makes_draft(her: Client) -> None:
    text = "My survey\n\n1. Have you lied? (yes/no)\n2. To whom?\n- Boss\n- Friend\n"
    html = her.post(reverse("panel:upload"), {"text": text, "format": "auto", "language": "en"}).content.decode()
    assert [item["kind"] for item in selectors.definition_of(make_draft(her, html))["items"]] == [
        "yes_no",
        "one_choice",
    ]


def test_import_error_names_bound_and_makes_nothing(her: Client) -> None:
    answer = her.post(reverse("panel:upload"), {"text": '{"a": 1}', "format": "auto"}).content.decode()
    assert "neither from Qualtrics" in words(answer)
    assert not Survey.objects.exists()


def test_import_escapes_what_the_file_says(her: Client) -> None:
    text = 'Title\n\n1. Is 1 < 2 <scr&lt;ipt> "x"? (yes/no)\n</textarea><script>alert(1)</script>\n'
    html = her.post(reverse("panel:upload"), {"text": text, "format": "text"}).content.decode()
    assert "<script>alert" not in html


def test_import_command_reports_and_makes_draft(alice: User) -> None:
    out, err = io.StringIO(), io.StringIO()
    file = Path(samples.FILES / "form.csv")
    call_command("import_survey", file, "--json", stdout=out, stderr=err)
    facts = json.loads(out.getvalue())
    assert (facts["slug"], facts["items"], facts["format"]) == ("smoke-test", 4, "xlsform")
    assert "left out: survey, row 8: Why?" in err.getvalue()
    call_command("import_survey", file, stdout=out, stderr=err)
    assert set(Survey.objects.values_list("slug", flat=True)) == {"smoke-test", "smoke-test-2"}
