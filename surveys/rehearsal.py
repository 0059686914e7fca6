"""Rehearsals: simulated respondents with known answers go the way of real ones, one at a time.

Each answer is drawn with the browser's sampler rules, put on the wire as the browser puts it, and stored by the same
service. A rehearsal is a survey of its own whose design says so, so its reports can never mix with real ones. What is
kept of the true answers is their totals alone, to be marked beside the estimates.
"""

import csv
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import IO, Any

import numpy as np

from collector import selectors as reports
from collector import services as collector
from collector.designs import Design
from estimator import services as estimator
from estimator.models import KnownShare, Run
from randomized_response import draw_ticket, read_ticket
from surveys import lifecycle, services
from surveys.models import Survey, Version

SUFFIX = "-rehearsal"
WORDS = 4096


class RehearsalError(ValueError):
    """Answers that do not fit the survey; the message names the place, the bound and the value."""


@dataclass(frozen=True)
class Respondent:
    """A simulated person: her stratum (an index) and her true answer to each item (an index)."""

    stratum: int
    answers: tuple[int, ...]


def start(survey: Survey) -> Version:
    """Open a fresh version to rehearse on: of a survey that is a rehearsal itself, else of a copy of the draft."""
    if not survey.rehearsal:
        lifecycle.require_draft(survey)
        copy = Survey.objects.filter(slug=survey.slug + SUFFIX).first()
        if copy is not None:
            _back_to_draft(copy)
        survey = services.duplicate_survey(survey, slug=survey.slug + SUFFIX, rehearsal=True)
    _back_to_draft(survey)
    return services.open_survey(survey)


def send(version: Version, respondents: Iterable[Respondent], generator: np.random.Generator) -> Iterator[int]:
    """Send one report for each respondent; yields how many are stored. Afterwards the known shares are recorded.

    Nothing of a respondent outlives her report but a one in the totals of the known shares.
    """
    design = reports.get_design(version.design_id)
    known: Counter[tuple[int, int, int]] = Counter()
    next_word = _words(generator)
    for number, respondent in enumerate(respondents, start=1):
        body = report_body(design, respondent, next_word, nonce=secrets.token_hex(16))
        collector.receive(body, slug=design.slug, rehearsal=True)
        known.update((position, answer, respondent.stratum) for position, answer in enumerate(respondent.answers))
        yield number
    estimator.record_known_shares(version.design_id, _known_shares(design, known))


def finish(version: Version) -> Run:
    """Close the version that was rehearsed on; the run that estimates it."""
    return services.close_survey(version.survey)


def report_body(design: Design, respondent: Respondent, next_word: Callable[[], int], *, nonce: str) -> bytes:
    """The bytes that a browser sends for this person: a ticket is drawn for each item, then read for her answer."""
    tables = [item["channel"]["weights"] for item in design.document["items"]]
    tickets = [draw_ticket(sum(weights[0]), next_word) for weights in tables]
    drawn = zip(tickets, tables, respondent.answers, strict=True)
    symbols = bytes(read_ticket(ticket, weights[answer]) for ticket, weights, answer in drawn)
    body = {
        "design": design.digest,
        "nonce": nonce,
        "stratum": design.strata[respondent.stratum],
        "report": symbols.hex(),
    }
    return json.dumps(body, separators=(",", ":")).encode()


def simulated(
    design: Design, *, respondents: int, shares: dict[str, list[float]], generator: np.random.Generator
) -> Iterator[Respondent]:
    """People whose answers are drawn from given shares of each item; from equal shares where none are given."""
    items = design.document["items"]
    unknown = sorted(set(shares) - {item["key"] for item in items})
    if unknown:
        raise RehearsalError(f"share: the survey has no item {', '.join(unknown)}")
    tables = [_shares_of(item, shares.get(item["key"])) for item in items]
    strata = _strata_shares(design)
    for _ in range(respondents):
        stratum = int(generator.choice(len(strata), p=strata))
        yield Respondent(stratum, tuple(int(generator.choice(len(table), p=table)) for table in tables))


def read_answers(design: Design, file: IO[str]) -> list[Respondent]:
    """Read true answers from CSV: a column for each item, and `stratum` where the survey has groups.

    A cell holds the number of the choice (from 0) or its text; a stratum is given by its key.
    """
    table = csv.DictReader(file)
    items = design.document["items"]
    needed = [item["key"] for item in items] + (["stratum"] if design.strata != ("",) else [])
    missing = [name for name in needed if name not in (table.fieldnames or [])]
    if missing:
        raise RehearsalError(f"the file must have the columns {', '.join(needed)}; missing: {', '.join(missing)}")
    return [
        Respondent(_stratum(design, row, line), tuple(_choice(design, item, row, line) for item in items))
        for line, row in enumerate(table, start=2)
    ]


def _back_to_draft(survey: Survey) -> None:
    if survey.state == Survey.State.OPEN:
        services.close_survey(survey)
    if survey.state == Survey.State.CLOSED:
        services.revise_survey(survey)


def _words(generator: np.random.Generator) -> Callable[[], int]:
    """A source of uniform 32-bit words, fetched in blocks."""

    def stream() -> Iterator[int]:
        while True:
            yield from generator.integers(0, 2**32, size=WORDS, dtype=np.uint64).tolist()

    return stream().__next__


def _known_shares(design: Design, known: Counter[tuple[int, int, int]]) -> Iterator[KnownShare]:
    for position, item in enumerate(design.document["items"]):
        strata = range(len(design.strata))
        held: dict[int | None, list[int]] = {
            stratum: [known[position, choice, stratum] for choice in range(len(item["choices"]))] for stratum in strata
        }
        groups: dict[int | None, list[int]] = {None: [sum(column) for column in zip(*held.values(), strict=True)]}
        if design.strata != ("",):
            groups.update(held)
        for group, holders in groups.items():
            for choice, count in enumerate(holders if sum(holders) else []):
                yield KnownShare(
                    design_id=design.digest,
                    position=position,
                    choice=choice,
                    stratum=group,
                    respondents=sum(holders),
                    holders=count,
                )


def _shares_of(item: dict[str, Any], given: list[float] | None) -> list[float]:
    size = len(item["choices"])
    if given is None:
        return [1 / size] * size
    table = [1 - given[0], given[0]] if len(given) == 1 and size == 2 else given
    if len(table) != size or min(table) < 0 or abs(sum(table) - 1) > 1e-9:
        raise RehearsalError(f"share: {item['key']} needs {size} shares from 0 to 1 that sum to 1; got {given}")
    return table


def _strata_shares(design: Design) -> list[float]:
    shares = [group["share"] for group in design.document["strata"]["groups"]]
    if not shares or None in shares:
        return [1 / len(design.strata)] * len(design.strata)
    return [float(Fraction(share)) for share in shares]


def _stratum(design: Design, row: dict[str, str], line: int) -> int:
    if design.strata == ("",):
        return 0
    if row["stratum"] not in design.strata:
        raise RehearsalError(f"line {line}: stratum must be one of {', '.join(design.strata)}")
    return design.strata.index(row["stratum"])


def _choice(design: Design, item: dict[str, Any], row: dict[str, str], line: int) -> int:
    # The value itself is left out of the message: it is somebody's answer.
    texts = [choice[design.document["languages"][0]] for choice in item["choices"]]
    cell = (row[item["key"]] or "").strip()
    if cell in texts:
        return texts.index(cell)
    if not cell.isdecimal() or int(cell) >= len(texts):
        raise RehearsalError(f"line {line}: {item['key']} must be 0 to {len(texts) - 1} or the text of a choice")
    return int(cell)
