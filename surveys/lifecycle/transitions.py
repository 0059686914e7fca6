"""The states of a survey as data: the transitions, the role for each, and what each still needs.

draft -> open -> closed -> archived; closed -> open as the next wave; closed -> draft as the next version; archived ->
closed, because putting away changes nothing and a mistake should not cost a version. What follows closing waits until
that is final: `surveys.lifecycle.closing` may lead back until then.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from collector.errors import Conflict
from estimator.models import Run
from estimator.runs import selectors as estimates
from surveys.accounts.access import Role
from surveys.lifecycle import selectors
from surveys.models import Appointment, Survey

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


State = Survey.State


def _a_final_estimate(survey: Survey) -> str:
    """The reason why the survey cannot be archived yet: a pending final estimate would arrive unseen."""
    version = selectors.latest_version(survey)
    last = estimates.last_run(version.design_id) if version else None
    waits = last is not None and last.state in (Run.State.QUEUED, Run.State.RUNNING)
    return selectors.closing_fault(survey) or (gettext("The final estimate is still being computed.") if waits else "")


@dataclass(frozen=True)
class Move:
    """One allowed transition; `act` is the label of the button, `meaning` the sentence beside it.

    `role` is the smallest that may make it; `missing` says in words what of the survey still keeps it from this move.
    """

    source: State
    target: State
    act: "StrOrPromise"
    meaning: "StrOrPromise"
    role: Role
    missing: Callable[[Survey], str] = lambda survey: ""


STATES: dict[str, "StrOrPromise"] = {
    State.DRAFT: gettext_lazy("a draft"),
    State.OPEN: pgettext_lazy("state of a survey", "open"),
    State.CLOSED: pgettext_lazy("state of a survey", "closed"),
    State.ARCHIVED: pgettext_lazy("state of a survey", "archived"),
}
"""What a survey is in each state, as a sentence says it."""

MOVES = {
    "open": Move(
        State.DRAFT,
        State.OPEN,
        pgettext_lazy("button", "Open"),
        gettext_lazy("Freezes the design permanently and lets respondents answer."),
        Role.EDITOR,
        missing=selectors.opening_fault,
    ),
    "close": Move(
        State.OPEN,
        State.CLOSED,
        pgettext_lazy("button", "Close"),
        gettext_lazy("Stops collecting responses and makes the final estimate."),
        Role.EDITOR,
    ),
    "wave": Move(
        State.CLOSED,
        State.OPEN,
        gettext_lazy("Open next wave"),
        gettext_lazy("Asks the same questions again as the next wave, with its own responses; nothing can be edited."),
        Role.EDITOR,
        missing=selectors.next_wave_fault,
    ),
    "revise": Move(
        State.CLOSED,
        State.DRAFT,
        pgettext_lazy("button", "Revise"),
        gettext_lazy("Makes a draft of the next version; what was collected does not change."),
        Role.EDITOR,
        missing=selectors.closing_fault,
    ),
    "archive": Move(
        State.CLOSED,
        State.ARCHIVED,
        pgettext_lazy("button", "Archive"),
        gettext_lazy("Takes it off the list; nothing in it changes."),
        Role.OWNER,
        missing=_a_final_estimate,
    ),
    "restore": Move(
        State.ARCHIVED,
        State.CLOSED,
        gettext_lazy("Restore from archive"),
        gettext_lazy("Returns it to the list as a closed survey."),
        Role.OWNER,
    ),
}


def move(survey: Survey, name: str, *, at: datetime | None = None) -> None:
    """Make an allowed transition; of two at the same time, one is rejected.

    `at`: the time recorded for what it calls off; now if not given.
    """
    step = MOVES[name]
    if survey.state == step.source and (missing := step.missing(survey)):
        raise Conflict(missing)
    if not Survey.objects.filter(pk=survey.pk, state=step.source).update(state=step.target):
        survey.refresh_from_db(fields=["state"])
        raise Conflict(
            gettext("“{act}” needs a survey that is {source}; {slug} is {state}.").format(
                act=step.act, source=STATES[step.source], slug=survey.slug, state=STATES[survey.state]
            )
        )
    survey.state = step.target
    # Whatever was to move it by itself has nothing left to do, but for what is to close it now that it is open.
    waiting = Appointment.objects.filter(survey=survey, state=Appointment.State.WAITING)
    if step.target == State.OPEN:
        waiting = waiting.exclude(move="close")
    waiting.update(state=Appointment.State.CALLED_OFF, settled_at=at or timezone.now())


def require_draft(survey: Survey) -> None:
    """Require a draft: an open survey is frozen."""
    if survey.state != State.DRAFT:
        raise Conflict(
            gettext("{slug} is {state}; only a draft can be changed. Close and revise it first.").format(
                slug=survey.slug, state=STATES[survey.state]
            )
        )


def require_closed(survey: Survey) -> None:
    """Require a survey that is closed for good, because only one version can be open at a time."""
    if survey.state != State.CLOSED:
        raise Conflict(
            gettext("{slug} is {state}; only a closed survey can open its next wave.").format(
                slug=survey.slug, state=STATES[survey.state]
            )
        )
    if fault := selectors.closing_fault(survey):
        raise Conflict(fault)


def moves_from(state: str) -> dict[str, Move]:
    """The allowed transitions from this state."""
    return {name: step for name, step in MOVES.items() if step.source == state}
