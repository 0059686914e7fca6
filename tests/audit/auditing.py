"""The audit of one survey: drive it, test what came, and test again where a conditional test failed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.audit import checks, leaving
from tests.audit.collecting import collected, same_heads, stored
from tests.audit.driving import Run, Work, drive, plan
from tests.audit.findings import Finding, failed
from tests.audit.shelf import Shelf
from tests.tools.capture import Request, Response


def run_of(work: Work, shelf: Shelf, submissions: int, seed: int) -> Run:
    return work(drive, shelf, plan(shelf.items, submissions, seed))


def audit(work: Work, shelf: Shelf, submissions: int, *, seed: int = 1, repeat: bool = True) -> list[Finding]:
    """Every finding about the client on the shelf.

    Where the wire itself is not in order (two values of what must have one), the statistics are left out: there may be
    no report to read.
    """
    survey = shelf.survey
    run = run_of(work, shelf, submissions, seed)
    found = checks.invariants(run, survey) + checks.strata(run, shelf, survey) + checks.arms(run, shelf, survey)
    if failed(found):
        return found
    found += checks.channel(run, shelf, survey) + checks.pairs(run, shelf, survey) + checks.epsilon(run, shelf, survey)

    def given(one: Run) -> list[Finding]:
        return checks.conditional(one, shelf, survey) + checks.classified(one, shelf, survey)

    if not repeat:
        return found + given(run)
    return found + at_most_twice(given, run, lambda: run_of(work, shelf, submissions, seed + 1))


def audit_engine(work: Work, shelf: Shelf, submissions: int) -> list[Finding]:
    """What another engine sends: one value of what must have one, the cell, and the exact rows. Nothing of times."""
    survey = shelf.survey
    run = run_of(work, shelf, submissions, seed=7)
    found = checks.invariants(run, survey) + checks.strata(run, shelf, survey) + checks.arms(run, shelf, survey)
    return found if failed(found) else found + checks.channel(run, shelf, survey) + checks.pairs(run, shelf, survey)


def at_most_twice(given: Callable[[Run], list[Finding]], run: Run, again: Callable[[], Run]) -> list[Finding]:
    """Conditional tests of a run; those that fail are made again on new submissions."""
    found = given(run)
    if not failed(found):
        return found
    second = given(again())
    return [one if one.passed else replace(other, retried=True) for one, other in zip(found, second, strict=True)]


def audit_retries(work: Work, shelf: Shelf, submissions: int) -> list[Finding]:
    """A server that fails each report once."""
    seen: set[bytes] = set()

    def failing(request: Request) -> Response:
        if request.method == "POST" and request.body[:140] not in seen:  # the nonce is within
            seen.add(request.body[:140])
            return Response(503)
        return shelf.respond(request)

    rows = plan(shelf.items, submissions, seed=3)
    return checks.retries(work(drive, shelf, rows, failing), shelf.survey, tries=2)


def audit_leaving(work: Work, shelf: Shelf, rounds: int) -> list[Finding]:
    """A server that takes no report, and a browser that comes back after each of its answers, in every way."""
    answers = leaving.ANSWERS * rounds
    seen = {way: len(work(leaving.bodies_by, shelf, answers, way)) for way in leaving.WAYS}
    return checks.one_body(seen, shelf.survey, len(answers))


def audit_killed(work: Work, shelf: Shelf, answers: int) -> list[Finding]:
    """The same, and the browser is killed each time; so many of the answers."""
    some = leaving.ANSWERS[:: len(leaving.ANSWERS) // answers][:answers]
    ways = {"kill": False, "kill and session restore": True}
    seen = {way: len(work(leaving.bodies_killed, shelf, some, restoring)) for way, restoring in ways.items()}
    return checks.one_body(seen, shelf.survey, len(some))


def audit_work(work: Work, shelf: Shelf, submissions: int, bits: int) -> list[Finding]:
    """A survey that asks for work: its reports differ from one another by nonce, sum and report alone."""
    run, survey = run_of(work, shelf, submissions, seed=9), f"{shelf.survey}, work of {bits} bits"
    return checks.invariants(run, survey) + checks.work(run, survey, bits)


def audit_returning(work: Work, shelf: Shelf, submissions: int) -> list[Finding]:
    """One device that comes back to a survey that remembers, with other answers each time."""
    run = work(drive, shelf, plan(shelf.items, submissions, seed=10), returning=True)
    survey = f"{shelf.survey}, one device"
    return checks.invariants(run, survey) + checks.recalled(run, shelf, survey)


def audit_restless(work: Work, shelf: Shelf, submissions: int) -> list[Finding]:
    """People who try everything before they answer: nothing leaves before Send, and then it looks the same."""
    rows = plan(shelf.items, submissions, seed=6)
    run, survey = work(drive, shelf, rows, restless=True), f"{shelf.survey}, restless"
    return checks.invariants(run, survey) + checks.strata(run, shelf, survey)


def audit_slowed(work: Work, shelf: Shelf, submissions: int, *, slowed: int = 6) -> list[Finding]:
    """A phone: the processor six times slower, where a difference in work would show six times as much."""
    survey = f"{shelf.survey}, slowed {slowed} times"

    def slow_run(seed: int) -> Run:
        return work(drive, shelf, plan(shelf.items, submissions, seed), slowed=slowed)

    run = slow_run(7)
    found = checks.invariants(run, survey)
    return found + at_most_twice(lambda one: checks.conditional(one, shelf, survey), run, lambda: slow_run(8))


def audit_collector(work: Work, shelf: Shelf, definition: dict[str, Any], submissions: int) -> list[Finding]:
    """A page load for each submission, and the real collector at the end; the same bytes as the quick way sends."""
    run, survey = collected(work, shelf, definition, submissions), f"{shelf.survey}, real site"
    found = checks.invariants(run, survey) + checks.channel(run, shelf, survey) + stored(run, survey)
    return found + same_heads(run, run_of(work, shelf, submissions, seed=5), survey)
