"""Scheduled transitions: opening, reopening and closing at a time, closing at a number of stored responses.

An appointment is a row. A beat looks for those that are due and keeps each exactly once: the row is claimed in the very
transaction that makes the move. Late is fine; what could not be done says why.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from collector.designs import FEWEST_IN_GROUP
from collector.errors import Conflict, ValidationError
from estimator.base import wording
from surveys.accounts.audit_log import record_event
from surveys.definition import ceilings
from surveys.lifecycle import closing, selectors, transitions
from surveys.models import Appointment, Survey, Version
from surveys.opening import services
from surveys.times import moment, moment_for_log

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import rsa

State = Appointment.State

OPENING = tuple(services.OPENINGS)
"""The transitions that open a survey."""

OPENS_FROM = {transitions.MOVES[name].source: name for name in OPENING}

MOST_REPORTS = 100_000_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class OpeningPlan:
    """Times for opening and closing a survey; None: now, or by hand. Times are timezone-aware."""

    opens_at: datetime | None = None
    closes_at: datetime | None = None
    cap: int | None = None

    def faults(self, now: datetime) -> Iterator[tuple[str, str]]:
        """The invalid fields, each with a sentence."""
        if self.opens_at is not None and self.opens_at <= now:
            yield (
                "opens_at",
                gettext("The opening time must be in the future; it is {now} now.").format(now=moment(now)),
            )
        if self.closes_at is not None and self.closes_at <= (self.opens_at or now):
            yield (
                "closes_at",
                gettext("It must close after it opens, which is at {moment}.").format(
                    moment=moment(self.opens_at or now)
                ),
            )
        if self.cap is not None and not FEWEST_IN_GROUP <= self.cap <= MOST_REPORTS:
            limits = gettext("{low} to {high}").format(low=FEWEST_IN_GROUP, high=wording.count(MOST_REPORTS))
            yield (
                "cap",
                gettext("The maximum must be {limits} responses; got {cap}. With fewer there is no estimate.").format(
                    limits=limits, cap=self.cap
                ),
            )


def open_on(
    survey: Survey, terms: OpeningPlan, *, confirmed: str, reason: str = "", by: User | None = None
) -> Version | None:
    """Open a draft by this plan, now or at its time; returns None if it is still to open.

    Raises ValidationError, Conflict, naming what is wrong; nothing is done then. `confirmed` is the digest of the
    design that was looked at, and `reason` why it is opened above a ceiling.
    """
    return _open_on(survey, "open", terms, confirmed, reason, by)


def open_again_on(
    survey: Survey, terms: OpeningPlan, *, confirmed: str, reason: str = "", by: User | None = None
) -> Version | None:
    """Open a closed survey as its next wave by this plan; as `open_on`."""
    return _open_on(survey, "wave", terms, confirmed, reason, by)


def _open_on(
    survey: Survey, move: str, terms: OpeningPlan, confirmed: str, reason: str, by: User | None
) -> Version | None:
    key = services.spare_key(survey, move) if terms.opens_at is None else None
    with transaction.atomic():
        require = transitions.require_draft if move == "open" else transitions.require_closed
        require(Survey.objects.select_for_update().get(pk=survey.pk))
        for _, fault in terms.faults(timezone.now()):
            raise Conflict(fault)
        _call_off(survey.appointments.all())
        made = list(_appointments(survey, move, terms, confirmed, reason))
        Appointment.objects.bulk_create(made)
        for one in made:
            when = (
                gettext("{count} responses").format(count=one.at_reports) if one.due_at is None else moment(one.due_at)
            )
            record_event(by, f"scheduled to {one.get_move_display()}", survey=survey, detail=when)
        if terms.opens_at is not None:
            return None
        return services.open_by(survey, move, key, confirmed=confirmed, reason=reason, by=by)


def _appointments(survey: Survey, move: str, terms: OpeningPlan, confirmed: str, reason: str) -> Iterator[Appointment]:
    """The unsaved appointments of a plan. Raises Conflict where what is to open is not what was confirmed."""
    if terms.opens_at is not None:
        design, _ = services.OPENINGS[move].design(survey)
        if design.digest != confirmed:
            raise Conflict(services.OPENINGS[move].changed)
        ceilings.with_reason(design, reason)
        due = {"due_at": terms.opens_at, "digest": confirmed, "reason": reason.strip()}
        yield Appointment(survey=survey, move=move, **due)
    if terms.closes_at is not None:
        yield Appointment(survey=survey, move="close", due_at=terms.closes_at)
    if terms.cap is not None:
        yield Appointment(survey=survey, move="close", at_reports=terms.cap)


def cancel(survey: Survey, *, by: User | None = None) -> None:
    """It does not open by itself any more. Raises Conflict where it was not to."""
    opening = survey.appointments.filter(move__in=OPENING, state=State.WAITING)
    with transaction.atomic():
        if not _call_off(opening):
            raise Conflict(gettext("{slug} has no opening to cancel.").format(slug=survey.slug))
        _call_off(survey.appointments.all())
        record_event(by, "cancelled the opening", survey=survey)


@transaction.atomic
def extend(survey: Survey, closes_at: datetime, *, by: User | None = None) -> None:
    """Postpone the closing time: the only change allowed while a survey is open.

    Only later: people were told of the time, and who wants to end sooner closes the survey, which is logged as what it
    is. Raises Conflict.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.state != Survey.State.OPEN:
        raise Conflict(
            gettext("{slug} is {state}; only the closing date of an open survey can be extended.").format(
                slug=survey.slug, state=transitions.STATES[survey.state]
            )
        )
    closing = survey.appointments.filter(move="close", due_at__isnull=False, state=State.WAITING)
    agreed = closing.first()
    if agreed is None or agreed.due_at is None:
        raise Conflict(
            gettext("{slug} has no closing date to extend: it was opened without one.").format(slug=survey.slug)
        )
    if closes_at <= max(agreed.due_at, timezone.now()):
        raise Conflict(
            gettext(
                "The closing date can only be moved later than {due_at}, because people rely on it. To "
                "end sooner, close the survey."
            ).format(due_at=moment(agreed.due_at))
        )
    closing.update(due_at=closes_at)
    detail = f"{moment_for_log(agreed.due_at)} to {moment_for_log(closes_at)}"
    record_event(by, "extended the closing date", survey=survey, detail=detail)


def waiting(survey: Survey) -> list[Appointment]:
    """The scheduled transitions: those with a time first, by time."""
    found = survey.appointments.filter(state=State.WAITING)
    return sorted(found, key=lambda one: (one.due_at is None, one.due_at or one.made_at))


def schedule_fault(survey: Survey) -> str:
    """The reason why the scheduled opening failed, or would fail now; empty if there is none."""
    move = OPENS_FROM.get(Survey.State(survey.state), "")
    opening = survey.appointments.filter(move=move).first()
    version = selectors.latest_version(survey)
    if opening is None:
        return ""
    if opening.state == State.FAILED and opening.settled_at and (not version or opening.made_at > version.opened_at):
        return gettext("It did not open on schedule at {settled_at}: {outcome}").format(
            settled_at=moment(opening.settled_at), outcome=opening.outcome
        )
    if opening.state == State.WAITING and not _as_agreed(survey, opening):
        changed = gettext("The draft has changed") if move == "open" else gettext("What would open has changed")
        return gettext(
            "{changed} since its opening was confirmed, so it will not open. Confirm it again or cancel it."
        ).format(changed=changed)
    return ""


def _as_agreed(survey: Survey, opening: Appointment) -> bool:
    try:
        return services.OPENINGS[opening.move].design(survey)[0].digest == opening.digest
    except ValidationError:
        return False


def run_due() -> list[Appointment]:
    """Run every appointment that is due, exactly once; a failed one stores the reason. Returns the settled ones."""
    return [appointment for appointment in _due() if _carried_out(appointment)]


def _due() -> list[Appointment]:
    found = Appointment.objects.filter(state=State.WAITING).select_related("survey")
    at_a_time = list(found.filter(due_at__lte=timezone.now()).order_by("due_at", "pk"))
    capped = found.filter(at_reports__isnull=False, survey__state=Survey.State.OPEN)
    return at_a_time + [one for one in capped if selectors.received_count(one.survey) >= (one.at_reports or 0)]


def _carried_out(appointment: Appointment) -> bool:
    """Whether this call settled it. One that breaks keeps no other from being kept, and is tried again."""
    try:
        move = appointment.move
        key = services.spare_key(appointment.survey, move) if move in OPENING else None
        with transaction.atomic():
            # The survey first, as everybody else does: two that wait for each other would both be refused.
            Survey.objects.select_for_update().get(pk=appointment.survey_id)
            if not _settle(appointment, State.KEPT):
                return False
            _do(appointment, key)
    except (ValidationError, Conflict) as refusal:
        return _fail(appointment, str(refusal))
    except Exception:
        logger.exception("appointment %s could not be kept; it is tried again", appointment.pk)
        return False
    return True


def _do(appointment: Appointment, key: "rsa.RSAPrivateKey | None") -> None:
    survey = appointment.survey
    if appointment.move == "close":
        closing.begin_closing(survey)
        return
    closes = survey.appointments.filter(move="close", state=State.WAITING, due_at__lte=timezone.now())
    if closes.exists():
        raise Conflict(gettext("Its closing time had passed before it could open."))
    services.open_by(survey, appointment.move, key, confirmed=appointment.digest, reason=appointment.reason)


@transaction.atomic
def _fail(appointment: Appointment, reason: str) -> bool:
    """Store the reason of a failure. A failed opening cancels the closing too."""
    failed = _settle(appointment, State.FAILED, reason)
    if failed:
        record_event(None, f"failed to {appointment.get_move_display()}", survey=appointment.survey, detail=reason)
    if failed and appointment.move in OPENING:
        _call_off(appointment.survey.appointments.all())
    return failed


def _settle(appointment: Appointment, state: str, outcome: str = "") -> bool:
    """Claim a waiting appointment; False if another caller settled it."""
    mine = Appointment.objects.filter(pk=appointment.pk, state=State.WAITING)
    return bool(mine.update(state=state, settled_at=timezone.now(), outcome=outcome[:500]))


def _call_off(appointments: QuerySet[Appointment]) -> int:
    return appointments.filter(state=State.WAITING).update(state=State.CALLED_OFF, settled_at=timezone.now())
