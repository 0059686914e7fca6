"""The page Analyse: its forms, what is said of what came out, its files, and who may ask."""

import csv
import io
import json
from collections.abc import Callable

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collector.designs.selectors import get_design
from estimator.analyses import services as analyses
from estimator.models import Analysis
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, revise_survey, write_survey
from surveys.models import AuditEntry, Membership, Role, Survey
from surveys.opening.services import open_survey
from tests.factories import three_groups
from tests.tools.gate import few

pytestmark = pytest.mark.django_db
COMPARED = {"kind": "comparison", "quantity": "cheated:1", "against": "pairs", "confidence": "0.95"}
PAGE = reverse("panel:survey-analyse", args=["campus"])


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    messages: list[int] = []
    monkeypatch.setattr(analyses, "wake", messages.append)
    return messages


@pytest.fixture
def survey(alice: User) -> Survey:
    """alice's open survey of three groups, with 1,500 reports."""
    found = write_survey(three_groups.definition(), team=home_team(alice))
    version = open_survey(found)
    three_groups.answer(get_design(version.design_id), np.random.default_rng(3))
    return found


def ask(client: Client, **said: str) -> Analysis:
    answer = client.post(PAGE, said)
    assert answer.status_code == 302, answer.content.decode()
    found = Analysis.objects.get(key=answer.url.split("/")[-2])  # type: ignore[attr-defined]
    return analyses.execute(found.pk)


def text_of(client: Client, found: Analysis) -> str:
    answer = client.get(reverse("panel:analysis", args=[found.key]))
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_analysis_from_form_to_result_is_logged(her: Client, survey: Survey) -> None:
    page = her.get(PAGE).content.decode()
    assert '<option value="cheated:1" selected>Yes · Have you cheated?</option>' in page
    found = ask(her, **COMPARED)
    text = text_of(her, found)
    assert "“Later” is higher than “First year” by " in text
    assert "The 3 comparisons hold simultaneously" in text
    assert "Hayter 1984" in text
    assert text.count('<svg xmlns="http://www.w3.org/2000/svg" class="picture') == 4, "two pictures in two layouts"
    assert "do not cover repeated looks" in text, "the survey was open"
    assert reverse("panel:analysis", args=[found.key]) in her.get(PAGE).content.decode()
    entry = AuditEntry.objects.get(act="requested an analysis")
    assert (entry.slug, entry.detail, entry.name) == ("campus", "Compare groups", "alice")


def test_analysis_after_closing_has_no_peeking_warning(her: Client, survey: Survey) -> None:
    close_survey(survey)
    assert "repeated looks" not in text_of(her, ask(her, **COMPARED))


@pytest.mark.parametrize(
    ("said", "sentences"),
    few(
        [
            (
                {"kind": "weighting", "item": "cheated", "share-y1": "20", "share-y2": "30", "share-y3": "50"},
                ["In a population with these shares an estimated ", "would truthfully answer “Yes”", "50\xa0%"],
            ),
            (
                {"kind": "cross-table", "rows": "cheated", "columns": "mood"},
                ["In 1,500 responses the two answers are associated, more than chance explains", "van den Hout"],
            ),
            (
                {"kind": "cross-table", "rows": "cheated", "columns": "mood:2"},
                ["Not “Low”", "Odds ratio", "Phi, from"],
            ),
            (
                {"kind": "regression", "outcome": "cheated", "reference": "y1"},
                ["The odds of “Yes” in “Later” are ", "The groups differ (", "Scheers &amp; Dayton 1988"],
            ),
            (
                {"kind": "comparison", "quantity": "mood:mean", "against": "y1"},
                ["Each group: Mean", "Dunnett 1955"],
            ),
        ]
    ),
    ids=["weighting", "cross-table", "of one choice", "regression", "means"],
)
def test_analysis_text_of_each_kind(her: Client, survey: Survey, said: dict[str, str], sentences: list[str]) -> None:
    text = text_of(her, ask(her, **said))
    for sentence in sentences:
        assert sentence in text


def test_analysis_weighted_wide_interval_is_not_quoted(her: Client, alice: User) -> None:
    version = open_survey(write_survey(three_groups.definition(), team=home_team(alice)))
    three_groups.answer(get_design(version.design_id), np.random.default_rng(4), n=40)
    asked = {"kind": "weighting", "item": "cheated", "share-y1": "20", "share-y2": "30", "share-y3": "50"}
    text = text_of(her, ask(her, **asked))
    assert "In a population with these shares, the share of “Yes” is too imprecise to report: its interval" in text
    assert "In a population with these shares an estimated" not in text


def test_analysis_compares_versions(her: Client, survey: Survey) -> None:
    assert her.get(f"{PAGE}?kind=versions").context["form"].missing
    close_survey(survey)
    revise_survey(survey)
    version = open_survey(survey, reason="It is a test.")
    three_groups.answer(get_design(version.design_id), np.random.default_rng(4), yes=(0.6, 0.8, 0.7))
    text = text_of(her, ask(her, kind="versions", quantity="cheated:1"))
    assert "From wave 1 to wave 2, the share of “Yes” rose by " in text
    assert "the waves are treated as independent" in text


def test_analysis_invalid_input_is_shown_with_error(her: Client, survey: Survey) -> None:
    shares = {"share-y1": "20", "share-y2": "30", "share-y3": "<i>"}
    answer = her.post(PAGE, {"kind": "weighting", "item": "mood", **shares})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "Enter the share of “=Doctoral” as a number" in page
    assert 'value="30"' in page
    assert 'value="&lt;i&gt;"' in page
    assert '<option value="mood" selected>' in page
    assert her.post(PAGE, {"kind": "tea-leaves"}).status_code == 400
    assert not Analysis.objects.exists()


def test_analysis_too_few_reports_says_so(her: Client, alice: User) -> None:
    survey = write_survey(three_groups.definition(), team=home_team(alice))
    draft = her.get(PAGE)
    assert draft.context["form"].missing in draft.content.decode()
    assert 'name="kind"' not in draft.content.decode()
    assert her.post(PAGE, COMPARED).status_code == 400
    open_survey(survey)
    text = text_of(her, ask(her, **COMPARED))
    assert "No estimates by group: too few groups have 10 responses." in text
    crossed = text_of(her, ask(her, kind="cross-table", rows="cheated", columns="mood"))
    assert "Not enough responses yet: 0 of 30." in crossed


def test_analysis_small_reference_group_is_named(her: Client, alice: User) -> None:
    version = open_survey(write_survey(three_groups.definition(), team=home_team(alice)))
    three_groups.answer(get_design(version.design_id), np.random.default_rng(1), n=130)
    compared = text_of(her, ask(her, **(COMPARED | {"against": "y3"})))
    assert "Nothing can be compared yet" not in compared, "27 reports are enough for an estimate, and a comparison"
    regressed = text_of(her, ask(her, kind="regression", outcome="cheated", reference="y3"))
    assert "There are no odds ratios yet: “=Doctoral” has 27 of 30 responses." in regressed
    without = text_of(her, ask(her, kind="regression", outcome="cheated", reference="y1"))
    assert "Fewer than 30 responses: “=Doctoral” (27). Not enough yet for an estimate." in without


def test_analysis_waits_fails_and_repeats(her: Client, survey: Survey, woken: list[int]) -> None:
    found = Analysis.objects.get(key=her.post(PAGE, COMPARED).url.split("/")[-2])  # type: ignore[attr-defined]
    waiting = text_of(her, found)
    assert f'data-run="{reverse("api:analysis", args=[found.key])}"' in waiting
    assert "Waiting for a worker." in waiting
    assert her.get(reverse("api:analysis", args=[found.key])).json()["state"] == "queued"
    assert her.get(reverse("panel:analysis-csv", args=[found.key])).status_code == 404
    Analysis.objects.update(state="failed", fault="KeyError")
    assert "KeyError" in text_of(her, found)
    first = ask(her, **COMPARED)
    answer = her.post(reverse("panel:analysis-again", args=[first.key]))
    again = analyses.execute(Analysis.objects.get(key=answer.url.split("/")[-2]).pk)  # type: ignore[attr-defined]
    assert again.repeats == first
    assert "analyse-beside" in text_of(her, again)


def test_analysis_sixth_waiting_is_refused(her: Client, survey: Survey) -> None:
    for _ in range(5):
        assert her.post(PAGE, COMPARED).status_code == 302
    answer = her.post(PAGE, COMPARED)
    assert (answer.status_code, Analysis.objects.count()) == (400, 5)
    assert answer.context["fault"].startswith("5 analyses")
    assert answer.context["fault"] in answer.content.decode()


def test_analysis_files_agree_and_quote_formulas(her: Client, survey: Survey) -> None:
    found = ask(her, **COMPARED)
    answer = her.get(reverse("panel:analysis-csv", args=[found.key]))
    assert answer["Content-Disposition"] == f'attachment; filename="{found.key[:8]}-analysis.csv"'
    lines = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [line["quantity"] for line in lines] == ["share"] * 3 + ["difference"] * 3
    assert lines[2]["group_label"] == "'=Doctoral"
    document = json.loads(her.get(reverse("panel:analysis-json", args=[found.key])).content)
    assert document["result"] == found.result
    assert document["inputs"] == found.inputs
    said = AuditEntry.objects.filter(act="exported").values_list("detail", flat=True)
    assert set(said) == {f"analysis {found.key}, as CSV", f"analysis {found.key}, as JSON"}
    for line, row in zip(lines, document["result"]["rows"], strict=True):
        assert float(line["estimate"]) == row["estimate"]
        assert float(line["low"]) == row["low"]


def test_analysis_json_holds_counts_not_reports(her: Client, survey: Survey) -> None:
    document = json.loads(
        her.get(
            reverse("panel:analysis-json", args=[ask(her, kind="cross-table", rows="cheated", columns="mood").key])
        ).content
    )
    assert np.array(document["inputs"]["pairs"]).shape == (3, 2, 3), "counts by group, and nothing beside them"
    assert sorted(document["inputs"]) == ["groups", "pairs"]


def test_analysis_viewer_reads_but_cannot_request(
    her: Client, survey: Survey, bob: User, sign_in: Callable[[User], Client]
) -> None:
    found = ask(her, **COMPARED)
    Membership.objects.create(team=survey.team, user=bob, role=Role.VIEWER)
    his = sign_in(bob)
    page = his.get(PAGE).content.decode()
    assert "Run the analysis" not in page
    assert "Run again" not in text_of(his, found)
    assert his.get(reverse("panel:analysis-csv", args=[found.key])).status_code == 403
    assert reverse("panel:analysis-csv", args=[found.key]) not in page
    assert his.post(PAGE, COMPARED).status_code == 403
    assert his.post(reverse("panel:analysis-again", args=[found.key])).status_code == 403
    Membership.objects.filter(user=bob).update(role=Role.ANALYST)
    assert his.post(PAGE, COMPARED).status_code == 302


def test_analysis_page_query_count_is_constant(her: Client, survey: Survey) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            assert her.get(PAGE).status_code == 200
        return len(seen)

    ask(her, **COMPARED)
    first = queries()
    for _ in range(4):
        ask(her, kind="cross-table", rows="cheated", columns="mood")
    assert queries() == first


@pytest.mark.parametrize("n", few([0, 40, 130]))
def test_analysis_every_kind_renders_whatever_the_data(her: Client, alice: User, n: int) -> None:
    """With no report, with one group that has enough, with two: a page, a CSV and a JSON file, and never a fault."""
    version = open_survey(write_survey(three_groups.definition(), team=home_team(alice)))
    if n:
        three_groups.answer(get_design(version.design_id), np.random.default_rng(1), n=n)
    shares = {"share-y1": "20", "share-y2": "30", "share-y3": "50"}
    for said in (
        {"kind": "comparison", "quantity": "mood:mean", "against": "y3"},
        {"kind": "weighting", "item": "mood", **shares},
        {"kind": "cross-table", "rows": "mood:1", "columns": "cheated", "group": "y2"},
        {"kind": "regression", "outcome": "mood:1", "reference": "y1"},
    ):
        found = ask(her, **said)
        assert text_of(her, found)
        for name in ("panel:analysis-csv", "panel:analysis-json", "panel:analysis-bundle"):
            assert her.get(reverse(name, args=[found.key])).status_code == 200
