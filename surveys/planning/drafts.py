"""The questions of a survey as their author has written them, for the planner and for what opening warns of."""

from collections.abc import Sequence

from surveys.lifecycle import selectors
from surveys.models import Item, Survey
from surveys.planning.parameters import PlanParameters
from surveys.planning.question import WRITTEN, PlannedQuestion

Expectations = Sequence[tuple[PlannedQuestion | None, PlanParameters]]
"""The questions of a survey, each with what is expected of it; None where one is not complete."""


def planned_question(item: Item) -> PlannedQuestion | None:
    """The question as the draft has it; None where its mechanism is not complete."""
    try:
        asked = PlannedQuestion(selectors.item_of(item))
        asked.at(WRITTEN)
    except (ValueError, TypeError, KeyError):
        return None
    return asked


def expectations_of(survey: Survey) -> Expectations:
    """Of every question what the planner begins with."""
    return [(planned_question(item), PlanParameters()) for item in survey.items.all()]
