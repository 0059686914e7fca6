"""Commands on rehearsals: requesting, executing, stopping and deleting one."""

import secrets
import time

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.designs.services import close_design, freeze_design
from collector.models import FrozenDesign
from collector.reports.services import clear_rehearsal
from estimator.base import jobs
from estimator.base.cells import Watch, no_progress
from estimator.runs import services as estimator
from surveys.accounts.audit_log import record_event
from surveys.definition import definitions
from surveys.lifecycle import selectors
from surveys.lifecycle.services import delete_rehearsal_reports
from surveys.models import Rehearsal, Repetition, Survey
from surveys.planning.rehearsals import measures, simulation
from surveys.planning.rehearsals.misreporting import Misreporting
from surveys.planning.rehearsals.population import Assumptions, Population, population
from surveys.planning.rehearsals.respondents import Respondent

TURN = 5.0
"""Seconds after which a worker looks for other jobs before the next repetition."""
LARGEST_SEED = 2**31 - 1


def new_seed() -> int:
    return secrets.randbelow(LARGEST_SEED)


def design_to_rehearse(survey: Survey, number: int) -> Design:
    """The survey as now written, as a rehearsal's design. Raises ValidationError naming what is missing."""
    return definitions.design_of(selectors.definition_of(survey) | {"rehearsal": True}, version=number)


@transaction.atomic
def request_rehearsal(
    survey: Survey, assumptions: Assumptions, *, repetitions: int, seed: int, by: User | None = None
) -> Rehearsal:
    """Freeze the survey as now written into a new rehearsal, and wake a worker after the commit.

    Raises
    ------
    ValidationError
        Where the survey could not be opened as it is.
    InputError
        Where what was asked for does not fit it.
    """
    last = survey.rehearsals.first()
    number = last.number + 1 if last else 1
    design = design_to_rehearse(survey, number)
    while FrozenDesign.objects.filter(digest=design.digest).exists():  # of another survey's rehearsal: never shared
        design = design_to_rehearse(survey, design.version + 1)
    population(design, assumptions)
    Misreporting.of(assumptions).require_groups(design)
    freeze_design(design.document)
    rehearsal = Rehearsal.objects.create(
        survey=survey, number=number, design_id=design.digest, said=assumptions, repetitions=repetitions, seed=seed
    )
    words = f"rehearsal {number}: {assumptions['respondents']} respondents, {repetitions} times"
    record_event(by, "requested a rehearsal", survey=survey, detail=words)
    transaction.on_commit(lambda: wake(rehearsal.pk))
    return rehearsal


def wake(rehearsal_id: int) -> None:
    jobs.wake("surveys.execute_rehearsal", rehearsal_id)


def resume_waiting() -> list[int]:
    """Wake the rehearsals that no worker executes."""
    return jobs.resume(Rehearsal, wake)


def execute(
    rehearsal_id: int,
    *,
    seconds: float = TURN,
    people: list[Respondent] | None = None,
    watch: Watch = no_progress,
) -> None:
    """Run the next repetitions, unless another worker does or all are done; after `seconds` leave the rest.

    `people` are the simulated respondents where they are not drawn: their answers are kept nowhere. `watch` is told how
    much is done, in [0, 1].
    """
    lease = jobs.take(Rehearsal, rehearsal_id)
    if lease:
        try:
            _do(Rehearsal.objects.get(pk=rehearsal_id), lease, time.monotonic() + seconds, people, watch)
        except jobs.LeaseLost:
            _end_where_asked(rehearsal_id, lease)
        except Exception as error:
            jobs.release_lease(Rehearsal, rehearsal_id, lease, error)
            for failed in Rehearsal.objects.filter(pk=rehearsal_id, state=Rehearsal.State.FAILED):
                _put_away(failed)
            raise


def stop(rehearsal: Rehearsal) -> None:
    """Stop a rehearsal after the repetitions that are done."""
    waiting = Rehearsal.objects.filter(pk=rehearsal.pk, state=Rehearsal.State.QUEUED)
    if waiting.update(state=Rehearsal.State.DONE, finished_at=timezone.now(), stopping=True):
        _put_away(rehearsal)
        return
    Rehearsal.objects.filter(pk=rehearsal.pk, state=Rehearsal.State.RUNNING).update(stopping=True)


@transaction.atomic
def delete(rehearsal: Rehearsal, *, by: User | None = None) -> None:
    """Delete a rehearsal with all its data. A worker that executes it notices and stops."""
    record_event(by, "deleted a rehearsal", survey=rehearsal.survey, detail=f"rehearsal {rehearsal.number}")
    rehearsal.delete()
    delete_rehearsal_reports(rehearsal.design_id)


def _do(rehearsal: Rehearsal, lease: str, until: float, people: list[Respondent] | None, watch: Watch) -> None:
    design = get_design(rehearsal.design_id)
    drawn_from = population(design, rehearsal.assumptions)
    while rehearsal.done.count() < rehearsal.repetitions:
        number = rehearsal.done.count() + 1
        watch((number - 1) / rehearsal.repetitions)
        _repeat(rehearsal, lease, drawn_from, number, people)
        if time.monotonic() > until and number < rehearsal.repetitions:
            # Between two repetitions others have their turn: the installation may have one worker alone.
            jobs.acquire_lease(Rehearsal, rehearsal.pk, lease, state=Rehearsal.State.QUEUED, tries=0)
            wake(rehearsal.pk)
            return
    finished = {"state": Rehearsal.State.DONE, "progress": 100, "finished_at": timezone.now()}
    jobs.acquire_lease(Rehearsal, rehearsal.pk, lease, **finished)
    _put_away(rehearsal)


def _repeat(
    rehearsal: Rehearsal, lease: str, drawn_from: Population, number: int, people: list[Respondent] | None
) -> None:
    """Run one repetition: send, fold and estimate the responses, store the estimates, delete the responses."""
    design = drawn_from.design
    clear_rehearsal(design.digest)  # of a repetition that was cut off
    generator, truths = np.random.default_rng([rehearsal.seed, number]), simulation.Truths(design)

    def before(stored: int) -> None:
        _renew(rehearsal, lease, number - 1 + stored / rehearsal.respondents)

    who = drawn_from.draw(generator) if people is None else people
    # A source of its own: honest people are the same ones whether or not others misreport.
    say = Misreporting.of(rehearsal.assumptions).says(design, np.random.default_rng([rehearsal.seed, number, 1]))
    for _ in simulation.send(design, who, generator, truths, before=before, say=say):
        pass
    _renew(rehearsal, lease, number)
    run = estimator.run_now(design.digest)
    shares = list(truths.shares())
    numbers = measures.measured(run, shares)
    with transaction.atomic():
        jobs.renew(Rehearsal, rehearsal.pk, lease)
        Repetition.objects.create(rehearsal=rehearsal, number=number, numbers=measures.packed(numbers))
        if number == 1:
            estimator.record_known_shares(design.digest, shares)
            ahead = (
                measures.planned_measures(run, drawn_from) if people is None else measures.observed_measures(numbers)
            )
            jobs.acquire_lease(Rehearsal, rehearsal.pk, lease, run=run, foreseen=measures.packed(ahead))
        else:
            run.delete()
        clear_rehearsal(design.digest)


def _renew(rehearsal: Rehearsal, lease: str, done: float) -> None:
    """Store the progress; raises LeaseLost if it is to stop."""
    progress = min(99, int(100 * done / rehearsal.repetitions))
    jobs.renew(Rehearsal, rehearsal.pk, lease, progress=progress)
    if Rehearsal.objects.filter(pk=rehearsal.pk, stopping=True).exists():
        raise jobs.LeaseLost


def _end_where_asked(rehearsal_id: int, lease: str) -> None:
    """End a stopped rehearsal if this worker still has its lease; otherwise the other worker does."""
    held = Rehearsal.objects.filter(pk=rehearsal_id, lease=lease, state=Rehearsal.State.RUNNING, stopping=True)
    if held.update(state=Rehearsal.State.DONE, finished_at=timezone.now()):
        _put_away(Rehearsal.objects.get(pk=rehearsal_id))


def _put_away(rehearsal: Rehearsal) -> None:
    """Delete its responses and accept no more; the estimates of its first repetition remain readable."""
    clear_rehearsal(rehearsal.design_id)
    close_design(rehearsal.design_id)
