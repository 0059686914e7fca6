"""What a report says of earlier waves: in every shape of it, from final runs alone, and of questions asked alike."""

import json
import re
from io import BytesIO
from typing import Any

import jsonschema
import numpy as np
import openpyxl
import pytest

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from estimator.base.languages import activated
from estimator.exports.formats import FORMATS
from estimator.exports.json_document import json_file
from estimator.models import Run
from estimator.reports import files, paper, report
from estimator.reports.disclosures import disclose
from estimator.runs import services, targets
from estimator.runs.results import ReportContext
from randomized_response import compare, estimate_proportions, forced_response
from tests.factories import payloads, three_groups
from tests.tools.schemas import REPORT_SCHEMA

pytestmark = pytest.mark.django_db
YES = {1: 0.2, 2: 0.25, 3: 0.6}


def known(runs: list[Run]) -> ReportContext:
    """These are runs of the waves of one survey."""
    return ReportContext(retention_days=None, designs=tuple(run.design_id for run in runs))


@pytest.fixture
def runs() -> list[Run]:
    """Final runs of three waves, the oldest first, of whom 20, 25 and 60 % said yes."""
    scale = payloads.document(strata=three_groups.groups())
    scale["items"][1]["kind"] = "scale"
    found: list[Run] = []
    for version, yes in YES.items():
        design = freeze_design({**scale, "version": version, "waves": {"repeats": "fresh", "spent": "1/1"}})
        three_groups.answer(design, np.random.default_rng(version), yes=(yes, yes, yes))
        close_design(design.digest)
        found.append(services.run_now(design.digest))
    return found


def changes(run: Run, before: list[Run]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(json_file(run, known(before))).get("changes", [])
    return found


def test_wave_changes_against_previous_and_first(runs: list[Run]) -> None:
    assert changes(runs[0], runs) == []
    rows = [row for row in changes(runs[2], runs) if (row["item"], row["measure"]) == ("cheated", "share")]
    assert [(row["choice"], row["version"], row["since_version"]) for row in rows] == [(1, 3, 2), (1, 3, 1)]
    tables = [np.array(run.tallies[0]).sum(axis=0) for run in (runs[0], runs[2])]
    by_hand = compare(*(estimate_proportions(table, forced_response(truth="1/2")) for table in tables))
    for name, found in (("change", by_hand.difference),
                        ("change_unclipped", by_hand.unbiased), ("standard_error", by_hand.standard_error),
                        ("low", by_hand.low), ("high", by_hand.high)):  # fmt: skip
        assert rows[1][name] == pytest.approx(found[1], abs=1e-12)
    assert {row["item"] for row in changes(runs[2], runs) if row["measure"] == "mean"} == {"mood"}
    methods = {(row["measure"], row["interval_method"], row["noise_interval_method"]) for row in changes(runs[2], runs)}
    assert methods == {("share", "recovered", "recovered"), ("mean", "wald", "wald")}
    jsonschema.validate(json.loads(json_file(runs[2], known(runs))), REPORT_SCHEMA)


def test_wave_changes_are_in_every_report_format(runs: list[Run]) -> None:
    page = files.html_file(runs[2], "en", known(runs)).decode()
    assert "Change from earlier waves" in page
    assert re.search("From wave 2 to wave 3, the estimated share of “Yes” rose by [0-9.]+ percentage points", page)
    assert page.count('class="picture trend"') == 5, "yes, the mean, and three points of the scale"
    assert "Veränderung seit früheren Wellen" in files.html_file(runs[2], "de", known(runs)).decode()
    with activated("en"):
        data = paper.data(report.build(runs[2], known(runs)))
    assert data is not None
    assert len(data["changes"]) == 5
    assert files.pdf_file(runs[2], "en", known(runs)).startswith(b"%PDF")
    sheet = openpyxl.load_workbook(BytesIO(FORMATS["xlsx"].whole(runs[2], known(runs))))["changes"]
    assert sheet.max_row == 1 + len(changes(runs[2], runs))
    assert "Change from earlier waves" not in files.html_file(runs[0], "en", known(runs)).decode()


def test_wave_changes_use_final_runs_only(runs: list[Run]) -> None:
    Run.objects.filter(pk=runs[1].pk).update(anytime=True)
    assert {row["since_version"] for row in changes(runs[2], runs)} == {1}
    Run.objects.filter(pk=runs[2].pk).update(anytime=True)
    assert changes(Run.objects.get(pk=runs[2].pk), runs) == []


def test_wave_changes_skip_changed_question(runs: list[Run]) -> None:
    document = Design.of(json.loads(runs[2].design.document)).document
    first = {**document["items"][0], "wording": {"en": "Did you ever cheat?"}}
    design = freeze_design({**document, "version": 4, "items": [first, document["items"][1]]})
    three_groups.answer(design, np.random.default_rng(9))
    close_design(design.digest)
    assert {row["item"] for row in changes(services.run_now(design.digest), runs)} == {"mood"}


def test_wave_changes_skip_wave_with_too_few_reports(runs: list[Run]) -> None:
    document = Design.of(json.loads(runs[2].design.document)).document
    design = freeze_design({**document, "version": 4})
    three_groups.answer(design, np.random.default_rng(9), n=9)
    close_design(design.digest)
    assert changes(services.run_now(design.digest), runs) == []


FRESH = "so repeated participation does not affect them"
STAYED = "so an unchanged answer was sent as the same response again; if many did so, the intervals are too wide"
SAMPLED = "too wide where answers mostly stayed, and too narrow where they changed"


@pytest.mark.parametrize(
    ("repeats", "drawn", "share", "said"),
    [
        ("fresh", False, None, (FRESH, "for the respondents at both times")),
        ("remember", False, "1/3", (STAYED, "respondents, weighted by the known group sizes at both times")),
        ("fresh", True, None, (SAMPLED, "for the population at both times")),
        ("remember", True, "1/3", (SAMPLED, "the population, weighted by the known group sizes at both times")),
    ],
)
def test_wave_change_interval_states_its_assumption(
    repeats: str, drawn: bool, share: str | None, said: tuple[str, ...]
) -> None:
    """The tickets' chance of two waves is apart whoever came again, but where devices remembered their tickets."""
    document = payloads.document(strata=three_groups.groups())
    for group in document["strata"]["groups"]:
        group["share"] = share
    found: list[Run] = []
    for version in (1, 2):
        design = freeze_design({**document, "version": version, "waves": {"repeats": repeats, "spent": "1/1"}})
        three_groups.answer(design, np.random.default_rng(version), n=300)
        close_design(design.digest)
        found.append(services.run_now(design.digest))
    disclose(
        "campus", {"recruitment": {"en": "By lot, from the register."}}, probability_sample=drawn, simple_random=drawn
    )
    told = report.build(found[1], known(found))
    words = told.assumption
    assert [text for text in said if text not in words] == []
    assert [text for text in (FRESH, STAYED, SAMPLED) if text in words] == [said[0]]
    assert "The interval of a change in a share is recovered from the intervals of both waves (Zou, 2007)." in words
    assert "in a mean" not in words
    assert any(work.startswith("Zou, G. Y. (2007)") for work in told.references)


def test_wave_target_names_partly_weighted_waves() -> None:
    found = targets.of_waves(["respondents", "respondents_weighted"], sampled=False)
    assert found == "the respondents (in some waves weighted by the known group sizes)"
