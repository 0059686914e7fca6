"""The look and the end of a survey, between its row and its definition."""

from typing import cast

from collector.designs import COLOURS
from surveys.definition.parts import AppearancePart, CompletionPart, Definition, EndingPart, LookPart
from surveys.models import Survey

LOOK = (*COLOURS, "font", "logo")


def parts_of(survey: Survey) -> AppearancePart:
    """Look and ending of its definition, each only where it says something."""
    parts: AppearancePart = {}
    if look := {name: value for name in LOOK if (value := getattr(survey, name))}:
        parts["look"] = cast("LookPart", look)
    ending: EndingPart = {}
    if any(survey.ending_text.values()):
        ending["text"] = survey.ending_text
    if survey.ending_address or any(survey.ending_label.values()):
        ending["link"] = {"label": survey.ending_label, "address": survey.ending_address}
    if completion := _completion(survey):
        ending["completion"] = completion
    if ending:
        parts["ending"] = ending
    return parts


def _completion(survey: Survey) -> CompletionPart:
    completion: CompletionPart = {}
    if survey.completion_code:
        completion["code"] = survey.completion_code
    if survey.completion_address:
        completion["address"] = survey.completion_address
    if survey.completion_carry:
        completion["carry"] = survey.completion_carry
    return completion


def write(survey: Survey, definition: Definition) -> None:
    """Set the columns of an unsaved row."""
    look, ending = definition.get("look", {}), definition.get("ending", {})
    link, completion = ending.get("link"), ending.get("completion", {})
    for name in LOOK:
        setattr(survey, name, look.get(name, {} if name == "logo" else ""))
    survey.ending_text = ending.get("text", {})
    survey.ending_label, survey.ending_address = (link["label"], link["address"]) if link else ({}, "")
    survey.completion_code, survey.completion_address = completion.get("code", ""), completion.get("address", "")
    survey.completion_carry = completion.get("carry", {})
