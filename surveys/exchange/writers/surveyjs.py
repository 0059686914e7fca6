"""A survey as the JSON of SurveyJS."""

import json

from surveys.definition.parts import Definition, ItemPart
from surveys.exchange.readers.surveyjs import STORED
from surveys.exchange.writers import PREFER_NOT, codes_of, items_of, kept_of, kept_of_survey

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
            "elements": [_element(item, definition) for item in items_of(definition, section["key"])],
        }
        for section in definition.get("sections", [])
    ]
    if not pages:
        pages = [{"name": "page1", "elements": [_element(item, definition) for item in definition["items"]]}]
    document = {
        "title": definition["title"],
        "description": definition["introduction"],
        "locale": definition["languages"][0],
        STORED: {**kept_of_survey(definition), "consent": definition["consent"]},
        "pages": pages,
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


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
