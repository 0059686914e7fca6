"""A survey as the JSON of SurveyJS."""

import json

from django.utils.html import linebreaks

from surveys.definition.parts import Definition, ItemPart, Text
from surveys.exchange.readers.surveyjs import STORED
from surveys.exchange.writers import (
    PREFER_NOT,
    answers_of,
    codes_of,
    items_of,
    kept_of,
    kept_of_survey,
    kept_of_text,
    runs_of,
    text_before,
)

TYPES = {
    "yes_no": "radiogroup", "one_choice": "radiogroup", "several_choices": "checkbox", "scale": "radiogroup",
    "number": "text",
}  # fmt: skip
REFUSED = "refused"
"""The code of SurveyJS's own item for people who would rather not say."""


def write(definition: Definition) -> bytes:
    """The file's content."""
    pages: list[dict[str, object]] = [
        {
            "name": section["key"],
            "title": section["title"],
            "description": section["introduction"],
            "elements": _elements(items_of(definition, section["key"]), definition),
        }
        for section in definition.get("sections", [])
    ]
    if not pages:
        pages = [{"name": "page1", "elements": _elements(definition["items"], definition)}]
    document = {
        "title": definition["title"],
        "description": definition["introduction"],
        "locale": definition["languages"][0],
        STORED: {**kept_of_survey(definition), "consent": definition["consent"]},
        "pages": pages,
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _elements(items: list[ItemPart], definition: Definition) -> list[dict[str, object]]:
    elements: list[dict[str, object]] = []
    for heading, run in runs_of(items):
        if heading is not None and _fits_matrix(run, definition):
            elements += [*_before(run[0], definition, {}), _matrix(heading, run)]
            continue
        for item in run:
            element = _element(item, definition)
            elements += [*_before(item, definition, element), element]
    return elements


def _before(item: ItemPart, definition: Definition, element: dict[str, object]) -> list[dict[str, object]]:
    """The text that stands before a question, shown under the same condition."""
    words = text_before(item, definition["languages"])
    if not words:
        return []
    html = {code: linebreaks(text, autoescape=True) for code, text in words.items() if text}
    shown = {name: element[name] for name in ("visibleIf",) if name in element}
    return [{"type": "html", "name": f"{item['key']}_before", "html": html, **shown, STORED: kept_of_text(item)}]


def _fits_matrix(rows: list[ItemPart], definition: Definition) -> bool:
    """Whether SurveyJS can say it as a matrix: all of its rows are asked alike, and no other question looks at one."""
    keys = {row["key"] for row in rows}
    asked = {item["asked_if"]["item"] for item in definition["items"] if "asked_if" in item}
    same = all(row.get("required", True) == rows[0].get("required", True) and "asked_if" not in row for row in rows)
    return same and not keys & asked


def _matrix(heading: Text, rows: list[ItemPart]) -> dict[str, object]:
    first = rows[0]
    return {
        "type": "matrix",
        "name": f"grid_{first['key']}",
        "title": heading,
        **({"eachRowRequired": True} if first.get("required", True) else {}),
        "columns": [{"value": code, "text": words} for code, words in answers_of(first)],
        "rows": [{"value": row["key"], "text": row["wording"]} for row in rows],
        STORED: {"rows": {row["key"]: kept_of(row) for row in rows}},
    }


def _element(item: ItemPart, definition: Definition) -> dict[str, object]:
    element: dict[str, object] = {"type": TYPES[item["kind"]], "name": item["key"], "title": item["wording"]}
    if item.get("dropdown"):
        element["type"] = "dropdown"
    if item.get("required", True):
        element["isRequired"] = True
    if item["kind"] == "number":
        grid = {"min": item["minimum"], "max": item["maximum"], "step": item["step"]}
        element |= {"inputType": "number", **grid}
    else:
        element["choices"] = [{"value": str(n), "text": words} for n, words in enumerate(item["choices"])]
    if "prefer_not" in item:
        element |= {"showRefuseItem": True, "refuseText": item["prefer_not"]}
    if item.get("shuffle"):
        element["choicesOrder"] = "random"
    if "most" in item:
        element["maxSelectedChoices"] = item["most"]
    if "asked_if" in item:
        base = next(one for one in definition["items"] if one["key"] == item["asked_if"]["item"])
        codes = [codes_of(base)[place].replace(PREFER_NOT, REFUSED) for place in item["asked_if"]["answers"]]
        element["visibleIf"] = f"{{{base['key']}}} anyof [{', '.join(repr(code) for code in codes)}]"
    heading = {"heading": item["heading"]} if "heading" in item else {}
    return element | {STORED: kept_of(item) | heading}
