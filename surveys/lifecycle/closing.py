"""Closing that can be undone: reports are refused at once; what cannot be undone is done an hour later, or at once.

While it can be undone, the collector takes no report and tells no more of those it has than while the survey was open,
and keys, codes and the order of arrival stay. docs/adr/0042-closing-can-be-undone.md says why.
"""

import logging
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from collector.designs.selectors import closing
from collector.designs.services import close_design, reopen_design
from collector.errors import Conflict
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import page_log, selectors, signing_keys, transitions
from surveys.models import Appointment, Survey, Version
from surveys.times import moment, moment_for_log

BY_A_RESTORE = ", by a restore: invitations used since the backup would be good again"
"""What the log says besides of a closing by a restore."""

logger = logging.getLogger(__name__)


@transaction.atomic
def begin_closing(survey: Survey, *, by: User | None = None) -> datetime:
    """Stop accepting responses; returns the time until which that can be undone."""
    now = timezone.now()
    transitions.move(survey, "close", at=now)
    version = survey.versions.get(closed_at=None)
    version.closed_at = now
    version.save(update_fields=["closed_at"])
    page_log.record(version)
    close_design(version.design_id, undoable=True)
    final_at = now + selectors.UNDOABLE
    detail = f"version {version.number}; it can be undone until {moment_for_log(final_at)}"
    record_event(by, "closed", survey=survey, detail=detail)
    return final_at


@transaction.atomic
def undo_closing(survey: Survey, *, by: User | None = None) -> Version:
    """Accept responses again, with the same design, link and codes, as if the survey had not been closed.

    What was to close it by itself is to do so again, unless its time has passed. Raises Conflict where the closing is
    final, or there is none.
    """
    version = _locked_closing(survey)
    if timezone.now() >= selectors.final_time(version):
        raise Conflict(
            gettext("The closing of {slug} could be undone until {moment}. Open its next wave, or revise it.").format(
                slug=survey.slug, moment=moment(selectors.final_time(version))
            )
        )
    called_off = Appointment.objects.filter(survey=survey, move="close", state=Appointment.State.CALLED_OFF)
    ahead = Q(due_at=None) | Q(due_at__gt=timezone.now())
    called_off.filter(ahead, settled_at=version.closed_at).update(state=Appointment.State.WAITING, settled_at=None)
    closed_at = version.closed_at
    reopen_design(version.design_id)
    version.closed_at = None
    version.save(update_fields=["closed_at"])
    page_log.record(version)
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.OPEN)
    survey.state = Survey.State.OPEN
    detail = f"version {version.number}, closed on {moment_for_log(closed_at)}" if closed_at else ""
    record_event(by, "undid the closing", survey=survey, detail=detail)
    return version


@transaction.atomic
def finish_closing(survey: Survey, *, by: User | None = None, by_a_restore: bool = False) -> Run:
    """Make a closing final, and request the final estimate: from here on no response can be added.

    Raises Conflict where it is final already, or there is none.
    """
    version = _locked_closing(survey)
    run = finish(survey, version, by_a_restore=by_a_restore)
    detail = f"version {version.number}{BY_A_RESTORE if by_a_restore else ''}"
    record_event(by, "made the closing final", survey=survey, detail=detail)
    return run


def finish(survey: Survey, version: Version, *, by_a_restore: bool = False) -> Run:
    """Do what cannot be undone; part of a transaction that says so in the log."""
    close_design(version.design_id, by_a_restore=by_a_restore)
    signing_keys.delete(survey, version.number)
    signing_keys.prepare(survey, version.number + 1)
    return estimator.request_run(version.design_id, trigger=Run.Trigger.CLOSING)


def run_due() -> None:
    """Make every closing final that could be undone for long enough, each in one transaction: late is fine."""
    ended = Q(closed_at__lte=timezone.now() - selectors.UNDOABLE)
    for version in Version.objects.filter(ended, design__in=closing()).select_related("survey").order_by("closed_at"):
        try:
            finish_closing(version.survey)
        except Conflict:  # another worker made it final, or somebody undid it in the last moment
            continue
        except Exception:
            logger.exception("the closing of %s could not be made final; it is tried again", version.survey.slug)


def _locked_closing(survey: Survey) -> Version:
    """The version whose closing is not final, with its survey locked as every other move does first."""
    held = Survey.objects.select_for_update().get(pk=survey.pk)
    version = selectors.version_closing(held)
    if version is None:
        state = gettext("closed for good") if held.state == Survey.State.CLOSED else transitions.STATES[held.state]
        raise Conflict(
            gettext("{slug} is {state}; only a closing of the last hour can be undone or made final.").format(
                slug=survey.slug, state=state
            )
        )
    return version
