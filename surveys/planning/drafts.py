"""The questions of a survey as their author wrote them, for the planner and the warnings at opening."""

from collections.abc import Sequence

from surveys.lifecycle import selectors
from surveys.models import Item, Survey
from surveys.planning.parameters import PlanParameters
from surveys.planning.question import WRITTEN, PlannedQuestion

Expectations = Sequence[tuple[PlannedQuestion | None, PlanParameters]]
"""The questions of a survey, each with the expected answers; None where one is incomplete."""


def planned_question(item: Item) -> PlannedQuestion | None:
    """The question as in the draft; None if its mechanism is incomplete."""
    try:
        question = PlannedQuestion(selectors.item_of(item))
        question.at(WRITTEN)
    except (ValueError, TypeError, KeyError):
        return None
    return question


def expectations_of(survey: Survey) -> Expectations:
    """Every question with the planner's initial parameters."""
    return [(planned_question(item), PlanParameters()) for item in survey.items.all()]
