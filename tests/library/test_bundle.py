"""The exported file: every figure of the report is computed again from it, and a changed design is noticed."""

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import pytest

from randomized_response import load_bundle

EXPORT = Path(__file__).resolve().parents[2] / "docs" / "examples" / "redbook-1974.report.json"


@pytest.fixture
def document() -> dict[str, Any]:
    return json.loads(EXPORT.read_text(encoding="utf-8"))


def test_bundle_reproduces_every_figure(document: dict[str, Any]) -> None:
    bundle = load_bundle(EXPORT)
    columns = {
        "estimate_unclipped": "unbiased", "estimate": "constrained", "standard_error": "standard_error",
        "low": "low", "high": "high", "noise_standard_error": "noise_standard_error",
        "noise_low": "noise_low", "noise_high": "noise_high", "direct_question_n": "direct_question_n",
    }  # fmt: skip
    assert len(document["estimates"]) == (2 + 5) * (1 + 5 + 5 + 4)
    told = [row for row in document["estimates"] if row["n"]]
    assert {row["stratum"] for row in document["estimates"] if not row["n"]} == {  # nobody preferred not to say
        "years_married=5", "religion=5", "education=4"
    }  # fmt: skip
    for row in told:
        estimate = bundle.items[row["item"]].estimate(row["stratum"], confidence=row["confidence"])
        for column, name in columns.items():
            stated = math.nan if row[column] is None else row[column]
            assert getattr(estimate, name)[row["choice"]] == pytest.approx(stated, abs=1e-12, nan_ok=True), column
        assert estimate.interval == row["interval_method"]


def test_bundle_has_items_strata_and_counts() -> None:
    bundle = load_bundle(EXPORT)
    assert bundle.items["affair"].wording == "Have you had an affair during your marriage?"
    assert bundle.items["affair"].choices == ("No", "Yes")
    assert bundle.items["affair"].mechanism.weights == ((3, 1), (1, 3))
    assert list(bundle.strata)[:5] == [f"years_married={answer}" for answer in range(1, 6)]
    assert bundle.cells["c0001"] == {
        "years_married": ("Less than 5 years",), "religion": ("Not at all",), "education": ("High school or less",)
    }  # fmt: skip
    assert bundle.shares == {}
    assert bundle.items["rating"].counts[""].shape == (1, 5)
    assert bundle.items["rating"].counts[""].sum() == 6366


def test_bundle_cells_sum_to_the_whole_and_to_groups() -> None:
    bundle = load_bundle(EXPORT)
    for item in bundle.items.values():
        assert (sum(item.counts[key] for key in bundle.cells) == item.counts[""]).all()
        strong = [key for key, told in bundle.cells.items() if told["religion"] == ("Strongly",)]
        assert (sum(item.counts[key] for key in strong) == item.counts["religion=4"]).all()


def test_bundle_changed_design_raises(document: dict[str, Any], tmp_path: Path) -> None:
    document["design"]["items"][0]["channel"]["weights"] = [[2, 2], [1, 3]]
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=rf"has the digest [0-9a-f]{{64}}; it names {document['design_digest']}"):
        load_bundle(path)


def test_bundle_tallies_match_input_digest(document: dict[str, Any]) -> None:
    """The run's digest is of the design's digest and the totals, by symbol, stratum and value."""
    totals: dict[tuple[str, int], list[list[int]]] = {}
    for row in document["tallies"]:
        totals.setdefault((row["item"], row["symbol"]), []).append(row["counts"])
    inputs = {"design": document["design_digest"], "totals": list(totals.values())}
    canonical = json.dumps(inputs, sort_keys=True, separators=(",", ":")).encode()
    assert hashlib.sha256(canonical).hexdigest() == document["run"]["input_digest"]


@pytest.mark.parametrize("text", ["", "no json", "[]", "{}", '{"format": 2, "design": {}}'])
def test_bundle_other_file_raises(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"path must name the JSON export of a report.*other\.json"):
        load_bundle(path)


def test_bundle_unknown_stratum_raises() -> None:
    with pytest.raises(ValueError, match="stratum must be one of"):
        load_bundle(EXPORT).items["affair"].estimate("y99")
