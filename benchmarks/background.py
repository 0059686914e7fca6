"""How long estimates of a survey with six background questions take: 2,000 cells and a million responses.

    python -m benchmarks.background > docs/evidence/background-questions.md

Totals are drawn for the cells; no database takes part. Beside it the same responses without groups, as a run of a
survey without background questions has them.
"""

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

RESPONSES = 1_000_000


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from estimator.analyses.adjusted import adjusted_regression
    from estimator.analyses.areas import small_areas
    from estimator.analyses.calibrated import weighting
    from estimator.runs.estimation import estimate_item
    from estimator.runs.groups import of_totals
    from tests.factories import background

    design = background.design(*background.SIX, expected=RESPONSES)
    cells = design.background.cells
    random = np.random.default_rng(13)
    sizes = random.multinomial(RESPONSES, [float(design.background.expected_share(cell)) for cell in range(len(cells))])
    yes = random.binomial(sizes, 0.4)
    answers = np.stack([sizes - yes, yes], axis=1)
    table = random.multinomial(1, [1 / 3] * 3, size=len(cells)) * sizes[:, None]
    exact = (answers, table)
    partition = of_totals(design, exact)
    merged = partition.merge_all(exact)
    everybody = of_totals(design, exact, final=False)
    alone = everybody.merge_all(exact)
    inputs = {"totals": np.stack(merged[:1], axis=1).tolist(), "groups": partition.members}
    asked = {"outcome": "cheated", "predictors": [one.key for one in design.background.questions], "confidence": 0.95}
    weighted, areas = _weighting(design), _areas(design)
    rows = (
        ("cells made and checked at opening", lambda: background.design(*background.SIX, expected=RESPONSES)),
        ("cells combined for release", lambda: of_totals(design, exact)),
        ("a question for everybody", lambda: list(estimate_item(everybody, 0, alone[:1], 0.95))),
        ("a question, by every answer too", lambda: list(estimate_item(partition, 0, merged[:1], 0.95))),
        ("regression on six questions", lambda: adjusted_regression(design, asked, inputs)),
        ("weights to the margins of six questions", lambda: weighting(design, weighted, inputs)),
        ("small areas, with five predictors", lambda: small_areas(design, areas, inputs)),
    )
    print(HEAD.format(cells=len(cells), released=len(partition.members), groups=len(partition.groups)))
    for name, act in rows:
        print(f"| {name} | {_quickest(act):.2f} s |")


def _weighting(design: Any) -> dict[str, object]:
    """What is asked of a weighting to equal shares of the answers to every question."""
    margins = {
        one.key: {str(k): f"1/{len(one.choices) - 1}" for k in range(1, len(one.choices))}
        for one in design.background.questions
    }
    return {"item": "cheated", "margins": margins, "method": "raking", "largest": None, "confidence": 0.95}


def _areas(design: Any) -> dict[str, object]:
    """What is asked of small areas by the first question, with all others as predictors."""
    region, *others = (one.key for one in design.background.questions)
    return {"outcome": "cheated", "area": region, "predictors": others, "census": [], "confidence": 0.95}


def _quickest(act: Callable[[], object]) -> float:
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        act()
        taken.append(time.perf_counter() - start)
    return min(taken)


HEAD = """# Estimates by background questions

*For analysts of large surveys.*

`python -m benchmarks.background` writes this page.

A million responses to a survey with six background questions, whose answers make {cells:,} cells. Where fewer than ten
responses came, cells are combined: {released:,} rows are released, and {groups} groups by one answer are estimated. The
quickest of three, on one core, from totals that are counted already.

| Step | Takes |
|---|---|"""


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    main()
