"""Surveys with known shares in three groups, for tests of analyses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from tests.factories import payloads, simulation
from tests.factories.reports import fold_waiting

GROUPS = ("y1", "y2", "y3")
LABELS = {"y1": "First year", "y2": "Later", "y3": "=Doctoral"}
COINS = np.array([[3, 1], [1, 3]]) / 4
THREE = np.array([[4, 1, 1], [1, 4, 1], [1, 1, 4]]) / 6


def groups() -> dict[str, Any]:
    """Three groups; the last label would be a formula in a spreadsheet."""
    return {
        "wording": {"en": "Which year are you in?"},
        "groups": [{"key": key, "label": {"en": LABELS[key]}, "share": None} for key in GROUPS],
    }


def definition(**changes: Any) -> dict[str, Any]:
    """The payloads' survey with three groups, and how people feel as a scale."""
    found = payloads.definition(strata=groups())
    found["items"][1]["kind"] = "scale"
    return found | changes


def answer(
    design: Design, generator: np.random.Generator, *, n: int = 1500, yes: tuple[float, ...] = (0.2, 0.5, 0.3)
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Store n reports of people of whom a share `yes` of each group has cheated, and who feel the worse if they have.

    All of them are counted, also those that would wait for the next step. Returns the stratum of each, and the symbols
    of each report, of which a design without the second question has one.
    """
    strata = generator.choice(3, n, p=[0.5, 0.3, 0.2])
    cheated = (generator.random(n) < np.array(yes)[strata]).astype(int)
    mood = np.where(cheated == 1, generator.choice(3, n, p=[0.1, 0.3, 0.6]), generator.choice(3, n, p=[0.6, 0.3, 0.1]))
    told = (generator.random(n) < COINS[cheated][:, 1]).astype(int)
    felt = (generator.random(n)[:, None] > np.cumsum(THREE, axis=1)[mood]).sum(axis=1)
    reports = np.stack([told, felt], axis=1)[:, : len(design.alphabets)].astype(np.uint8)
    simulation.store(design, simulation.People(strata, {}), reports)
    fold_waiting(design)
    return strata, reports
