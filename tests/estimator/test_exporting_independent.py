"""The exported files in other hands: statsmodels, plain numpy, and a script in exact fractions that knows no Candor."""

import io
import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from collector.designs import Design
from collector.designs.services import freeze_design
from estimator.exports.formats import FORMATS
from tests.factories import kinds, payloads, simulation, three_groups
from tests.factories.runs import run_of

pytestmark = pytest.mark.django_db
SCRIPT = Path(__file__).parents[2] / "docs/examples/recompute.py"


def document_of(design: Design) -> tuple[dict[str, Any], pd.DataFrame]:
    run = run_of(design)
    return json.loads(FORMATS["json"].whole(run)), pd.read_csv(io.BytesIO(FORMATS["reports-csv"].whole(run)))


@pytest.mark.filterwarnings("ignore:The Identity link function does not respect")
def test_exported_microdata_agrees_with_statsmodels_and_numpy() -> None:
    design = freeze_design(payloads.document(strata=three_groups.groups()))
    three_groups.answer(design, np.random.default_rng(5), n=800)
    document, rows = document_of(design)
    weights = document["design"]["items"][0]["channel"]["weights"]
    off, on = (row[1] / sum(row) for row in weights)
    for stratum in ("", "y1", "y2", "y3"):
        said = rows["randomised_cheated"] if not stratum else rows.loc[rows.stratum == stratum, "randomised_cheated"]
        (told,) = (
            row
            for row in document["estimates"]
            if (row["item"], row["choice"], row["stratum"]) == ("cheated", 1, stratum)
        )
        assert (len(said), int(said.sum())) == (told["n"], told["sent"])
        share, n = said.mean(), len(said)
        assert (share - off) / (on - off) == pytest.approx(told["estimate_unclipped"], abs=1e-12)
        assert said.std(ddof=1) / np.sqrt(n) / (on - off) == pytest.approx(told["standard_error"], abs=1e-12)
        mean = sm.OLS(said, np.ones(n)).fit()
        assert mean.bse.iloc[0] / (on - off) == pytest.approx(told["standard_error"], abs=1e-12)
        fit = sm.GLM(said, np.ones(n), family=sm.families.Binomial(sm.families.links.Identity())).fit()
        assert (fit.params.iloc[0] - off) / (on - off) == pytest.approx(told["estimate_unclipped"], abs=1e-9)
        of_likelihood = fit.bse.iloc[0] * np.sqrt(n / (n - 1))  # which divides by n
        assert of_likelihood / (on - off) == pytest.approx(told["standard_error"], abs=1e-9)


def _of_every_kind() -> Design:
    return freeze_design(kinds.document(strata=payloads.definition()["strata"]))


def _weighted() -> Design:
    groups = payloads.definition()["strata"]
    for group, share in zip(groups["groups"], ("0.3", "0.7"), strict=True):
        group["share"] = share
    return freeze_design(payloads.document(strata=groups))


@pytest.mark.parametrize("make", [_of_every_kind, _weighted])
def test_independent_script_recomputes_json_export(make: Any) -> None:
    design, generator = make(), np.random.default_rng(6)
    strata = generator.integers(len(design.strata), size=1_500)
    if design.slug == "kinds":
        who = simulation.people(design, 1_500, generator)
        strata, reports = who.strata, simulation.symbols(design, who, generator)
    else:
        reports = generator.integers(0, [2, 3], size=(1_500, 2)).astype(np.uint8)
    simulation.store(design, simulation.People(strata, {}), reports)
    document, _ = document_of(design)
    script = runpy.run_path(str(SCRIPT))
    found = list(script["recompute"](document))
    known = [row for row in document["estimates"] if row["estimate_unclipped"] is not None]
    assert [row for row, *_ in found] == known
    for row, unbiased, error in found:
        assert unbiased == pytest.approx(row["estimate_unclipped"], rel=1e-9, abs=1e-9), row
        assert error == pytest.approx(row["standard_error"], rel=1e-9, abs=1e-9), row


def test_independent_script_imports_nothing_of_candor() -> None:
    source = SCRIPT.read_text(encoding="utf-8")
    assert not any(name in source for name in ("randomized_response", "import numpy", "estimator", "collector"))
