"""Small areas of an analysis, computed again."""

from collections.abc import Iterator

import numpy as np
from cells import Cells, Column
from counts import ENOUGH, Analysis, Row, row
from models import complete

from randomized_response import multilevel_regression


def small_areas(one: Analysis) -> Iterator[Row]:
    """A multilevel logistic regression, poststratified to the census; without one to the responses themselves."""
    outcome, p = one.variable(one.parameters["outcome"]), one.parameters
    keys = [question["key"] for question in one.questions]
    asked = [keys.index(key) for key in (p["area"], *p["predictors"])]
    reports = one.reports(outcome.column, outcome.codes)
    cells = Cells(one, asked, reports, np.ones(len(reports)))
    silent: list[Column] = [
        ((place, len(one.questions[at]["choices"]) - 1),)
        for place, at in enumerate(asked)
        if "arms" not in one.questions[at]
    ]
    cells.drop(silent)
    if cells.n.sum() < ENOUGH or len(cells.given(0)) < 3:
        return
    census = np.array(p["census"], dtype=np.int64) if p["census"] else None
    people = cells.answers if census is None else census[:, :-1] - 1
    columns: list[Column] = [((q, each),) for q in range(1, len(asked)) for each in cells.given(q)[1:]]

    if any(set(people[:, q].tolist()) - set(cells.given(q)) for q in range(1, len(asked))):
        return
    places, codes = cells.counts.nonzero()
    areas, counts = cells.answers[places, 0], cells.counts[places, codes]
    fit = multilevel_regression(cells.design(columns)[places], codes, outcome.channel, areas, counts=counts)
    if not fit.draws.size:
        return
    mass = cells.n.astype(float) if census is None else census[:, -1].astype(float)
    found = fit.poststratify(cells.design(columns, people), people[:, 0], mass, confidence=one.confidence)
    for place, area in enumerate(found.areas):
        whole = place == len(found.areas) - 1
        n = int(cells.n.sum()) if whole else cells.size(((0, int(area)),))
        where = {"choice": outcome.choice, "group": "" if whole else f"{p['area']}={int(area) + 1}"}
        where["weights"] = "entered" if p["census"] else ""
        numbers = (found.estimate[place], found.standard_error[place], found.low[place], found.high[place])
        yield row("share", outcome.item, n, **where, **complete(*numbers))
