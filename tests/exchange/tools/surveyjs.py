"""SurveyJS: pages of elements; texts by locale, the first under "default"."""

import json
from typing import Any

from tests.exchange.tools.questionnaires import (
    Asked,
    Text,
    asked_before,
    languages,
)


def surveyjs(questionnaire: dict[str, Any]) -> bytes:
    own = languages(questionnaire)[0]

    def words(text: Text) -> Any:
        return (
            text if isinstance(text, str) else {"default" if code == own else code: one for code, one in text.items()}
        )

    def element(asked: Asked) -> dict[str, Any]:
        kinds = {"one": "radiogroup", "several": "checkbox", "number": "text", "date": "text", "text": "comment"}
        kinds |= {"note": "html", "grid": "matrix", "scale": "rating", "ranking": "ranking", "file": "file"}
        found: dict[str, Any] = {"type": kinds[asked["kind"]], "name": asked["name"]}
        found["html" if asked["kind"] == "note" else "title"] = words(asked["words"])
        options = [
            {"value": f"item{number}", "text": words(one)}
            for number, one in enumerate(asked.get("options", []), start=1)
        ]
        found |= {"description": words(asked["help"])} if "help" in asked else {}
        found |= {"isRequired": True} if asked.get("required") else {}
        match asked["kind"]:
            case "grid":
                rows = [
                    {"value": f"row{number}", "text": words(one)} for number, one in enumerate(asked["rows"], start=1)
                ]
                found |= {"columns": options, "rows": rows, "alternateRows": True}
            case "number":
                found |= {"inputType": "number", "min": asked["minimum"], "max": asked["maximum"]}
            case "date":
                found |= {"inputType": "date"}
            case "scale":
                found |= {"rateCount": asked["points"], "rateMax": asked["points"]}
            case _ if options:
                found |= {"choices": options}
        if before := asked_before(questionnaire, asked):
            one, option = before
            value = f"'item{option + 1}'"
            found["visibleIf"] = f"{{{one['name']}}} {'contains' if one['kind'] == 'several' else '='} {value}"
        return found

    pages = [
        {
            "name": f"page{number}",
            "title": words(one["title"]),
            "elements": [element(asked) for asked in one["questions"]],
        }
        for number, one in enumerate(questionnaire["sections"], start=1)
    ]
    document: dict[str, Any] = {
        "locale": own,
        "title": words(questionnaire["title"]),
        "pages": pages,
        "showProgressBar": "top",
    }
    if "introduction" in questionnaire:
        document["description"] = words(questionnaire["introduction"])
    return json.dumps(document, ensure_ascii=False, indent=1).encode()
