"""People with known answers to `tests/factories/kinds.py`, and the reports that are drawn for them."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports.selectors import Totals
from estimator.models import KnownShare, Run
from estimator.runs import services as estimator
from estimator.runs.groups import of_totals
from randomized_response import Channel, question_of, simulate
from randomized_response.symbols import read_symbols, ticket_boxes
from tests.factories.kinds import GROUPS, every_kind
from tests.factories.runs import run_of

SHARES = {
    "smokes": [0.7, 0.3],
    "often": [0.05, 0.5, 0.35, 0.1],
    "substance": [0.5, 0.25, 0.1, 0.02, 0.05, 0.08],
    "place": [0.3, 0.05, 0.05, 0.2, 0.15, 0.05, 0.1, 0.1],
    "habits": [0.3, 0.55, 0.1, 0.05, 0.0],
    "mood": [0.1, 0.2, 0.3, 0.2, 0.12, 0.08],
    "worry": [0.35, 0.25, 0.2, 0.15, 0.05],
}
"""Shares of the answers, the first so many as a question has.

Of `habits` the chance that each option is ticked, at most two of them.
"""


@dataclass(frozen=True)
class People:
    """Who took part: an index of a stratum for each, and by item the index of the answer (or a row of 0 and 1)."""

    strata: NDArray[np.int64]
    answers: dict[str, NDArray[np.int64]]


def people(design: Design, count: int, generator: np.random.Generator) -> People:
    """Answers drawn from SHARES; of numbers around a third of the grid. Who is not asked has the answer `unasked`."""
    answers: dict[str, NDArray[np.int64]] = {}
    for item in design.document["items"]:
        question, k = question_of(item), len(item["choices"]) or len(question_of(item).values)
        if item["kind"] == "several_choices":
            ticked = generator.random((count, k)) < SHARES[item["key"]]
            allowed = np.cumsum(ticked, axis=1) <= item.get("most", k)
            answers[item["key"]] = (ticked & allowed).astype(np.int64)
        elif question.fits_shares:
            shares = np.array(SHARES[item["key"]][:k])
            answers[item["key"]] = generator.choice(k, size=count, p=shares / shares.sum())
        else:
            answers[item["key"]] = generator.binomial(k - 1, 1 / 3, size=count)
        if "asked_if" in item:
            earlier, asking = answers[item["asked_if"]["item"]], item["asked_if"]["answers"]
            asked = earlier[:, asking].any(axis=1) if earlier.ndim == 2 else np.isin(earlier, asking)
            answers[item["key"]][~asked] = item["unasked"]
    return People(generator.integers(len(design.strata), size=count), answers)


def symbols(design: Design, who: People, generator: np.random.Generator) -> NDArray[np.uint8]:
    """A report for each person, shape (people, symbols), drawn by docs/reference/formats.md from the tables alone."""
    columns = [_symbols(item, who.answers[item["key"]], generator) for item in design.document["items"]]
    return np.concatenate(columns, axis=1).astype(np.uint8)


def _symbols(item: dict[str, Any], answers: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    weights, k = item["channel"]["weights"], len(item["choices"])
    if item["encoding"] == "subset":
        boxes, size = ticket_boxes("subset", weights, k), item["channel"]["size"]
        tickets = generator.integers(0, boxes, size=(len(answers), len(boxes))).tolist()
        pairs = zip(tickets, answers.tolist(), strict=True)
        return np.array([read_symbols("subset", weights, drawn, answer, size=size) for drawn, answer in pairs])
    rows = np.equal.outer(answers, np.arange(k)).astype(np.int64) if item["encoding"] == "one_hot" else answers
    drawn = simulate(Channel(tuple(map(tuple, weights))), rows, generator)
    return np.asarray(drawn).reshape(len(answers), -1)


def totals(design: Design, who: People, reports: NDArray[np.uint8]) -> Totals:
    """What the collector counts of the reports."""
    strata, sizes = len(design.strata), design.alphabets
    return tuple(
        np.array([np.bincount(reports[who.strata == h, column], minlength=size) for h in range(strata)])
        for column, size in enumerate(sizes)
    )


def pairs(design: Design, who: People, generator: np.random.Generator, *places: int) -> dict[str, object]:
    """The counts of what these people send to the items at some places together, as a snapshot has them."""
    reports = symbols(design, who, generator)
    partition = of_totals(design, totals(design, who, reports))
    starts = [design.fields[place].start for place in places]
    symbols_of = (len(design.items[place].channel.weights[0]) for place in places)
    counts = np.zeros((len(design.strata), *symbols_of), dtype=np.int64)
    np.add.at(counts, (who.strata, *(reports[:, start] for start in starts)), 1)
    return {"pairs": partition.merge(counts).tolist(), "groups": partition.members}


def store(design: Design, who: People, reports: NDArray[np.uint8]) -> None:
    """Put the reports where the collector would have put them."""
    mode = Report.Mode.SIMULATED if design.rehearsal else Report.Mode.BROWSER
    number = FrozenDesign.objects.get(digest=design.digest).number
    WaitingReport.objects.bulk_create(
        WaitingReport(
            nonce=secrets.token_bytes(16),
            design_id=number,
            stratum=int(stratum),
            report=report.tobytes(),
            mode=mode,
        )
        for stratum, report in zip(who.strata, reports, strict=True)
    )


def stored() -> int:
    """How many reports are in the store, waiting or folded, of every design."""
    return Report.objects.count() + WaitingReport.objects.count()


def know(design: Design, who: People) -> None:
    """Record the true answers, in totals."""
    estimator.record_known_shares(design.digest, list(_known(design, who)))


def _known(design: Design, who: People) -> Iterator[KnownShare]:
    groups: list[int | None] = [None, *(range(len(design.strata)) if design.strata != ("",) else ())]
    for position, item in enumerate(design.document["items"]):
        k = len(item["choices"]) or len(question_of(item).values)
        rows = who.answers[item["key"]]
        held = rows if rows.ndim == 2 else np.equal.outer(rows, np.arange(k))
        for group in groups:
            mine = held if group is None else held[who.strata == group]
            for choice, holders in enumerate(mine.sum(axis=0).tolist()):
                yield KnownShare(
                    design_id=design.digest, position=position, choice=choice, stratum=group,
                    respondents=len(mine), holders=holders,
                )  # fmt: skip


PEOPLE = 700


def simulated_run(count: int = PEOPLE, **changes: Any) -> Run:
    design = freeze_design(every_kind(**changes).document)
    generator = np.random.default_rng(11)
    who = people(design, count, generator)
    store(design, who, symbols(design, who, generator))
    if design.rehearsal:
        know(design, who)
    return run_of(design, published=True)


def weighted_run(**changes: Any) -> Run:
    return simulated_run(strata={"wording": {"en": "How old?"}, "groups": GROUPS}, **changes)


def every_kind_in_groups(*shares: str | None) -> Design:
    """Reports to every kind of question from two groups; the title looks like a formula and is not in Latin letters."""
    groups = [group | {"share": share} for group, share in zip(GROUPS, shares, strict=True)]
    document = every_kind(strata={"wording": {"en": "How old?"}, "groups": groups}, title={"en": "=استبيان 🙂"})
    design, generator = freeze_design(document.document), np.random.default_rng(11)
    who = people(design, 900, generator)
    store(design, who, symbols(design, who, generator))
    return design
