"""Surveys with background questions: three of them, or the most there may be."""

from typing import Any

from collector.designs import Design
from surveys.definition import definitions
from surveys.definition.background import frozen_background
from tests.factories import payloads

REGION: dict[str, Any] = {
    "wording": "Where do you live?",
    "choices": ["North", "South", "East", "West"],
    "shares": ["0.4", "0.3", "0.2", "0.1"],
}
AGE: dict[str, Any] = {"wording": "How old are you?", "choices": ["18–29", "30–44", "45–59", "60 or older"]}
GENDER: dict[str, Any] = {
    "wording": "What is your gender?",
    "choices": ["Woman", "Man", "Another"],
    "shares": ["0.49", "0.49", "0.02"],
}
DEGREE: dict[str, Any] = {"wording": "What is your highest degree?", "choices": ["None", "School", "University"]}
JOB: dict[str, Any] = {"wording": "Do you have a job?", "choices": ["Yes", "No"]}
CHILDREN: dict[str, Any] = {"wording": "Do you have children?", "choices": ["Yes", "No"]}
YEAR: dict[str, Any] = {
    "wording": "In which year did you begin?",
    "choices": [str(year) for year in range(2010, 2025)],
}
SIX = [REGION, AGE, GENDER, DEGREE, JOB, CHILDREN]


def definition(*questions: dict[str, Any], expected: int = 1000, smallest: int = 10, **changes: Any) -> Any:
    """The campus survey without groups and with these background questions, complete."""
    asked = {"expected_responses": expected, "smallest_cell": smallest, "questions": list(questions or SIX[:3])}
    raw = payloads.definition(strata={"wording": "", "groups": []}, background_questions=asked, **changes)
    return definitions.complete(raw)


def frozen(*questions: dict[str, Any], **changes: Any) -> dict[str, object]:
    """These questions as a design has them."""
    return frozen_background(definition(*questions, **changes)["background_questions"])


def design(*questions: dict[str, Any], **changes: Any) -> Design:
    return definitions.design_of(definition(*questions, **changes), version=1)
