"""Simulation of respondents with known answers, processed like real ones, one at a time.

Each answer is drawn with the browser's sampler rules, put on the wire as the browser puts it, and stored by the same
service. Designs of rehearsals say that they are some, so their reports can never mix with real ones. What is kept of
the true answers is their totals alone, to be marked beside the estimates.
"""

import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction

from collector.designs import Design, Item, selectors
from collector.designs.arms import asked_in
from collector.endpoint import receiving
from estimator.models import KnownShare, Run
from estimator.runs import services as estimator
from estimator.runs.groups import strata_asked, strata_by_code
from randomized_response import draw_ticket
from randomized_response.symbols import read_symbols, ticket_boxes
from surveys.lifecycle import services
from surveys.lifecycle.selectors import version_closing
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from surveys.planning.rehearsals.misreporting import HONEST, Misreporting, Say
from surveys.planning.rehearsals.respondents import Respondent, answers_to_send

WORDS = 4096
BATCH = 250
"""Simulated responses stored in one transaction: meanwhile no real one can be stored."""


def start(survey: Survey, *, by: User | None = None) -> Version:
    """Open a new version of a survey that is a rehearsal as a whole, as its author wrote it."""
    if survey.state == Survey.State.OPEN or version_closing(survey):
        services.close_survey(survey, by=by)
    if survey.state == Survey.State.CLOSED:
        services.revise_survey(survey, by=by)
    return open_survey(survey, by=by)


def finish(version: Version) -> Run:
    """Close the rehearsed version; returns the run that estimates it."""
    return services.close_survey(version.survey)


class Truths:
    """Totals of the true answers of those who have sent: how many in each stratum have each answer.

    Of those who were not asked it is what is sent for them.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self.known: Counter[tuple[int, int, int]] = Counter()
        self.sizes: Counter[int] = Counter()

    def add(self, respondent: Respondent) -> None:
        self.sizes[respondent.stratum] += 1
        self.known.update((*held, respondent.stratum) for held in _held(self.design, respondent))

    def shares(self) -> Iterator[KnownShare]:
        """The known shares overall, and in each stratum with people."""
        strata = range(len(self.design.strata))
        groups: dict[int | None, list[int]] = {None: list(strata)}
        groups.update({code: list(members) for code, members in strata_by_code(self.design).items()})
        for position, item in enumerate(self.design.items):
            asked = strata_asked(self.design, position)
            for group, everyone in groups.items():
                members = [stratum for stratum in everyone if asked[stratum]]
                respondents = sum(self.sizes[stratum] for stratum in members)
                for choice in range(item.answer_count if respondents else 0):
                    yield KnownShare(
                        design_id=self.design.digest,
                        position=position,
                        choice=choice,
                        stratum=group,
                        respondents=respondents,
                        holders=sum(self.known[position, choice, stratum] for stratum in members),
                    )


def send(
    design: Design,
    respondents: Iterable[Respondent],
    generator: np.random.Generator,
    truths: Truths,
    *,
    before: Callable[[int], None] = lambda stored: None,
    say: Say = lambda person: person,
) -> Iterator[int]:
    """Send one response per respondent; yields the number stored, and adds the true answers to `truths`.

    `before` is told how many are stored, within the transaction that stores the next ones. `say` is what a person says
    instead of what is true.
    """
    next_word, people, stored = _words(generator), iter(respondents), 0
    while batch := list(islice(people, BATCH)):
        bodies = [report_body(design, say(one), next_word, nonce=secrets.token_hex(16)) for one in batch]
        with transaction.atomic():
            before(stored)
            receiving.receive_simulated(bodies, slug=design.slug)
        for one in batch:
            truths.add(one)
            stored += 1
            yield stored


def rehearse(
    version: Version,
    respondents: Iterable[Respondent],
    generator: np.random.Generator,
    misreporting: Misreporting = HONEST,
) -> Iterator[int]:
    """Send for everybody to a version of a survey that is wholly a rehearsal, and record the known shares."""
    design = selectors.get_design(version.design_id)
    truths = Truths(design)
    yield from send(design, respondents, generator, truths, say=misreporting.says(design, generator))
    estimator.record_known_shares(design.digest, truths.shares())


def report_body(design: Design, respondent: Respondent, next_word: Callable[[], int], *, nonce: str) -> bytes:
    """The bytes that a browser sends for this person: tickets are drawn for each item, then read for the answers.

    A coin of the person's own has the same table as the tickets, so they stand for it; where she does not follow it,
    what she marks is sent.
    """
    drawn = [[draw_ticket(box, next_word) for box in _boxes(item)] for item in design.items]
    answers = answers_to_send(design.items, respondent.answers, asked_in(design, respondent.stratum))
    items = zip(design.items, drawn, answers, strict=True)
    marked = respondent.unrandomised
    symbols = bytes(
        symbol
        for item, tickets, answer in items
        for symbol in (_marked(answer) if item.key in marked else _symbols(item, tickets, answer))
    )
    body = {
        "design": design.digest,
        "nonce": nonce,
        "stratum": design.strata[respondent.stratum],
        "report": symbols.hex(),
    }
    return json.dumps(body, separators=(",", ":")).encode()


def _boxes(item: Item) -> tuple[int, ...]:
    return ticket_boxes(item.encoding, item.channel.weights, len(item.choices))


def _symbols(item: Item, tickets: list[int], answer: int | tuple[int, ...]) -> tuple[int, ...]:
    channel = item.channel
    return read_symbols(item.encoding, channel.weights, tickets, answer, size=channel.size or 0)


def _marked(answer: int | tuple[int, ...]) -> tuple[int, ...]:
    """What is sent of a mark that follows no coin."""
    return (answer,) if isinstance(answer, int) else answer


def _held(design: Design, respondent: Respondent) -> Iterator[tuple[int, int]]:
    """The indices of the items and the person's answers; for several choices, of each ticked option.

    Nothing of items that the person's version of the page does not ask.
    """
    asked = asked_in(design, respondent.stratum)
    answers = enumerate(answers_to_send(design.items, respondent.answers, asked))
    for position, answer in ((position, answer) for position, answer in answers if position in asked):
        options = (answer,) if isinstance(answer, int) else [place for place, one in enumerate(answer) if one]
        yield from ((position, option) for option in options)


def _words(generator: np.random.Generator) -> Callable[[], int]:
    """A source of uniform 32-bit words, fetched in blocks."""

    def stream() -> Iterator[int]:
        while True:
            yield from generator.integers(0, 2**32, size=WORDS, dtype=np.uint64).tolist()

    return stream().__next__
