"""The report as a file: it stands alone, says the same in both shapes and languages, and can be checked."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.errors import InputError
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import disclosures, files, poisoning, privacy, report
from estimator.reports.disclosures import disclose
from estimator.runs import results, services
from estimator.runs.results import ReportContext
from randomized_response import poisoning_bound
from tests.factories import payloads
from tests.factories.runs import fill, run_of
from tests.tools.paper import pdf_content, report_data, texts

pytestmark = pytest.mark.django_db

DRAWN = {"recruitment": {"en": "By lot, from the register."}}


def html(run: Run, language: str = "en") -> str:
    return files.html_file(run, language).decode()


def words(run: Run, language: str = "en") -> str:
    return " ".join(unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", html(run, language), flags=re.S)).split())


def plain(text: str) -> str:
    return " ".join(unescape(text).split())


def test_html_report_is_self_contained(run: Run) -> None:
    page = html(run)
    assert not re.search(r"<script|<link|<img|@import|\bsrc=|\bstyle=", page)
    assert not re.search(r"url\((?!\"data:)", page)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert page.count("data:font/ttf;base64,") == 2
    assert "default-src 'none'" in page


def test_pdf_report_is_tagged_with_language(run: Run) -> None:
    whole = pdf_content(files.pdf_file(run, "de"))
    assert b"pdfuaid:part" in whole
    for tag in (b"/H1", b"/H2", b"/Table", b"/TH", b"/Figure", b"/Alt"):
        assert re.search(tag + rb"\b", whole), tag
    assert re.search(rb"/Lang\s*\(de\)", whole)
    assert not re.search(rb"CreationDate|ModDate", whole)


@pytest.mark.parametrize("language", report.LANGUAGES)
def test_html_and_pdf_report_say_the_same(run: Run, language: str) -> None:
    page, data = words(run, language), report_data(run, language)
    drawn = plain(re.sub(r"<[^>]*>", " ", html(run, language)))
    parts = [part for block in data["sections"][0]["blocks"] for part in block["parts"]]
    alts = [plain(part[name]["alt"]) for part in parts for name in ("overall", "by_group") if part[name]]
    told = {plain(text) for text in texts(data)} - {
        *alts,
        *map(plain, [*data["words"].values(), *texts(data["legend"])]),
    }
    assert [text for text in told if text not in page and text not in drawn and len(text) > 6] == []
    assert all(alt.split(" – ", 1)[1] in drawn for alt in alts)
    cells = [cell["text"] for part in parts for row in part["main"]["rows"] for cell in row]
    assert len(cells) > 20
    assert all(plain(cell) in page for cell in cells)


def test_report_files_same_state_gives_same_bytes(run: Run) -> None:
    for make in (files.html_file, files.pdf_file):
        assert make(run, "en") == make(Run.objects.get(pk=run.pk), "en") != make(run, "de")
    assert FORMATS["pdf"].whole(run) == files.pdf_file(run, "en")


def test_html_report_german_numbers_and_sentences(run: Run) -> None:
    page = words(run, "de")
    assert "„Yes“: zu ungenau zum Berichten (bei 90 Befragten, 95 %-KI 6" in page
    assert "(Epsilon) 2,49" in page
    assert "um mehr als 2,3 Prozentpunkte" in page
    assert "Frage 1: erzwungene Antwort (Boruch, 1971; Fox & Tracy, 1986)" in page
    assert '<html lang="de" dir="ltr">' in html(run, "de")


def test_report_page_language_can_be_chosen(client: Client, run: Run) -> None:
    address = reverse("estimator:report", args=[run.key])
    assert '<html lang="de" dir="ltr">' in client.get(address, {"language": "de"}).content.decode()
    assert '<html lang="en" dir="ltr">' in client.get(address, {"language": "xx"}).content.decode()
    sent = client.get(reverse("estimator:report-pdf", args=[run.key]), {"language": "de"})
    assert sent.content == files.pdf_file(run, "de")
    assert sent["Content-Disposition"].endswith('-de.pdf"')
    services.publish(run, published=False)
    assert client.get(reverse("estimator:report-html", args=[run.key])).status_code == 404


def test_report_empty_disclosures_are_named(run: Run) -> None:
    assert "Not stated by the author: Data collection strategy, Sponsor, Population, Recruitment, Limits." in words(run)
    disclose(
        "campus", {"sponsor": {"de": "Die Universität."}, "mode": {"en": "In the library."}}, probability_sample=False
    )
    page = html(run)
    assert "Not stated by the author: Data collection strategy, Population, Recruitment, Limits." in page
    assert '<span class="written" lang="de" dir="auto">Die Universität.</span>' in page
    assert "Self-administered web survey" in page
    assert "In the library." in page


def test_margin_of_error_needs_probability_sample(run: Run) -> None:
    before = words(run)
    assert "CI with sampling" not in before
    assert "No margin of sampling error is stated" in before
    with pytest.raises(InputError, match="how its members were drawn"):
        disclose("campus", {}, probability_sample=True)
    disclose("campus", DRAWN, probability_sample=True)
    clustered = words(run)
    assert "CI with sampling" not in clustered
    assert "Those change the error by a design effect" in clustered
    disclose("campus", DRAWN, probability_sample=True, simple_random=True)
    after = words(run)
    assert "95 % CI with sampling, for the population" in after.replace("\u00a0", " ")
    assert "With sampling (simple random sample, for the population): at most ±" in after
    assert "for a small one they are too wide" in after
    assert "95 % CI from randomisation alone, for the respondents" in after.replace("\u00a0", " ")


def test_disclosure_invalid_text_changes_nothing(run: Run) -> None:
    disclose("campus", DRAWN, probability_sample=True)
    for text in ("x" * (disclosures.LONGEST + 1), "a\x00b"):
        with pytest.raises(InputError):
            disclose("campus", {"sponsor": {"en": text}}, probability_sample=False)
    assert (disclosures.of("campus").texts, disclosures.of("campus").probability_sample) == (DRAWN, True)


def test_smallest_attack_is_minimal(run: Run) -> None:
    """At one report less the bound is below the distance, and above it from there: by the library's own bound."""
    (cheated, _felt) = results.read(run).items
    leaving, turning = poisoning.smallest_attack(cheated)
    (cell,) = (cell for cell in cheated.shares if not cell.group_key)
    estimate = cell.estimate
    ends = [abs(estimate.constrained - end) for end in (estimate.noise_low, estimate.noise_high) if 0 < end < 1]
    for one, distance in ((leaving, min(ends)), (turning, abs(estimate.unbiased - 0.5))):
        bounds = [poisoning_bound(one.n, one.false_reports - less, cheated.mechanism) for less in (0, 1)]
        assert bounds[1] < distance <= bounds[0] + 1e-9
    assert "to move the share of “Yes” across 50 %." in words(run)
    assert privacy.largest_weight(cheated) == 1.0


def test_smallest_attack_needs_significant_difference(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda run_id: None)
    fill(design, count=30, first=30)
    (cheated, felt) = results.read(run_of(design)).items
    assert [one.turns for item in (cheated, felt) for one in poisoning.smallest_attack(item)].count(True) < 2


def test_report_code_computes_its_numbers(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"<pre[^>]*><code>(.*?)</code>", html(run), re.S)
    assert report_data(run)["code"] == unescape(code)
    (tmp_path / "report.json").write_bytes(FORMATS["json"].whole(run))
    monkeypatch.chdir(tmp_path)
    exec(compile(unescape(code), "report", "exec"), {})
    told = capsys.readouterr().out
    assert f"{run.estimates.get(position=0, choice=1, stratum=None).constrained:.8f}" in told
    document = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert document["design_digest"] in unescape(code)


def test_report_states_retention(run: Run) -> None:
    assert "Responses are kept indefinitely." in words(run)
    for days, said in ((1, "deleted 1 day after"), (30, "deleted 30 days after")):
        assert said in files.html_file(run, "en", ReportContext(retention_days=days, designs=())).decode()


def test_pdf_report_missing_glyph_shows_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda run_id: None)
    document = payloads.document()
    document["items"][0]["choices"][1] = {"en": "Yes 👩‍👩‍👧 نعم"}
    design = freeze_design(document)
    fill(design)
    run = run_of(design)
    assert files.pdf_file(run, "en").startswith(b"%PDF-")
    told = list(texts(report_data(run)))
    assert any("Yes [?] نعم" in text for text in told)
    assert "👩‍👩‍👧" in html(run)
    assert html(run).count("data:font/ttf;base64,") == 4


def test_report_languages_are_offered_by_settings() -> None:
    assert set(report.LANGUAGES) == {code for code, _name in settings.LANGUAGES}


@pytest.fixture
def run(design: Design, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(services, "wake", lambda run_id: None)
    fill(design)
    return run_of(design, published=True)
