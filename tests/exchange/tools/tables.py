"""REDCap's dictionary, a table that somebody typed, and a list that somebody pasted."""

from collections.abc import Iterator
from typing import Any

from tests.exchange.tools.questionnaires import (
    Asked,
    asked_before,
    csv_bytes,
    first,
    in_language,
    languages,
)

REDCAP_HEAD = [
    "Variable / Field Name",
    "Form Name",
    "Section Header",
    "Field Type",
    "Field Label",
    "Choices, Calculations, OR Slider Labels",
    "Field Note",
    "Text Validation Type OR Show Slider Number",
    "Text Validation Min",
    "Text Validation Max",
    "Identifier?",
    "Branching Logic (Show field only if...)",
    "Required Field?",
    "Custom Alignment",
    "Question Number (surveys only)",
    "Matrix Group Name",
    "Matrix Ranking?",
    "Field Annotation",
]


def redcap(questionnaire: dict[str, Any]) -> bytes:
    rows = [["record_id", questionnaire["name"], "", "text", "Record ID", *[""] * 13]]
    for section in questionnaire["sections"]:
        header = first(section["title"])
        for asked in section["questions"]:
            if asked["kind"] == "ranking":
                continue
            for row in _redcap_rows(questionnaire, asked):
                row[2], header = "\n".join(filter(None, (header, row[2]))), ""
                rows.append(row)
    return csv_bytes([REDCAP_HEAD, *rows])


def _redcap_rows(questionnaire: dict[str, Any], asked: Asked) -> Iterator[list[str]]:
    kinds = {
        "one": "radio",
        "several": "checkbox",
        "number": "text",
        "date": "text",
        "text": "notes",
        "note": "descriptive",
    }
    kinds |= {"grid": "radio", "scale": "radio", "file": "file"}
    points = [str(point) for point in range(1, asked.get("points", 0) + 1)]
    options = [first(one) for one in asked.get("options", [])] + points
    kind = kinds[asked["kind"]]
    if options[:2] in (["No", "Yes"], ["Yes", "No"]) and len(options) == 2:
        kind, choices = "yesno", ""
    else:
        choices = " | ".join(f"{number}, {words}" for number, words in enumerate(options))
    logic = ""
    if found := asked_before(questionnaire, asked):
        before, option = found
        words = first(before["options"][option])
        code = (
            {"Yes": 1, "No": 0}[words] if [*map(first, before["options"])] in (["No", "Yes"], ["Yes", "No"]) else option
        )
        logic = f"[{before['name']}({code})] = '1'" if before["kind"] == "several" else f"[{before['name']}] = '{code}'"
    checks = {
        "number": ["integer", str(asked.get("minimum", "")), str(asked.get("maximum", ""))],
        "date": ["date_ymd", "", ""],
    }
    check, needed = checks.get(asked["kind"], ["", "", ""]), "y" if asked.get("required") else ""
    note = first(asked.get("help", ""))
    for number, words in enumerate(asked.get("rows", [asked["words"]]), start=1):
        name = f"{asked['name']}_{number}" if "rows" in asked else asked["name"]
        header = first(asked["words"]) if "rows" in asked and number == 1 else ""
        matrix = asked["name"] if "rows" in asked else ""
        yield [
            name,
            questionnaire["name"],
            header,
            kind,
            first(words),
            choices,
            note,
            *check,
            "",
            logic,
            needed,
            "",
            "",
            matrix,
            "",
            "",
        ]


def table(questionnaire: dict[str, Any]) -> bytes:
    codes = languages(questionnaire)
    rows = [
        [
            "Key",
            *(f"Question ({code})" for code in codes),
            "Type",
            *(f"Options ({code})" for code in codes),
            "Section",
            "Required",
            "Help",
            "Minimum",
            "Maximum",
        ]
    ]
    kinds = {
        "one": "one choice",
        "several": "several choices",
        "number": "number",
        "text": "text",
        "date": "date",
        "file": "file",
    }
    for section in questionnaire["sections"]:
        for asked in section["questions"]:
            if asked["kind"] not in kinds:
                continue
            options = ["|".join(in_language(one, code) for one in asked.get("options", [])) for code in codes]
            rows.append(
                [
                    asked["name"],
                    *(in_language(asked["words"], code) for code in codes),
                    kinds[asked["kind"]],
                    *options,
                    first(section["title"]),
                    "yes" if asked.get("required") else "no",
                    first(asked.get("help", "")),
                    str(asked.get("minimum", "")),
                    str(asked.get("maximum", "")),
                ]
            )
    return csv_bytes(rows)


def listing(questionnaire: dict[str, Any]) -> bytes:
    lines, number = [f"# {first(questionnaire['title'])}", "", first(questionnaire.get("introduction", "")), ""], 0
    for section in questionnaire["sections"]:
        lines += [f"## {first(section['title'])}", ""]
        for asked in section["questions"]:
            if asked["kind"] not in ("one", "several", "number", "text"):
                continue
            number += 1
            hint = {"several": " (select all that apply)", "text": ""}.get(asked["kind"], "")
            hint = f" ({asked['minimum']}-{asked['maximum']})" if asked["kind"] == "number" else hint
            lines += [f"{number}. {first(asked['words'])}{hint}"]
            lines += [
                f"   {letter}) {first(one)}"
                for letter, one in zip("abcdefghij", asked.get("options", []), strict=False)
            ]
            lines += [""]
    return "\n".join(lines).encode()
