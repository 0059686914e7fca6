"""The report's page: what it says agrees with the numbers, and only a published one can be read."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from collector.designs import Design
from collector.designs.services import freeze_design
from estimator.models import Run
from estimator.reports import report
from estimator.reports.disclosures import disclose
from estimator.runs import results, services
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.factories.runs import fill, know, run_of
from tests.tools.html import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(design: Design) -> Run:
    fill(design)
    return run_of(design, published=True)


def page(client: Client, run: Run) -> str:
    response = client.get(reverse("estimator:report", args=[run.key]))
    assert response.status_code == 200
    return response.content.decode()


PATHS = ["estimator:report", "estimator:report-csv", "estimator:report-json"]


@pytest.mark.parametrize("name", PATHS)
def test_report_page_published_is_readable_by_link(client: Client, run: Run, name: str) -> None:
    assert client.get(reverse(name, args=[run.key])).status_code == 200
    assert client.post(reverse(name, args=[run.key])).status_code == 405


@pytest.mark.parametrize("name", PATHS)
def test_report_page_unpublished_looks_like_missing(client: Client, run: Run, name: str) -> None:
    missing = client.get(reverse(name, args=["0" * 32]))
    services.publish(run, published=False)
    hidden = client.get(reverse(name, args=[run.key]))
    assert (missing.status_code, hidden.status_code) == (404, 404)
    assert missing.content == hidden.content


def test_report_page_has_no_script_or_inline_style(client: Client, run: Run) -> None:
    html = page(client, run)
    assert "<script" not in html
    assert not re.search(r"\bstyle=|<style|\bon[a-z]+=", html)


def test_report_sentence_agrees_with_estimate(client: Client, design: Design) -> None:
    fill(design, count=360, first=300)
    run = run_of(design, published=True)
    estimate = run.estimates.get(position=0, choice=1, stratum=None)
    sentence = next(line.sentence for line in report.build(run).blocks[0].parts[0].lines).replace("\u00a0", " ")
    said = r"Of the 360 respondents, an estimated (\d+) % \(95 % CI (\d+)–(\d+) %\) would truthfully answer “Yes”."
    found = re.match(said, sentence)
    assert found is not None
    shown, low, high = map(int, found.groups())
    assert shown == round(100 * estimate.constrained)  # type: ignore[operator]
    assert low <= 100 * estimate.noise_low < low + 1  # type: ignore[operator]
    assert high - 1 < 100 * estimate.noise_high <= high  # type: ignore[operator]
    assert sentence in text_of(page(client, run))


def test_report_estimates_have_sentence_with_interval(run: Run) -> None:
    parts = [part for block in report.build(run).blocks for part in block.parts]
    lines = [line for part in parts for line in part.lines + part.group_lines]
    assert len(lines) == 3 + 9
    assert all("95\u00a0% CI " in line.sentence for line in lines if not line.missing)
    groups = [line.sentence for line in lines if line.group == "First year" and not line.missing]
    assert all("in the group “first year”" in sentence.lower() for sentence in groups)
    later = [line.sentence for line in lines if line.group == "Later"]
    told = r"“.+” in the group “Later”: too imprecise to report \(30 respondents, 95\u00a0% CI "
    assert any(re.match(told, sentence) for sentence in later), "thirty reports by two coins"


def test_report_page_too_few_reports_is_stated(client: Client, design: Design) -> None:
    fill(design, count=9, first=9)
    words = text_of(page(client, run_of(design, published=True)))
    assert "Not enough responses yet: 0 of 10" in words


def test_report_page_escapes_wording(client: Client, db: None) -> None:
    hostile = 'Have <b>you</b> & "they" \' <script>alert(1)</script>?'
    document = payloads.document()
    document["items"][0]["wording"] = document["title"] = document["introduction"] = {"en": hostile}
    document["items"][0]["choices"][1] = document["strata"]["groups"][0]["label"] = {"en": hostile}
    design = freeze_design(document)
    fill(design)
    html = page(client, run_of(design, published=True))
    assert "<script" not in html
    assert hostile in text_of(html)


def test_report_page_makes_no_false_promise(client: Client, run: Run) -> None:
    words = text_of(page(client, run)).lower()
    assert not re.search(r"anonym|noise is added|100 % private|guarantee", words)


def test_report_page_hides_observed_share(client: Client, run: Run) -> None:
    """60 of 90 reports say yes: 66.7 %, while the estimate is 83 %; an interval of a group ends at 67 %."""
    assert not re.search(r"(?<!–)\b(66|67|66\.7) %", text_of(page(client, run)))


def test_report_page_shows_privacy_label(client: Client, run: Run) -> None:
    words = text_of(page(client, run))
    assert "Local: each answer is randomised on the respondent’s own device" in words
    assert "Privacy loss (epsilon) 2.49: all responses of one person together change the odds" in words
    assert "by a factor of at most 12" in words
    assert run.design_id in words
    assert "Number of tickets, of 4, that send each response" in words


def test_report_page_states_bound_of_false_reports(client: Client, run: Run) -> None:
    assert (
        "With 1 % false responses (1 of 90), no share shifts by more than 2.3 percentage points; "
        "with 5 % false responses (5 of 90), no share shifts by more than 11.2 percentage points."
        in text_of(page(client, run))
    )


def test_report_page_names_method_and_digest(client: Client, run: Run) -> None:
    words = text_of(page(client, run))
    assert run.input_digest in words
    assert f"randomized_response {run.version}" in words
    assert "sum of two binomials (a convolution)" in words


def test_report_page_impossible_reports_raise_alarm(client: Client, design: Design) -> None:
    for _ in range(90):
        store_report(payloads.body(design, report="0100"))
    words = text_of(page(client, run_of(design, published=True)))
    assert "Of the 90 respondents, an estimated 100 %" in words
    assert "more often in the responses than the randomisation scheme of this question can produce" in words


def test_report_page_rehearsal_counts_covered_truths(client: Client, db: None) -> None:
    design = freeze_design(payloads.document(rehearsal=True))
    fill(design)
    know(design, {(0, 1, None): 75, (1, 0, None): 1})  # 83 %, well inside; 1 %, far outside
    run = run_of(design, published=True)
    words = text_of(page(client, run))
    assert "Simulated respondents." in words
    assert "1 of 2 main intervals contain the true value" in words
    assert "90 simulated respondents" in words
    assert "83.3 % inside the interval" in words
    assert "1.1 % outside the interval" in words


def test_report_page_real_survey_has_no_known_truth(client: Client, run: Run) -> None:
    words = text_of(page(client, run))
    assert "True value" not in words
    assert "simulated" not in words


def test_report_page_weighted_estimate_has_weighted_truth(client: Client, db: None) -> None:
    design = freeze_design(payloads.with_known_shares("1/4", "3/4", rehearsal=True))
    fill(design, count=90, first=45)
    know(design, {(0, 1, None): 75, (0, 1, 0): 75, (0, 1, 1): 30})
    run = run_of(design, published=True)
    cell = results.read(run).items[0].shares[0]
    assert cell.truth == pytest.approx(1 / 4 * 75 / 90 + 3 / 4 * 30 / 90)
    words = text_of(page(client, run))
    assert "“Yes”, weighted by the known group sizes: too imprecise to report" in words
    assert "of 3 main intervals contain the true value" in words
    assert "45.8" in words


def test_weighted_truth_collapsed_groups_weigh_by_size(client: Client, db: None) -> None:
    """4 of 64 are of the first group: both have one weight, and the truth is that of all 64."""
    design = freeze_design(payloads.with_known_shares("1/4", "3/4", rehearsal=True))
    fill(design, count=64, first=4)
    know(design, {(0, 1, None): 17, (0, 1, 0): 8, (0, 1, 1): 16}, respondents=32)
    cell = results.read(run_of(design)).items[0].shares[0]
    assert cell.truth == pytest.approx((4 * 8 / 32 + 60 * 16 / 32) / 64)


def test_report_page_uses_survey_language(client: Client, db: None) -> None:
    document = payloads.document(languages=["ar"])

    def in_arabic(value: object) -> object:
        if isinstance(value, dict):
            return {"ar": value["en"]} if set(value) == {"en"} else {k: in_arabic(v) for k, v in value.items()}
        return [in_arabic(part) for part in value] if isinstance(value, list) else value

    design = freeze_design(in_arabic(document))  # type: ignore[arg-type]
    html = page(client, run_of(design, published=True))
    assert '<h1 lang="ar" dir="auto">Campus</h1>' in html


def test_report_page_custom_channel_names_its_interval(client: Client) -> None:
    """Its categories are no binomials, so the library falls back to another interval; the page names that one."""
    document = payloads.document()
    document["items"][1]["channel"] = {"name": "custom", "weights": [[5, 3, 2], [2, 5, 3], [1, 2, 7]]}
    design = freeze_design(document)
    fill(design)
    run = run_of(design, published=True)
    assert "a custom transition matrix" in text_of(page(client, run))
    disclose(
        "campus", {"recruitment": {"en": "By lot, from the register."}}, probability_sample=True, simple_random=True
    )
    html = text_of(page(client, run))
    assert "profile likelihood interval on the simplex" in html
    assert "Mechanism: custom randomisation scheme." in html


def test_report_names_who_asked_in_the_words_of_the_design(client: Client) -> None:
    about = {"sender": {"en": "Ada Example"}, "contact": {"en": "Room 5"}, "help_line": {"en": "Call 1."}}
    design = freeze_design(payloads.document(about=about))
    fill(design)
    words = text_of(page(client, run_of(design, published=True)))
    assert "Sender Ada Example" in " ".join(words.split())
    assert "Contact Room 5" in " ".join(words.split())
    assert "Call 1." not in words
    assert "Institution" not in words
