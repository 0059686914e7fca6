"""A survey as the JSON of SurveyJS."""

import json

from django.utils.html import linebreaks

from surveys.definition.parts import Definition, ItemPart
from surveys.exchange.readers.surveyjs import STORED
from surveys.exchange.writers import PREFER_NOT, codes_of, items_of, kept_of, kept_of_survey, kept_of_text, texts_before

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
    """The questions, each below the text that stands before it, which is shown under the same condition."""
    found = []
    for item in items:
        element = _element(item, definition)
        if words := texts_before(item, definition["languages"]):
            html = {code: linebreaks(text, autoescape=True) for code, text in words.items() if text}
            shown = {name: element[name] for name in ("visibleIf",) if name in element}
            text = {"type": "html", "name": f"{item['key']}_before", "html": html, **shown}
            found.append(text | {STORED: kept_of_text(item)})
        found.append(element)
    return found


def _element(item: ItemPart, definition: Definition) -> dict[str, object]:
    element: dict[str, object] = {"type": TYPES[item["kind"]], "name": item["key"], "title": item["wording"]}
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
    return element | {STORED: kept_of(item)}
