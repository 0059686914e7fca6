"""Qualtrics: a list of elements; texts of other languages under each question's Language."""

import json
from typing import Any

from tests.exchange.tools.questionnaires import (
    Asked,
    Text,
    asked_before,
    first,
    in_language,
    languages,
    questions,
)


def qualtrics(questionnaire: dict[str, Any]) -> bytes:
    own, *others = languages(questionnaire)
    numbers = {one["name"]: number for number, one in enumerate(questions(questionnaire), start=1)}
    blocks = []
    for number, section in enumerate(questionnaire["sections"], start=1):
        inside = [{"Type": "Question", "QuestionID": f"QID{numbers[one['name']]}"} for one in section["questions"]]
        inside.insert(1, {"Type": "Page Break"})
        blocks.append(
            {
                "Type": "Default" if number == 1 else "Standard",
                "Description": first(section["title"]),
                "ID": f"BL_{number:015}",
                "BlockElements": inside,
                "Options": {"BlockLocking": "false"},
            }
        )
    blocks.append({"Type": "Trash", "Description": "Trash / Unused Questions", "ID": "BL_trash"})
    flow = [
        {"ID": one["ID"], "Type": "Block", "FlowID": f"FL_{number}"} for number, one in enumerate(blocks[:-1], start=2)
    ]

    def element(code: str, name: str, payload: object, second: object = None) -> dict[str, Any]:
        return {
            "SurveyID": "SV_0example",
            "Element": code,
            "PrimaryAttribute": name,
            "SecondaryAttribute": second,
            "TertiaryAttribute": None,
            "Payload": payload,
        }

    elements = [element("BL", "Survey Blocks", blocks)]
    elements += [
        element(
            "FL",
            "Survey Flow",
            {"Flow": flow, "Properties": {"Count": len(flow) + 1}, "FlowID": "FL_1", "Type": "Root"},
        )
    ]
    elements += [
        element("SO", "Survey Options", {"BackButton": "false", "SurveyProtection": "PublicSurvey", "Skin": "mq"})
    ]
    elements += [
        element("SCO", "Scoring", {"ScoringCategories": []}),
        element("STAT", "Survey Statistics", {"ID": "Survey Statistics"}),
    ]
    elements += [
        element("PROJ", "CORE", {"ProjectCategory": "CORE"}),
        element("QC", "Survey Question Count", None, str(len(numbers))),
    ]
    for asked in questions(questionnaire):
        payload = _qualtrics_question(questionnaire, asked, numbers, own, others)
        elements.append(element("SQ", payload["QuestionID"], payload, first(asked["words"])))
    elements.append(element("RS", "RS_0example", None, "Default Response Set"))
    entry = {
        "SurveyID": "SV_0example",
        "SurveyName": first(questionnaire["title"]),
        "SurveyLanguage": own.upper(),
        "SurveyDescription": first(questionnaire["introduction"]) if "introduction" in questionnaire else None,
        "SurveyStatus": "Inactive",
        "SurveyStartDate": "0000-00-00 00:00:00",
        "Deleted": None,
    }
    return (
        json.dumps({"SurveyEntry": entry, "SurveyElements": elements}, separators=(",", ":"))
        .replace("/", "\\/")
        .encode()
    )


def _qualtrics_question(
    questionnaire: dict[str, Any], asked: Asked, numbers: dict[str, int], own: str, others: list[str]
) -> dict[str, Any]:
    kinds = {"one": ("MC", "SAVR", "TX"), "several": ("MC", "MAVR", "TX"), "number": ("TE", "SL", None)}
    kinds |= {"text": ("TE", "ML", None), "note": ("DB", "TB", None), "date": ("TE", "SL", None)}
    kinds |= {
        "grid": ("Matrix", "Likert", "SingleAnswer"),
        "scale": ("MC", "SAHR", "TX"),
        "ranking": ("RO", "DND", "TX"),
    }
    kinds |= {"file": ("FileUpload", "FileUpload", None)}
    name, selector, sub = kinds[asked["kind"]]
    force = {"ForceResponse": "ON" if asked.get("required") else "OFF", "ForceResponseType": "ON", "Type": "None"}
    if asked["kind"] == "number":
        bounds = {"Min": str(asked["minimum"]), "Max": str(asked["maximum"]), "NumDecimals": ""}
        force |= {"Type": "ContentType", "ContentType": "ValidNumber", "ValidNumber": bounds}
    if asked["kind"] == "date":
        force |= {"Type": "ContentType", "ContentType": "ValidDate", "ValidDateType": "DateWithFormat"}

    def numbered(texts: list[Text], code: str) -> dict[str, dict[str, str]]:
        return {str(number): {"Display": in_language(text, code)} for number, text in enumerate(texts, start=1)}

    points = [str(point) for point in range(1, asked.get("points", 0) + 1)]
    choices, answers = [*asked.get("options", []), *points], []
    if asked["kind"] == "grid":
        choices, answers = asked["rows"], asked["options"]

    def texts(code: str) -> dict[str, Any]:
        found: dict[str, Any] = {"QuestionText": in_language(asked["words"], code)}
        if "help" in asked:
            found["QuestionText"] += f"<br><em>{in_language(asked['help'], code)}</em>"
        if choices:
            found["Choices"] = numbered(choices, code)
        if answers:
            found["Answers"] = numbered(answers, code)
        return found

    number = numbers[asked["name"]]
    payload = {
        **texts(own),
        "DataExportTag": asked["name"],
        "QuestionType": name,
        "Selector": selector,
        "QuestionID": f"QID{number}",
        "Configuration": {"QuestionDescriptionOption": "UseText"},
        "QuestionDescription": first(asked["words"]),
        "Validation": {"Settings": force},
        "Language": {code.upper(): texts(code) for code in others} or [],
    }
    payload |= {"SubSelector": sub} if sub else {}
    payload |= {"ChoiceOrder": [*payload["Choices"]]} if choices else {}
    payload |= {"AnswerOrder": [*payload["Answers"]]} if answers else {}
    if found := asked_before(questionnaire, asked):
        before, option = found
        chosen = f"q://QID{numbers[before['name']]}/SelectableChoice/{option + 1}"
        logic = {
            "LogicType": "Question",
            "QuestionID": f"QID{numbers[before['name']]}",
            "QuestionIsInLoop": "no",
            "ChoiceLocator": chosen,
            "Operator": "Selected",
            "LeftOperand": chosen,
            "Type": "Expression",
            "Description": '<span class="ConjDesc">If</span>',
        }
        payload["DisplayLogic"] = {"0": {"0": logic, "Type": "If"}, "Type": "BooleanExpression", "inPage": False}
    return payload
