"""The look and the end of a survey, between its row and its definition."""

from typing import Any

from surveys.definition.parts import Definition
from surveys.models import Survey

LOOK = ("light", "dark", "font")
COMPLETION = ("code", "address", "carry")


def parts_of(survey: Survey) -> dict[str, Any]:
    """The parts `look` and `ending` of its definition, each only where it says something."""
    look = {name: value for name in LOOK if (value := getattr(survey, name))}
    label, address = survey.ending_label, survey.ending_address
    completion = {name: value for name in COMPLETION if (value := getattr(survey, f"completion_{name}"))}
    ending = {
        **({"text": survey.ending_text} if any(survey.ending_text.values()) else {}),
        **({"link": {"label": label, "address": address}} if address or any(label.values()) else {}),
        **({"completion": completion} if completion else {}),
    }
    return ({"look": look} if look else {}) | ({"ending": ending} if ending else {})


def write(survey: Survey, definition: Definition) -> None:
    """Set the columns of an unsaved row."""
    look, ending = definition.get("look", {}), definition.get("ending", {})
    completion: Any = ending.get("completion", {})
    link: Any = ending.get("link", {})
    for name in LOOK:
        setattr(survey, name, look.get(name, ""))
    survey.ending_text = ending.get("text", {})
    survey.ending_label, survey.ending_address = link.get("label", {}), link.get("address", "")
    survey.completion_code, survey.completion_address = completion.get("code", ""), completion.get("address", "")
    survey.completion_carry = completion.get("carry", {})
