"""The states of a survey as data: draft -> open -> closed, and back to a draft of the next version."""

from dataclasses import dataclass

from surveys.models import Survey

State = Survey.State


class NotAllowed(Exception):
    """The survey is in no state for this; the message says which it is in and which it would need."""


@dataclass(frozen=True)
class Move:
    """One allowed change of state; `act` is the word on the button, `meaning` the sentence beside it."""

    source: State
    target: State
    act: str
    meaning: str


MOVES = {
    "open": Move(State.DRAFT, State.OPEN, "Open", "Freezes the design for ever and lets respondents answer."),
    "close": Move(State.OPEN, State.CLOSED, "Close", "Takes no more reports and makes the final estimate."),
    "revise": Move(
        State.CLOSED, State.DRAFT, "Revise", "Makes a draft of the next version; what was collected stays as it is."
    ),
}


def move(survey: Survey, name: str) -> None:
    """Make an allowed change of state; of two that happen at once, one is refused."""
    step = MOVES[name]
    if not Survey.objects.filter(pk=survey.pk, state=step.source).update(state=step.target):
        survey.refresh_from_db(fields=["state"])
        raise NotAllowed(f"{survey.slug} is {survey.state}; to {step.act.lower()} it, it must be {step.source}.")
    survey.state = step.target


def require_draft(survey: Survey) -> None:
    """Only drafts are edited: what is open is frozen."""
    if survey.state != State.DRAFT:
        raise NotAllowed(f"{survey.slug} is {survey.state}; only a draft can be changed. Close and revise it first.")


def moves_from(state: str) -> dict[str, Move]:
    """The moves that a survey in this state can make."""
    return {name: step for name, step in MOVES.items() if step.source == state}
