"""The simulation of folding that docs/evidence/scale.md rests on: what must hold of it whatever is simulated."""

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks._folding import Deaths, Setting, simulate
from benchmarks._pages import MEASURED
from benchmarks.scale import KINDS, alone, costs, fitted, settled

SMALL = Setting(rate=500, chunk=500, pause=0.01, each=2e-4)
LARGE = Setting(rate=100_000, nodes=8, workers=3)


@pytest.mark.parametrize("setting", [SMALL, LARGE, replace(LARGE, each=4e-4)])
@pytest.mark.parametrize("deaths", [None, Deaths(60, 120, 0.5), Deaths(60, 120, 1.0)])
def test_simulated_fold_counts_each_report_once(setting: Setting, deaths: Deaths | None) -> None:
    found = simulate(setting, seconds=180, seed=1, deaths=deaths)
    assert found.come == found.folded + found.waits
    assert abs(found.come - 180 * setting.rate) < 5 * np.sqrt(180 * setting.rate)  # once in 1.7 million seeds
    assert found.waiting.min() >= 0
    assert found.behind.min() >= 0


@pytest.mark.parametrize("setting", [SMALL, LARGE])
def test_simulated_fold_obeys_littles_law(setting: Setting) -> None:
    """What waits on average is the rate times the average wait, which are summed up in different places."""
    found = simulate(setting, seconds=600, seed=2)
    assert found.waiting.mean() == pytest.approx(setting.rate * found.waited / found.folded, rel=0.08)


def test_simulated_fold_more_workers_lag_less() -> None:
    tight = replace(LARGE, each=3e-4)
    behind = [simulate(replace(tight, workers=workers), seconds=120, seed=3).behind.mean() for workers in (1, 2, 4, 8)]
    assert behind == sorted(behind, reverse=True)
    assert behind[0] > 10 > 5 > behind[-1]


def test_simulated_fold_catches_up_after_outage() -> None:
    found = simulate(replace(LARGE, workers=4), seconds=400, seed=4, deaths=Deaths(60, 120, 1.0))
    assert found.behind.max() == pytest.approx(60, abs=5), "as long as they were dead"
    assert found.behind[found.times > 350].max() < 5


def test_simulated_fold_same_seed_same_result() -> None:
    first, second = (simulate(SMALL, seconds=60, seed=5) for _ in range(2))
    assert np.array_equal(first.behind, second.behind)
    assert not np.array_equal(first.waiting, simulate(SMALL, seconds=60, seed=6).waiting)


def test_fitted_line_is_within_its_errors() -> None:
    random = np.random.default_rng(7)
    counts = np.repeat([1, 16, 64, 256], 50)
    line = fitted(counts, (1e-3 + 4e-5 * counts) * random.normal(1, 0.1, len(counts)))
    assert abs(line.fixed - 1e-3) < 4 * line.fixed_error < 4e-4
    assert abs(line.each - 4e-5) < 4 * line.each_error < 1e-5


def test_simulated_fold_matches_measurement() -> None:
    """As far as docs/evidence/scale.md says: the median within a half, the most within three times, in four rows."""
    transactions, lag = (json.loads((MEASURED / f"{name}.json").read_text()) for name in ("transactions", "lag"))
    kinds = {words: kind for kind, words in KINDS.items()}
    for one in lag:
        kind = kinds[one["kind"]]
        setting = alone(kind, costs(kind, transactions, lag), one["rate"])
        found, behind = settled(simulate(setting, seconds=600, seed=8)), [late for at, late in one["behind"] if at > 0]
        assert 1 / 1.5 < np.median(behind) / np.median(found) < 1.5
        assert 1 / 3 < np.max(behind) / np.max(found) < 3
