"""Analyses against independent computations of the same reports, what they refuse, and that they repeat bit for bit."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import statsmodels.api as sm
from django.utils import timezone
from scipy import stats

from collector.designs import Design
from collector.designs.services import freeze_design
from estimator import tasks
from estimator.analyses import exports, figures, presentation, requests, selectors, services, snapshots
from estimator.analyses.method_texts import METHODS
from estimator.analyses.quantities import AnalysisError, quantities_of, variable_of, variables_of
from estimator.analyses.rows import AnalysisRow
from estimator.base import jobs
from estimator.models import Analysis
from estimator.runs.waves import remembered
from randomized_response import custom, estimate_joint, logistic_regression
from tests.factories import kinds, payloads, simulation, three_groups
from tests.factories.reports import fold_waiting, store_report
from tests.factories.three_groups import GROUPS
from tests.tools.gate import few

pytestmark = pytest.mark.django_db
Ask = Callable[..., Analysis]
Reports = tuple[np.ndarray, np.ndarray]


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    messages: list[int] = []
    monkeypatch.setattr(services, "wake", messages.append)
    return messages


@pytest.fixture
def design(db: None) -> Design:
    scale = payloads.document(strata=three_groups.groups())
    scale["items"][1]["kind"] = "scale"
    return freeze_design(scale)


@pytest.fixture
def reports(design: Design) -> Reports:
    return three_groups.answer(design, np.random.default_rng(3))


def run(kind: str, design: Design, *older: Design, **said: str) -> Analysis:
    return services.execute(services.request(kind, said, [design, *older]).pk)


def rows(analysis: Analysis, quantity: str) -> list[dict[str, Any]]:
    return [row for row in analysis.result["rows"] if row["quantity"] == quantity]


def debiased(told: np.ndarray) -> tuple[float, float]:
    """Two coins: the share of yes, and the standard error of it."""
    rate, n = told.mean(), told.size
    return 2 * (rate - 0.25), 2 * np.sqrt(rate * (1 - rate) / (n - 1))


def test_comparison_of_shares_matches_manual_estimate(design: Design, reports: Reports) -> None:
    strata, symbols = reports
    found = run("comparison", design, quantity="cheated:1", against="pairs")
    assert (found.state, found.progress, found.reports) == ("done", 100, 1500)
    hands = [debiased(symbols[strata == place, 0]) for place in range(3)]
    for row, (share, error) in zip(rows(found, "share"), hands, strict=True):
        assert (row["unbiased"], row["standard_error"]) == pytest.approx((share, error), abs=1e-12)
    reach = stats.studentized_range.ppf(0.95, 3, np.inf) / np.sqrt(2)
    assert found.result["level"] == pytest.approx(1 - 2 * stats.norm.sf(reach), abs=1e-9)
    named = [(row["group"], row["against"]) for row in rows(found, "difference")]
    assert named == [("y2", "y1"), ("y3", "y1"), ("y3", "y2")]
    for row in rows(found, "difference"):
        (one, error), (other, beside) = hands[GROUPS.index(row["group"])], hands[GROUPS.index(row["against"])]
        assert row["unbiased"] == pytest.approx(one - other, abs=1e-12)
        half = reach * np.hypot(error, beside)
        assert (row["low"], row["high"]) == pytest.approx((one - other - half, one - other + half), abs=0.012)


def test_comparison_of_means_matches_manual_estimate(design: Design, reports: Reports) -> None:
    strata, symbols = reports
    scores = np.array([1, 2, 3]) @ np.linalg.inv(three_groups.THREE.T)
    found = run("comparison", design, quantity="mood:mean", against="y1")
    hands = [scores[symbols[strata == place, 1]] for place in range(3)]
    for row, hand in zip(rows(found, "mean"), hands, strict=True):
        assert row["unbiased"] == pytest.approx(hand.mean(), abs=1e-9)
        assert row["standard_error"] == pytest.approx(hand.std(ddof=1) / np.sqrt(hand.size), rel=1e-9)
    assert [(row["group"], row["against"]) for row in rows(found, "difference")] == [("y2", "y1"), ("y3", "y1")]
    assert 0.95 < found.result["level"] < 0.975, "two comparisons: between none and Bonferroni's correction"


@pytest.mark.long
def test_comparison_equal_groups_rarely_rejects(design: Design) -> None:
    """300 surveys of three equal groups: at most 5 % alarm; 8.8 % is three standard errors above that, so the test
    fails by chance once in 700 seeds. Counting alone, the store has no part in it."""
    generator, alarms = np.random.default_rng(5), 0
    asked = requests.parameters("comparison", {"quantity": "cheated:1", "against": "pairs"}, [design])
    for _ in range(300):
        told = generator.binomial((400, 250, 150), 0.25 + 0.3 / 2)
        totals = [[[n - yes, yes]] for n, yes in zip((400, 250, 150), told.tolist(), strict=True)]
        result = services.result_of("comparison", asked, design, {"totals": totals, "groups": EACH})
        alarms += any(row["low"] > 0 or row["high"] < 0 for row in result["rows"] if row["quantity"] == "difference")
    assert alarms / 300 <= 0.088


def test_comparison_different_groups_is_significant(design: Design, reports: Reports) -> None:
    found = run("comparison", design, quantity="cheated:1", against="pairs")
    first = rows(found, "difference")[0]
    assert first["low"] > 0, "half against a fifth, of 450 and 750"


def test_weighting_uses_entered_weights(design: Design, reports: Reports) -> None:
    strata, symbols = reports
    found = run("weighting", design, item="cheated", **{"share-y1": "1/5", "share-y2": "30 %", "share-y3": ".5"})
    entered = next(row for row in rows(found, "share") if row["weights"] and row["choice"] == 1)
    alike = next(row for row in rows(found, "share") if not (row["weights"] or row["group"]) and row["choice"] == 1)
    hands = np.array([debiased(symbols[strata == place, 0]) for place in range(3)])
    shares = np.array([0.2, 0.3, 0.5])
    assert entered["unbiased"] == pytest.approx(shares @ hands[:, 0], abs=1e-12)
    error = np.sqrt(shares**2 @ hands[:, 1] ** 2)
    assert entered["standard_error"] == pytest.approx(error, abs=1e-12)
    counts = [(int(symbols[strata == place, 0].sum()), int((strata == place).sum())) for place in range(3)]
    exact = np.array([stats.beta.ppf(0.975, yes + 1, n - yes) for yes, n in counts])  # Clopper and Pearson's, recovered
    above = np.sqrt(shares**2 @ ((exact - 0.25) / 0.5 - hands[:, 0]) ** 2)
    assert entered["high"] == pytest.approx(entered["unbiased"] + above, abs=1e-9)
    assert (alike["unbiased"], alike["standard_error"]) == pytest.approx(debiased(symbols[:, 0]), abs=1e-12)


def test_cross_table_counts_every_pair(design: Design, reports: Reports) -> None:
    strata, symbols = reports
    found = run("cross-table", design, rows="cheated", columns="mood", group="")
    counted = np.zeros((3, 2, 3), dtype=int)
    np.add.at(counted, (strata, symbols[:, 0], symbols[:, 1]), 1)
    assert found.inputs["pairs"] == counted.tolist()
    shares = np.linalg.inv(three_groups.COINS.T) @ (counted.sum(axis=0) / 1500) @ np.linalg.inv(three_groups.THREE)
    cells = [row["unbiased"] for row in rows(found, "joint_share")]
    assert cells == pytest.approx(shares.ravel().tolist(), abs=1e-12)
    assert found.result["independence"]["p_value"] < 0.001, "who has cheated feels worse"


def test_cross_table_independent_answers_rarely_reject(design: Design) -> None:
    """400 tables of independent answers: 5 % alarm; 8.3 % is three standard errors above (once in 700 seeds)."""
    generator = np.random.default_rng(8)
    shares = np.outer([0.6, 0.4], [0.3, 0.3, 0.4])
    rates = (three_groups.COINS.T @ shares @ three_groups.THREE).ravel()
    asked = requests.parameters("cross-table", {"rows": "cheated", "columns": "mood"}, [design])
    tests = [
        services.result_of(
            "cross-table", asked, design, {"pairs": [table.reshape(2, 3).tolist()], "groups": [[0, 1, 2]]}
        )["independence"]
        for table in generator.multinomial(2_000, rates, size=400)
    ]
    assert np.mean([test["p_value"] < 0.05 for test in tests]) <= 0.083


@pytest.mark.parametrize(
    ("shares", "said"), [((0.7, -0.02, 0.12, 0.2), "or more"), ((0.7, 0.26, 0.06, -0.02), "0 to ")]
)
def test_cross_table_zero_cell_reports_association(design: Design, shares: tuple[float, ...], said: str) -> None:
    coins, low = custom([[3, 1], [1, 3]]), custom([[5, 1], [2, 4]])
    table = np.round(2_000 * coins.matrix.T @ np.reshape(shares, (2, 2)) @ low.matrix).astype(int)
    asked = requests.parameters("cross-table", {"rows": "cheated", "columns": "mood:2"}, [design])
    result = services.result_of("cross-table", asked, design, {"pairs": [table.tolist()], "groups": [[0, 1, 2]]})
    joint = estimate_joint(table, coins, low)
    told = [AnalysisRow(**row) for row in result["rows"] if row["quantity"] in ("phi", "odds_ratio")]
    phi, odds = told
    assert (phi.low, phi.high) == (joint.phi.low, joint.phi.high)
    assert (phi.interval, odds.interval, odds.standard_error) == ("likelihood", "likelihood", None)
    assert odds.low == joint.odds_ratio.low
    assert (odds.high is None) == (joint.odds_ratio.high == np.inf)
    assert said in figures.associations(told).rows[1][2]


def test_cross_table_choice_against_all_others(design: Design, reports: Reports) -> None:
    strata, symbols = reports
    found = run("cross-table", design, rows="cheated", columns="mood:2", group="y2")
    low = symbols[strata == 1]
    table = np.zeros((2, 2), dtype=int)
    np.add.at(table, (low[:, 0], (low[:, 1] == 2).astype(int)), 1)
    joint = estimate_joint(table, custom([[3, 1], [1, 3]]), custom([[5, 1], [2, 4]]))
    assert [row["estimate"] for row in rows(found, "joint_share")] == pytest.approx(joint.constrained.ravel().tolist())
    assert rows(found, "odds_ratio")[0]["estimate"] == pytest.approx(joint.odds_ratio.estimate)


def test_regression_matches_library_on_single_reports(design: Design, reports: Reports) -> None:
    strata, symbols = reports
    found = run("regression", design, outcome="cheated", reference="y2")
    dummies = np.column_stack([strata == 0, strata == 2]).astype(float)
    fit = logistic_regression(dummies, symbols[:, 0], custom([[3, 1], [1, 3]]))
    ratios = rows(found, "odds_ratio")
    assert [(row["group"], row["against"]) for row in ratios] == [("y1", "y2"), ("y3", "y2")]
    assert [row["estimate"] for row in ratios] == pytest.approx(np.exp(fit.coefficients[1:]).tolist(), rel=1e-6)
    limits = np.exp(fit.intervals())[1:]
    assert [row["low"] for row in ratios] == pytest.approx(limits[:, 0].tolist(), rel=1e-5)
    assert found.result["alike"]["p_value"] == pytest.approx(fit.likelihood_ratio.p_value, rel=1e-5)
    # With one factor the model is saturated: its odds are those of the groups' own debiased shares.
    shares = np.array([debiased(symbols[strata == place, 0])[0] for place in range(3)])
    odds = shares / (1 - shares)
    assert [row["estimate"] for row in ratios] == pytest.approx([odds[0] / odds[1], odds[2] / odds[1]], rel=1e-5)


def test_regression_nearly_direct_matches_statsmodels(db: None) -> None:
    nearly = {"name": "custom", "weights": [[10**8 - 1, 1], [1, 10**8 - 1]]}
    document = payloads.document(strata=three_groups.groups())
    document["items"][0]["channel"] = nearly
    design = freeze_design(document)
    strata, symbols = three_groups.answer(design, np.random.default_rng(1), n=600)
    found = run("regression", design, outcome="cheated", reference="y1")
    exog = sm.add_constant(np.column_stack([strata == 1, strata == 2]).astype(float))
    peer = sm.Logit(symbols[:, 0], exog).fit(disp=0)
    ratios = rows(found, "odds_ratio")
    assert [row["estimate"] for row in ratios] == pytest.approx(np.exp(peer.params[1:]).tolist(), rel=1e-5)
    assert [row["standard_error"] for row in ratios] == pytest.approx(peer.bse[1:].tolist(), rel=1e-5)


def test_versions_comparison_matches_manual_estimate(design: Design, reports: Reports) -> None:
    newest = freeze_design({**design.document, "version": 2})
    _, symbols = three_groups.answer(newest, np.random.default_rng(9), yes=(0.5, 0.7, 0.6))
    found = run("versions", newest, design, quantity="cheated:1")
    (change,) = rows(found, "difference")
    (now, error), (before, beside) = debiased(symbols[:, 0]), debiased(reports[1][:, 0])
    assert (change["version"], change["against_version"]) == (2, 1)
    assert change["unbiased"] == pytest.approx(now - before, abs=1e-12)
    assert change["standard_error"] == pytest.approx(np.hypot(error, beside), abs=1e-12)
    assert change["low"] > 0
    assert [row["version"] for row in rows(found, "share")] == [1, 2]
    assert found.reports == 3000


def test_versions_changed_question_is_left_out(design: Design) -> None:
    def version(number: int, **changes: Any) -> Design:
        items = [{**design.document["items"][0], **changes}, design.document["items"][1]]
        return freeze_design({**design.document, "version": number, "items": items})

    other = version(2, wording={"en": "Have you ever cheated?"})
    table = version(3, channel={"name": "custom", "weights": [[2, 1], [1, 2]]})
    newest = version(4)
    asked = requests.parameters("versions", {"quantity": "cheated:1"}, [newest, table, other, design])
    assert asked["designs"] == [design.digest, newest.digest]
    assert asked["left_out"] == [[2, "worded differently"], [3, "randomised differently"]]
    with pytest.raises(AnalysisError, match="nothing to compare with"):
        requests.parameters("versions", {"quantity": "cheated:1"}, [newest, other])


@pytest.mark.parametrize(
    ("kind", "said"),
    few(
        [
            ("comparison", {"quantity": "mood:0", "against": "pairs"}),
            ("weighting", {"item": "mood", "share-y1": "20", "share-y2": "20", "share-y3": "60"}),
            ("cross-table", {"rows": "cheated", "columns": "mood"}),
            ("regression", {"outcome": "mood:1", "reference": "y1"}),
        ]
    ),
)
def test_analysis_repeated_gives_same_digests(
    design: Design, reports: Reports, kind: str, said: dict[str, str]
) -> None:
    first = run(kind, design, **said)
    again = services.execute(services.repeat(first).pk)
    assert (again.input_digest, again.result_digest) == (first.input_digest, first.result_digest)
    assert json.dumps(again.result) == json.dumps(first.result)
    assert selectors.compared_with_before(again) == "The same snapshot, and every number is identical."
    for _ in range(20):
        store_report(payloads.body(design, stratum="y3", report="0102"))
    later = services.execute(services.repeat(first).pk)
    assert later.input_digest != first.input_digest
    assert selectors.compared_with_before(later).startswith("10 responses arrived since then")


def test_repeated_analysis_says_whether_a_number_differs(design: Design, reports: Reports) -> None:
    """An older version of the software may have told less of a model, or computed another digit."""
    first = run("regression", design, outcome="mood:1", reference="y1")
    again = services.execute(services.repeat(first).pk)
    older = {name: value for name, value in first.result.items() if name != "criteria"}
    first.result, first.result_digest = older, "of another version"
    again.repeats = first
    assert selectors.compared_with_before(again) == "The same snapshot, and every number is identical."
    row = older["rows"][0]
    first.result = older | {"rows": [row | {"estimate": row["estimate"] + 1e-12}, *older["rows"][1:]]}
    assert selectors.compared_with_before(again).endswith("some digits differ.")


def test_analysis_export_is_enough_to_recompute(design: Design, reports: Reports) -> None:
    found = run("cross-table", design, rows="cheated", columns="mood:1", group="y1", confidence="0.9")
    document = json.loads(exports.json_file(found))
    result = services.result_of(document["kind"], document["parameters"], design, document["inputs"])
    assert result == document["result"]
    assert document["snapshot"] | {"at": ""} == {
        "at": "", "reports": 1500, "while_open": True, "input_digest": found.input_digest,
    }  # fmt: skip


def test_analysis_groups_of_ten_are_estimated(design: Design) -> None:
    three_groups.answer(design, np.random.default_rng(1), n=50)
    compared = run("comparison", design, quantity="cheated:1", against="pairs")
    assert [row["n"] for row in rows(compared, "share")] == [22, 18, 10]
    shares = {"share-y1": "20", "share-y2": "20", "share-y3": "60"}
    weighted = run("weighting", design, item="cheated", **shares)
    assert len(rows(compared, "difference")) == 3
    found = [*rows(compared, "share"), *rows(compared, "difference"), *rows(weighted, "share")]
    assert all(row["estimate"] is not None for row in found)


def test_analysis_too_few_reports_is_flagged(design: Design) -> None:
    three_groups.answer(design, np.random.default_rng(1), n=50)
    assert run("cross-table", design, rows="cheated", columns="mood", group="y3").result["flags"] == ["too_few_reports"]
    assert run("regression", design, outcome="cheated", reference="y3").result["flags"] == ["too_few_reports"]


def test_regression_group_without_yes_has_no_odds_ratio(design: Design) -> None:
    strata = np.repeat([0, 1, 2], 100)
    symbols = np.zeros((300, 2), dtype=np.uint8)
    symbols[:200:2, 0] = 1
    simulation.store(design, simulation.People(strata, {}), symbols)
    found = run("regression", design, outcome="cheated", reference="y1")
    flags = {row["group"]: row["flags"] for row in rows(found, "odds_ratio")}
    assert flags["y3"] == ["at_the_edge"]
    assert json.loads(exports.json_file(found))["result"]["rows"]


EACH = [[0], [1], [2]]
"""Every group by itself."""

REFUSALS = [
    ("tea-leaves", {}, "Choose one of the analyses"),
    ("comparison", {"quantity": "cheated:1", "against": "pairs", "confidence": "0.5"}, "Choose a confidence"),
    ("comparison", {"quantity": "cheated:7", "against": "pairs"}, "Choose one choice"),
    ("comparison", {"quantity": "unasked:1", "against": "pairs"}, "Choose a question of this survey"),
    ("comparison", {"quantity": "cheated:1", "against": "y9"}, "Choose what to compare"),
    ("weighting", {"item": "cheated", "share-y1": "20", "share-y2": "30"}, "Enter the share of “=Doctoral”"),
    ("weighting", {"item": "cheated", "share-y1": "0", "share-y2": "30", "share-y3": "70"}, "must be greater than 0"),
    ("weighting", {"item": "cheated", "share-y1": "-1", "share-y2": "31", "share-y3": "70"}, "as a number"),
    ("weighting", {"item": "cheated", "share-y1": "1/0", "share-y2": "31", "share-y3": "70"}, "as a number"),
    ("weighting", {"item": "cheated", "share-y1": "20", "share-y2": "30", "share-y3": "49.9"}, "they sum to 99.9"),
    ("weighting", {"item": "cheated", "share-y1": ".2", "share-y2": ".3", "share-y3": ".4"}, "they sum to 90 %"),
    ("cross-table", {"rows": "cheated", "columns": "cheated"}, "Choose two different questions"),
    ("cross-table", {"rows": "mood:1", "columns": "mood:2"}, "Choose two different questions"),
    ("cross-table", {"rows": "cheated", "columns": "mood", "group": "y9"}, "one of the survey's groups"),
    ("regression", {"outcome": "mood", "reference": "y1"}, "needs two answers"),
    ("regression", {"outcome": "cheated", "reference": ""}, "that the others are compared with"),
    ("versions", {"quantity": "cheated:1"}, "nothing to compare with"),
]


@pytest.mark.parametrize(("kind", "said", "why"), REFUSALS)
def test_analysis_invalid_request_raises_reason(design: Design, kind: str, said: dict[str, str], why: str) -> None:
    with pytest.raises(AnalysisError, match=why):
        services.request(kind, said, [design])
    assert not Analysis.objects.exists()


def test_comparison_survey_without_groups_raises(db: None) -> None:
    design = freeze_design(payloads.document(strata={"wording": {"en": ""}, "groups": []}))
    for kind in ("comparison", "weighting", "regression"):
        with pytest.raises(AnalysisError, match="has no groups"):
            requests.parameters(kind, {"quantity": "cheated:1"}, [design])


class TestEveryKindOfQuestion:
    @pytest.fixture
    def many(self, db: None) -> Design:
        return freeze_design(kinds.document(strata=three_groups.groups()))

    def test_quantities_and_variables_per_question_kind(self, many: Design) -> None:
        keys = [item["key"] for item in many.document["items"]]
        told = {key: len(list(quantities_of(many, place))) for place, key in enumerate(keys)}
        assert told == {"smokes": 1, "often": 4, "substance": 6, "place": 8, "habits": 5, "mood": 6, "worry": 1,
                        "drinks": 1, "hours": 1}  # fmt: skip
        crossed = {key: len(list(variables_of(many, place))) for place, key in enumerate(keys)}
        assert crossed == {"smokes": 1, "often": 5, "substance": 6, "place": 8, "habits": 5, "mood": 6, "worry": 0,
                           "drinks": 0, "hours": 0}  # fmt: skip

    @pytest.mark.parametrize(
        ("token", "why"),
        [
            ("drinks", "only the mean to be"),
            ("substance", "are marks"),
            ("worry:1", "depends on which other"),
        ],
    )
    def test_cross_table_unsuitable_variable_raises(self, many: Design, token: str, why: str) -> None:
        with pytest.raises(AnalysisError, match=why):
            variable_of(many, token)

    def test_analysis_discrete_laplace_shares_are_rejected(self, many: Design, sent: list[int]) -> None:
        """Also those that were asked for before, and its question is named; its mean and those of groups are told."""
        shares = {"quantity": "worry:1"}, {"rows": "smokes", "columns": "worry"}, {"outcome": "worry:2"}
        for kind, said in zip(("comparison", "cross-table", "regression"), shares, strict=True):
            with pytest.raises(AnalysisError, match=r"Only the mean of “.* – Question about worry\?” is estimated"):
                requests.parameters(kind, said | {"against": "pairs", "reference": "y1"}, [many])
        earlier = Analysis.objects.create(kind="comparison", parameters=shares[0], design_id=many.digest)
        with pytest.raises(AnalysisError, match="Only the mean of"):
            services.repeat(earlier)
        assert services.request("comparison", {"quantity": "worry:mean", "against": "pairs"}, [many])
        generator = np.random.default_rng(6)
        who = simulation.people(many, 400, generator)
        simulation.store(many, who, simulation.symbols(many, who, generator))
        fold_waiting(many)
        entered = {"share-y1": "20", "share-y2": "30", "share-y3": "50"}
        found = run("weighting", many, item="worry", **entered).result["rows"]
        assert {row["quantity"] for row in found} == {"mean"}
        assert len(found) == 2 + 3

    def test_cross_table_counts_pairs_of_every_encoding(self, many: Design) -> None:
        """A choice by marks, of a set, an option: the table is what numpy counts, and its channel the mechanism's."""
        generator = np.random.default_rng(6)
        who = simulation.people(many, 400, generator)
        symbols = simulation.symbols(many, who, generator)
        simulation.store(many, who, symbols)
        fold_waiting(many)
        fields = {item["key"]: field for item, field in zip(many.document["items"], many.fields, strict=True)}
        for rows_, columns in [("smokes", "substance:2"), ("place:3", "habits:1"), ("habits:0", "habits:4")]:
            first, second = variable_of(many, rows_), variable_of(many, columns)
            y, z = (symbols[:, fields[t.partition(":")[0]].start + int(t.partition(":")[2] or 0)]
                    for t in (rows_, columns))  # fmt: skip
            expected = np.zeros((3, 2, 2), dtype=int)
            np.add.at(expected, (who.strata, y, z), 1)
            assert (snapshots.count_together(many, [first, second]) == expected).all()
            assert run("cross-table", many, rows=rows_, columns=columns).state == "done"

    def test_cross_table_two_options_of_one_question(self, many: Design) -> None:
        assert requests.parameters("cross-table", {"rows": "habits:0", "columns": "habits:1"}, [many])
        with pytest.raises(AnalysisError, match="Choose two different questions"):
            requests.parameters("cross-table", {"rows": "habits:1", "columns": "habits:1"}, [many])
        with pytest.raises(AnalysisError, match="Choose two different questions"):
            requests.parameters("cross-table", {"rows": "place:0", "columns": "place:1"}, [many])


class TestJobs:
    def asked(self, design: Design) -> Analysis:
        return services.request("comparison", {"quantity": "cheated:1", "against": "pairs"}, [design])

    def test_analysis_of_dead_worker_is_resumed(self, design: Design, reports: Reports, sent: list[int]) -> None:
        found = self.asked(design)
        past = timezone.now() - timedelta(minutes=1)
        Analysis.objects.filter(pk=found.pk).update(state="running", lease="dead", lease_until=past, tries=1)
        tasks.resume_waiting()
        assert sent == [found.pk]
        tasks.execute_analysis(found.pk)
        found.refresh_from_db()
        assert (found.state, found.tries) == ("done", 2)

    def test_analysis_that_always_fails_stops_with_message(
        self, design: Design, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def poison(*arguments: object) -> None:
            raise ZeroDivisionError("a secret in the message")

        monkeypatch.setattr(services, "result_of", poison)
        found = self.asked(design)
        for _ in range(jobs.MOST_TRIES):
            with pytest.raises(ZeroDivisionError):
                services.execute(found.pk)
        found.refresh_from_db()
        assert (found.state, found.fault) == ("failed", "The computation ended with ZeroDivisionError.")

    def test_analysis_lost_lease_writes_nothing(
        self, design: Design, reports: Reports, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found, honest = self.asked(design), services.result_of

        def taken_over(*arguments: Any) -> dict[str, Any]:
            Analysis.objects.update(lease="other")
            return honest(*arguments)

        monkeypatch.setattr(services, "result_of", taken_over)
        assert services.execute(found.pk).state == "running"
        assert Analysis.objects.get().result == {}


def waves(design: Design, count: int, repeats: str = "remember") -> list[Design]:
    """The newest first."""
    said = {"waves": {"repeats": repeats, "spent": "3/1"}}
    return [freeze_design({**design.document, "version": number, **said}) for number in range(count, 0, -1)]


def test_waves_newest_compared_with_previous_and_first(design: Design) -> None:
    found = waves(design, 3)
    for seed, one in enumerate(found):
        three_groups.answer(one, np.random.default_rng(seed), yes=(0.3, 0.3, 0.3))
    apart = run("versions", *found, quantity="cheated:1")
    known = run("versions", *found, quantity="cheated:1", returned="1,000", returned_first="0")
    pairs = [(row["version"], row["against_version"], row["returned"]) for row in rows(known, "difference")]
    assert pairs == [(3, 2, 1000), (3, 1, 0)]
    before, first = (rows(one, "difference")[0] for one in (apart, known))
    assert first["narrowest_standard_error"] < first["standard_error"] != before["standard_error"]
    assert before["narrowest_standard_error"] == before["standard_error"]
    assert rows(apart, "difference")[1]["low"] == rows(known, "difference")[1]["low"], (
        "nobody returned, or nobody knows"
    )
    shown = presentation.present(known)
    assert re.search("From wave 2 to wave 3, (the share|the data do not show whether the share)", shown.sentences[0])
    assert METHODS["remembered"] in shown.methods
    assert METHODS["returned"] in shown.methods
    assert any(said.startswith("With 1,000 people in both, the standard error is at most") for said in shown.cautions)
    picture = ElementTree.fromstring(shown.parts[0].picture)
    assert len(picture.findall(".//*[@class='joined']")) == 2
    assert len(picture.findall(".//*[@class='dot']")) == 3


def test_waves_remembered_needs_both_and_same_wording(design: Design) -> None:
    newest, older = waves(design, 2)
    item = newest.items[0]
    assert remembered(newest, older, item)
    (fresh,) = waves(design, 1, "fresh")
    assert not remembered(newest, fresh, item)
    assert not remembered(newest, older, replace(item, wording={"en": "Another?"})), "another text draws other tickets"


@pytest.mark.parametrize(
    ("said", "why"),
    [("1501", "from 0 to 1,500"), ("-1", "from 0 to 1,500"), ("many", "got “many”"), ("2.5", "or empty")],
)
def test_waves_returned_above_respondents_raises(design: Design, said: str, why: str) -> None:
    newest, older = waves(design, 2)
    for one in (newest, older):
        three_groups.answer(one, np.random.default_rng(1))
    with pytest.raises(AnalysisError, match=why):
        run("versions", newest, older, quantity="cheated:1", returned=said)


def test_waves_returned_with_weighted_groups_raises(design: Design) -> None:
    strata = three_groups.groups()
    for group in strata["groups"]:
        group["share"] = "1/3"
    newest, older = waves(Design.of({**design.document, "strata": strata}), 2)
    with pytest.raises(AnalysisError, match="weighted by their known shares"):
        run("versions", newest, older, quantity="cheated:1", returned="10")


def test_last_cell_of_a_short_row_reaches_to_the_end() -> None:
    """A reason in the place of numbers, or a heading."""
    rows = (("Age",), ("18–29", "3", "Too few responses"), ("30–44", "40", "12 %", "8–17 %"))
    table = figures.FigureTable("Shares", ("Group", "Responses", "Estimate", "95 % interval"), rows)
    assert [[span for _, span in row] for row in table.spanned] == [[4], [1, 1, 2], [1, 1, 1, 1]]


def test_headings_stand_above_the_first_row_of_their_own() -> None:
    """A row without a heading has none above it, in the table as in the chart."""
    rows = [AnalysisRow("share", "cheated", 90, estimate=0.3, standard_error=0.1, low=0.1, high=0.5)] * 4
    headed = [("Age", "18–29"), ("Age", "30–44"), ("", "All"), ("Region", "North")]
    found = figures.estimates(rows, ["a", "b", "c", "d"], "shares", "Shares", "Group", headed)
    assert [row[0] for row in found.table.rows] == ["Age", "18–29", "30–44", "All", "Region", "North"]
    assert [row.heading for row in found.drawn] == ["Age", "", "", "Region"]
