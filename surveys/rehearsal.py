"""Rehearsals: simulated respondents with known answers go the way of real ones, one at a time.

Each answer is drawn with the browser's sampler rules, put on the wire as the browser puts it, and stored by the same
service. A rehearsal is a survey of its own whose design says so, so its reports can never mix with real ones. What is
kept of the true answers is their totals alone, to be marked beside the estimates.
"""

import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from django.contrib.auth.models import User

from collector import selectors as reports
from collector import services as collector
from collector.designs import Design
from collector.items import answer_count
from estimator import services as estimator
from estimator.models import KnownShare, Run
from randomized_response import draw_ticket
from randomized_response.symbols import read_symbols, ticket_boxes
from surveys import lifecycle, services
from surveys.models import Survey, Version
from surveys.respondents import Respondent, answers_to_send

SUFFIX = "-rehearsal"
WORDS = 4096


def start(survey: Survey, *, by: User | None = None) -> Version:
    """Open a fresh version to rehearse on: of a survey that is a rehearsal itself, else of a copy of the draft."""
    if not survey.rehearsal:
        lifecycle.require_draft(survey)
        copy = Survey.objects.filter(slug=survey.slug + SUFFIX).first()
        if copy is not None:
            _back_to_draft(copy, by)
        survey = services.duplicate_survey(survey, slug=survey.slug + SUFFIX, rehearsal=True, by=by)
    _back_to_draft(survey, by)
    return services.open_survey(survey, by=by)


def send(version: Version, respondents: Iterable[Respondent], generator: np.random.Generator) -> Iterator[int]:
    """Send one report for each respondent; yields how many are stored. Afterwards the known shares are recorded.

    Nothing of a respondent outlives her report but a one in the totals of the known shares, which are those of the
    answers as they met the tickets: of those who were not asked, what is sent for them.
    """
    design = reports.get_design(version.design_id)
    known: Counter[tuple[int, int, int]] = Counter()
    sizes: Counter[int] = Counter()
    next_word = _words(generator)
    for number, respondent in enumerate(respondents, start=1):
        body = report_body(design, respondent, next_word, nonce=secrets.token_hex(16))
        collector.receive(body, slug=design.slug, rehearsal=True)
        sizes[respondent.stratum] += 1
        known.update((*held, respondent.stratum) for held in _held(design, respondent))
        yield number
    estimator.record_known_shares(version.design_id, _known_shares(design, known, sizes))


def finish(version: Version) -> Run:
    """Close the version that was rehearsed on; the run that estimates it."""
    return services.close_survey(version.survey)


def report_body(design: Design, respondent: Respondent, next_word: Callable[[], int], *, nonce: str) -> bytes:
    """The bytes that a browser sends for this person: tickets are drawn for each item, then read for her answers."""
    drawn = [[draw_ticket(box, next_word) for box in _boxes(item)] for item in design.document["items"]]
    answers = answers_to_send(design.document["items"], respondent.answers)
    items = zip(design.document["items"], drawn, answers, strict=True)
    symbols = bytes(symbol for item, tickets, answer in items for symbol in _symbols(item, tickets, answer))
    body = {
        "design": design.digest,
        "nonce": nonce,
        "stratum": design.strata[respondent.stratum],
        "report": symbols.hex(),
    }
    return json.dumps(body, separators=(",", ":")).encode()


def _boxes(item: dict[str, Any]) -> tuple[int, ...]:
    return ticket_boxes(item["encoding"], item["channel"]["weights"], len(item["choices"]))


def _symbols(item: dict[str, Any], tickets: list[int], answer: int | tuple[int, ...]) -> tuple[int, ...]:
    channel = item["channel"]
    return read_symbols(item["encoding"], channel["weights"], tickets, answer, size=channel.get("size", 0))


def _held(design: Design, respondent: Respondent) -> Iterator[tuple[int, int]]:
    """The places of the items and answers that she holds; of several choices each option that she ticked."""
    for position, answer in enumerate(answers_to_send(design.document["items"], respondent.answers)):
        options = (answer,) if isinstance(answer, int) else [place for place, one in enumerate(answer) if one]
        yield from ((position, option) for option in options)


def _back_to_draft(survey: Survey, by: User | None) -> None:
    if survey.state == Survey.State.OPEN:
        services.close_survey(survey, by=by)
    if survey.state == Survey.State.CLOSED:
        services.revise_survey(survey, by=by)


def _words(generator: np.random.Generator) -> Callable[[], int]:
    """A source of uniform 32-bit words, fetched in blocks."""

    def stream() -> Iterator[int]:
        while True:
            yield from generator.integers(0, 2**32, size=WORDS, dtype=np.uint64).tolist()

    return stream().__next__


def _known_shares(design: Design, known: Counter[tuple[int, int, int]], sizes: Counter[int]) -> Iterator[KnownShare]:
    """The share of each answer, of several choices of each option: of all, and of each stratum that has anybody."""
    strata = range(len(design.strata))
    groups: dict[int | None, list[int]] = {None: list(strata)}
    if design.strata != ("",):
        groups.update({stratum: [stratum] for stratum in strata})
    for position, item in enumerate(design.document["items"]):
        for group, members in groups.items():
            respondents = sum(sizes[stratum] for stratum in members)
            for choice in range(answer_count(item) if respondents else 0):
                yield KnownShare(
                    design_id=design.digest,
                    position=position,
                    choice=choice,
                    stratum=group,
                    respondents=respondents,
                    holders=sum(known[position, choice, stratum] for stratum in members),
                )
