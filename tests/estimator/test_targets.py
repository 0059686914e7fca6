"""Of whom a number speaks, how it and its intervals were made: the same on paper, on pages and in every file."""

import csv
import io
import json
from typing import Any

import numpy as np
import openpyxl
import pytest
from django.test import Client
from django.utils import translation

from collector.designs.services import close_design, freeze_design
from estimator.analyses import exports, presentation
from estimator.analyses import services as analyses
from estimator.base.languages import LANGUAGES
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports.disclosures import disclose
from estimator.runs import results, services, targets
from tests.factories import payloads, three_groups
from tests.factories.groups import answered, document
from tests.factories.simulation import simulated_run, weighted_run
from tests.tools.gate import few
from tests.tools.html import text_of
from tests.tools.paper import report_data as on_paper
from tests.tools.paper import texts

pytestmark = pytest.mark.django_db

LOT = {"recruitment": {"en": "By lot, from the register."}}
NOISE = {
    "respondents": "CI from randomisation alone, for the respondents",
    "respondents_weighted": "CI from randomisation alone, for the respondents, weighted by the known group sizes",
}


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda run_id: None)
    monkeypatch.setattr(analyses, "wake", lambda analysis_id: None)


def merged() -> Run:
    """Four groups, of which the two of 5 and 3 are told of, and weighted, with the next larger one."""
    run = answered(freeze_design(document(4, "2/5", "3/10", "1/5", "1/10")), [70, 45, 5, 3])
    services.publish(run, published=True)
    return run


CASES = {
    "open": (simulated_run, "respondents"),
    "weighted": (weighted_run, "respondents_weighted"),
    "groups merged": (merged, "respondents_weighted"),
}


def facts(row: dict[str, Any]) -> tuple[str, ...]:
    """What a file says of a number, without the number."""
    names = ("item", "measure", "stratum", "target", "noise_target", "estimate_method", "interval_method")
    return tuple(str(row[name]) for name in (*names, "noise_interval_method"))


@pytest.mark.parametrize("case", few(CASES))
def test_export_and_pages_name_same_target(case: str) -> None:
    make, noise = CASES[case]
    run = make()
    read = results.read(run)
    stated = []
    for item in read.items:
        for cell in item.cells:
            means = targets.estimate_meta(item, cell.estimate)
            assert targets.is_weighted(means.target) == targets.is_weighted(means.noise_target)
            assert means.noise_target == ("respondents" if cell.group_key else noise)
            place = (item.key, cell.estimate.measure, cell.group_key, means.target, means.noise_target)
            stated.append((*place, means.method, means.interval, means.noise_interval))
    sheet = csv.DictReader(io.StringIO(FORMATS["csv"].whole(run).decode("utf-8-sig")))
    assert [facts(row) for row in sheet] == stated
    assert [facts(row) for row in json.loads(FORMATS["json"].whole(run))["estimates"]] == stated
    book = openpyxl.load_workbook(io.BytesIO(FORMATS["xlsx"].whole(run)), read_only=True)
    head, *rows = book["estimates"].iter_rows(values_only=True)
    assert [facts({str(k): v or "" for k, v in zip(head, row, strict=True)}) for row in rows] == stated

    page = text_of(Client().get(f"/reports/{run.key}/").content.decode())
    printed = "\n".join(texts(on_paper(run)))
    for text in (page, printed):
        assert NOISE[noise] in text
        assert f"The estimates are for {targets.WORDS[noise]}." in text
        assert f"randomisation alone, for {targets.WORDS[noise]}): at most ±" in text
        assert "CI with sampling" not in text
        assert ("weighted by the known group sizes" in text) == (noise == "respondents_weighted")
    ddi = FORMATS["ddi"].whole(run).decode()
    assert (
        f"the main intervals, from randomisation alone, are for {targets.of_report(read.partition, sampled=False)};"
        in ddi
    )


@pytest.mark.long
def test_margin_of_error_needs_simple_random_sample(client: Client) -> None:
    run = weighted_run()
    whole = "CI with sampling, for the population, weighted by the known group sizes"
    said_of = []
    for declared in ({}, {"probability_sample": True}, {"probability_sample": True, "simple_random": True}):
        disclose("kinds", LOT, **{"probability_sample": False, **declared})
        page = text_of(client.get(f"/reports/{run.key}/").content.decode())
        assert (whole in page) == ("No margin of sampling error is stated" not in page)
        said_of.append(whole in page)
    assert said_of == [False, False, True]


def test_method_of_mean_is_named() -> None:
    methods = {
        item.key: targets.method_of(item, mean=True) for item in results.read(simulated_run()).items if item.means
    }
    assert methods["mood"] == "mean_of_shares"
    assert methods["drinks"] == "mean_of_scores"


@pytest.mark.parametrize("language", LANGUAGES)
def test_targets_and_methods_have_labels(language: str) -> None:
    with translation.override(language):
        found = {str(text) for text in (*targets.WORDS.values(), *targets.METHODS.values())}
    assert len(found) == len(targets.WORDS) + len(targets.METHODS)


WHOLE = "They are for the population, and valid"
KNOWN = "They are for the population, weighted by the known group sizes, and valid"
BOTH = "They are for the population or, where stated, for the population, weighted by the known group sizes,"
ENTERED = {"item": "cheated", "share-y1": "1/2", "share-y2": "1/4", "share-y3": "1/4"}
ANALYSES = {
    "groups": ("comparison", {"quantity": "cheated:1", "against": "pairs"}, "  ", {"population"}, WHOLE),
    "entered shares": ("weighting", ENTERED, " ", {"population", "population_weighted"}, BOTH),
    "two questions": ("cross-table", {"rows": "cheated", "columns": "mood"}, "1", {"population"}, WHOLE),
    "waves": ("versions", {"quantity": "cheated:1"}, "  ", {"population"}, WHOLE),
    "weighted waves": ("versions", {"quantity": "cheated:1"}, "11", {"population_weighted"}, KNOWN),
    "the newest weighted": (
        "versions", {"quantity": "cheated:1"}, " 1", {"population", "population_weighted", "mixed"}, BOTH,
    ),
}  # fmt: skip


def opened_with(version: int, share: str) -> Any:
    """A wave of 300 reports from three groups, of known shares where `share` says so."""
    strata = three_groups.groups()
    for group in strata["groups"]:
        group["share"] = "1/3" if share == "1" else None
    design = freeze_design(
        payloads.document(strata=strata, version=version, waves={"repeats": "fresh", "spent": "1/1"})
    )
    three_groups.answer(design, np.random.default_rng(version), n=300)
    close_design(design.digest)
    return design


@pytest.mark.parametrize("case", ANALYSES)
def test_analysis_names_target_of_each_number(case: str) -> None:
    kind, asked, shares, stated, said_of = ANALYSES[case]
    designs = [opened_with(version, share) for version, share in enumerate(shares, start=1)]
    found = analyses.execute(analyses.request(kind, asked, designs[::-1]).pk)
    rows = list(csv.DictReader(io.StringIO(exports.csv_file(found).decode("utf-8-sig"))))
    assert {row["target"] for row in rows} == stated
    for row in rows:
        if kind == "weighting":
            assert (row["target"] == "population_weighted") == (row["weights"] == "entered")
        if kind == "versions":
            weighted = [shares[int(row[name]) - 1] == "1" for name in ("version", "against_version") if row[name]]
            word = "population_weighted" if all(weighted) else "mixed" if any(weighted) else "population"
            assert row["target"] == word
    shown = presentation.present(found)
    assert said_of in shown.methods[-1]
    assert ("wave 2 (weighted)" in shown.sentences[0]) == ("mixed" in stated)
