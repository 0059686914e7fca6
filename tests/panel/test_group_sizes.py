"""Where the sizes of groups are sensitive nothing tells them: every page, file and answer is searched for them.

The sizes are numbers that nothing else has. The noise is 7 for every group here, so that none comes out as it is.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from collector.designs import Design, selectors
from collector.reports import folding
from estimator.analyses import services as analyses
from estimator.exports.formats import FORMATS
from estimator.models import Analysis, Estimate, GroupSize, Run
from estimator.runs import group_sizes
from estimator.runs import services as estimator
from randomized_response import load_bundle
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import Survey
from surveys.opening.services import open_survey
from surveys.outreach.webhooks import services as webhooks
from surveys.outreach.webhooks.events import EVENTS, queue_deliveries
from tests.factories import simulation, three_groups
from tests.panel.access import ROWS
from tests.tools.paper import report_data

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
SIZES = {"y1": 1237, "y2": 4319, "y3": 733}
FOUND = re.compile(r"(?<![\w.,-])(?:1[,.\u00a0]?237|4[,.\u00a0]?319|733)(?![\w%]|[.,]\d)")
ABOUT = re.compile(r"(?<![\w.,])(?:1[,.]?244|4[,.]?326|740)(?!\w)")
MICRODATA = ("reports-csv", "reports-parquet", "reports-sav", "reports-dta")


def test_size_search_finds_every_notation() -> None:
    for text in ("1,237", "1.237", "n = 4319.", '"n": 733,', ">733<", "733 reports"):
        assert FOUND.search(text), text
    for text in ("0.733", "17331", "a733f", "0,7331", "73,3"):
        assert not FOUND.search(text), text


@pytest.fixture
def survey(alice: User, monkeypatch: pytest.MonkeyPatch) -> Survey:
    monkeypatch.setattr(group_sizes, "mechanism", lambda epsilon: lambda size: size + 7)
    found = write_survey(three_groups.definition(participation="0.5"), team=home_team(alice))
    design = selectors.get_design(open_survey(found).design_id)
    strata = np.repeat(np.arange(3), list(SIZES.values()))
    generator = np.random.default_rng(8)
    told = np.stack([generator.integers(0, 2, strata.size), generator.integers(0, 3, strata.size)], axis=1)
    simulation.store(design, simulation.People(strata, {}), told.astype(np.uint8))
    folding.fold(design.digest)
    return found


def design_of(survey: Survey) -> Design:
    return selectors.get_design(survey.versions.get().design_id)


def final_run(survey: Survey) -> Run:
    close_survey(survey)
    run = Run.objects.filter(design=design_of(survey).digest, trigger=Run.Trigger.CLOSING).get()
    return estimator.execute(run.pk)


def frames(name: str, content: bytes, folder: Path) -> pd.DataFrame:
    path = folder / f"file.{name.rpartition('-')[2]}"
    path.write_bytes(content)
    if name.endswith("csv"):
        return pd.read_csv(path, keep_default_na=False)
    if name.endswith("parquet"):
        return pq.read_table(path).to_pandas()
    return (pyreadstat.read_sav if name.endswith("sav") else pyreadstat.read_dta)(str(path))[0]


def texts(name: str, content: bytes, folder: Path) -> Iterator[str]:
    """What a file holds, as text that can be searched."""
    if name in ("parquet", "sav", "dta"):
        yield frames(name, content, folder).to_csv()
    elif name == "xlsx" or name.startswith("bundle"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                if member.endswith((".csv", ".json", ".html", ".xml", ".txt", ".cff")) and "reports" not in member:
                    yield archive.read(member).decode()
    elif name != "pdf":
        yield content.decode()


def text_of_answer(answer: Any, run: Run) -> str:
    """What an answer says. The compressed bytes of a PDF hold any number by chance: its data are searched instead."""
    content = b"".join(answer) if answer.streaming else answer.content
    match answer.headers["Content-Type"]:
        case "application/pdf":
            return json.dumps(report_data(run), ensure_ascii=False)
        case "image/png":  # the code of the survey's address, which is searched as SVG too
            return ""
        case "application/zip":  # the package for an ethics board, whose PDFs are made of the survey alone
            with zipfile.ZipFile(io.BytesIO(content)) as package:
                return "".join(package.read(name).decode() for name in package.namelist() if not name.endswith(".pdf"))
        case "application/octet-stream":  # a questionnaire for another tool, as a workbook
            with zipfile.ZipFile(io.BytesIO(content)) as book:
                return "".join(book.read(name).decode() for name in book.namelist())
    return content.decode()


def leaks(text: str) -> list[str]:
    return [text[max(0, found.start() - 60) : found.end() + 20] for found in FOUND.finditer(text)]


def test_export_formats_hide_group_sizes(survey: Survey, tmp_path: Path) -> None:
    run, seen = final_run(survey), []
    for name, one in FORMATS.items():
        content = one.whole(run)
        if name in MICRODATA:
            table = frames(name, content, tmp_path)
            assert table["stratum"].nunique() == 1, name
            assert len(table) == sum(SIZES.values())
            continue
        for text in texts(name, content, tmp_path):
            assert leaks(text) == [], name
            seen += [name] * bool(ABOUT.search(text))
    assert leaks(json.dumps(report_data(run, "de"), ensure_ascii=False)) == []
    assert {"json", "xlsx", "html", "bundle"} <= set(seen), "the noised sizes are told"


@pytest.mark.long
def test_pages_and_api_hide_group_sizes(survey: Survey, her: Client) -> None:
    def visit(run: Run) -> None:
        design = design_of(survey)
        for kind, said in (("cross-table", {"rows": "cheated", "columns": "mood"}),):
            found = analyses.execute(analyses.request(kind, said, [design]).pk)
        about = {"survey": [survey.slug], "run": [run.key], "analysis": [found.key], "design": [design.digest], "": []}
        for name, row in ROWS.items():
            if "GET" in row.methods and row.about in about:
                answer = her.get(reverse(name, args=about[row.about]))
                assert leaks(text_of_answer(answer, run)) == [], name
        for kind in Analysis.Kind.values:
            assert (
                leaks(her.get(reverse("panel:survey-analyse", args=[survey.slug]), {"kind": kind}).content.decode())
                == []
            )

    while_open = estimator.execute(estimator.request_run(design_of(survey).digest).pk)
    visit(while_open)
    assert not GroupSize.objects.exists(), "the survey is open"
    visit(final_run(survey))
    survey.refresh_from_db()
    Survey.objects.filter(pk=survey.pk).update(results_shown=True)
    page = Client().get(f"/s/{survey.slug}/")
    assert page.status_code in (200, 410)
    assert leaks(page.content.decode()) == []


def test_webhooks_and_metrics_hide_group_sizes(survey: Survey, alice: User, settings: Any) -> None:
    settings.CANDOR_METRICS_TOKEN = "a token"
    webhook, _secret = webhooks.add(survey, "https://example.org/", list(EVENTS), [100], by=alice)
    final_run(survey)
    told = [str(delivery.body) for delivery in queue_deliveries()]
    assert len(told) == len(EVENTS) == webhook.deliveries.count()
    metrics = Client().get("/metrics", headers={"Authorization": "Bearer a token"})
    assert metrics.status_code == 200
    for text in (*told, metrics.content.decode()):
        assert leaks(text) == []


def test_stored_runs_and_analyses_hide_group_sizes(survey: Survey) -> None:
    """Whoever reads these rows reads no sizes: the totals of a run are of all groups together."""
    run = final_run(survey)
    found = analyses.execute(
        analyses.request("cross-table", {"rows": "cheated", "columns": "mood"}, [design_of(survey)]).pk
    )
    assert {len(table) for table in run.tallies} == {1}
    assert leaks(json.dumps([run.tallies, found.inputs, found.result])) == []
    assert not Estimate.objects.filter(run=run).exclude(stratum=None).exists()
    assert run.reports == sum(SIZES.values()), "how many there are in all is no secret"


def test_published_json_is_enough_for_the_library(survey: Survey, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(FORMATS["json"].whole(final_run(survey)))
    bundle = load_bundle(path)
    assert (dict(bundle.strata), dict(bundle.shares)) == ({}, {})
    assert bundle.items["cheated"].estimate().n == sum(SIZES.values())
    document = json.loads(path.read_text())
    jsonschema.validate(document, json.loads((ROOT / "docs/reference/report.schema.json").read_text(encoding="utf-8")))
    said = document["participation"]
    assert said["epsilon"] == "0.5"
    assert said["groups"] == [{"stratum": key, "about": size + 7} for key, size in SIZES.items()]
