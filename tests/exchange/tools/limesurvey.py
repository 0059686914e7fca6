"""LimeSurvey: tables as XML, and the tab-separated file.

Until version 3 each row has its language; from version 4 on texts are in tables of their own.
"""

from typing import Any
from xml.sax.saxutils import escape

from tests.exchange.tools.questionnaires import (
    Asked,
    asked_before,
    csv_bytes,
    in_language,
    languages,
)

LIMESURVEY_TYPES = {"one": "L", "several": "M", "number": "N", "date": "D", "text": "T", "note": "X", "grid": "F"}
LIMESURVEY_TYPES |= {"ranking": "R", "file": "|", "scale": "L"}


def _lime_condition(questionnaire: dict[str, Any], asked: Asked) -> str:
    if not (found := asked_before(questionnaire, asked)):
        return "1"
    before, option = found
    if before["kind"] == "several":
        return f'(({before["name"]}_SQ{option + 1:03}.NAOK == "Y"))'
    return f'(({before["name"]}.NAOK == "A{option + 1}"))'


def _lime_tables(questionnaire: dict[str, Any]) -> tuple[dict[str, list[dict[str, Any]]], dict[str, dict[str, str]]]:
    """The rows of each table, with texts by language under "texts"; and the attributes of each question."""
    tables: dict[str, list[dict[str, Any]]] = {"groups": [], "questions": [], "subquestions": [], "answers": []}
    attributes: dict[str, dict[str, str]] = {}
    qid = 100
    for gid, section in enumerate(questionnaire["sections"], start=11):
        tables["groups"].append({"gid": gid, "group_order": gid, "texts": {"group_name": section["title"]}})
        for order, asked in enumerate(section["questions"], start=1):
            qid += 1
            parent = {"qid": qid, "parent_qid": 0, "sid": 123456, "gid": gid, "type": LIMESURVEY_TYPES[asked["kind"]]}
            parent |= {"title": asked["name"], "mandatory": "Y" if asked.get("required") else "N", "other": "N"}
            parent |= {"question_order": order, "scale_id": 0, "relevance": _lime_condition(questionnaire, asked)}
            tables["questions"].append(parent | {"texts": {"question": asked["words"], "help": asked.get("help", "")}})
            if asked["kind"] == "number":
                attributes[str(qid)] = {f"{end}_num_value_n": str(asked[f"{end}imum"]) for end in ("min", "max")}
            rows = asked["options"] if asked["kind"] == "several" else asked.get("rows", [])
            for number, words in enumerate(rows, start=1):
                one = {
                    "qid": 10_000 * number + qid,
                    "parent_qid": qid,
                    "gid": gid,
                    "type": "T",
                    "title": f"SQ{number:03}",
                }
                tables["subquestions"].append(one | {"question_order": number, "texts": {"question": words}})
            points = [str(point) for point in range(1, asked.get("points", 0) + 1)]
            options = [] if asked["kind"] == "several" else [*asked.get("options", []), *points]
            for number, words in enumerate(options, start=1):
                one = {"aid": 100 * qid + number, "qid": qid, "code": f"A{number}", "sortorder": number, "scale_id": 0}
                tables["answers"].append(one | {"texts": {"answer": words}})
    return tables, attributes


def _lime_xml(questionnaire: dict[str, Any], tables: dict[str, list[dict[str, Any]]], version: int) -> bytes:
    def cell(name: str, value: object) -> str:
        return f"    <{name}><![CDATA[{value}]]></{name}>" if value not in ("", None) else f"    <{name}/>"

    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<document>", " <LimeSurveyDocType>Survey</LimeSurveyDocType>"]
    lines += [f" <DBVersion>{version}</DBVersion>", " <languages>"]
    lines += [f"  <language>{escape(code)}</language>" for code in languages(questionnaire)] + [" </languages>"]
    for table, rows in tables.items():
        if not rows:
            continue
        lines += [
            f" <{table}>",
            "  <fields>",
            *(f"   <fieldname>{name}</fieldname>" for name in rows[0]),
            "  </fields>",
        ]
        lines += ["  <rows>"]
        for row in rows:
            lines += ["   <row>", *(cell(name, value) for name, value in row.items()), "   </row>"]
        lines += ["  </rows>", f" </{table}>"]
    return "\n".join([*lines, "</document>", ""]).encode()


def _lime_settings(
    questionnaire: dict[str, Any], attributes: dict[str, dict[str, str]]
) -> dict[str, list[dict[str, Any]]]:
    """The tables that are the same in all versions."""
    own, *others = languages(questionnaire)
    texts = [
        {
            "surveyls_survey_id": 123456,
            "surveyls_language": code,
            "surveyls_title": in_language(questionnaire["title"], code),
            "surveyls_description": "",
            "surveyls_welcometext": f"<p>{in_language(questionnaire.get('introduction', ''), code)}</p>",
        }
        for code in (own, *others)
    ]
    return {
        "question_attributes": [
            {"qid": qid, "attribute": name, "value": value, "language": ""}
            for qid, pairs in attributes.items()
            for name, value in pairs.items()
        ],
        "surveys": [{"sid": 123456, "language": own, "additional_languages": " ".join(others), "anonymized": "Y"}],
        "surveys_languagesettings": texts,
    }


def limesurvey_3(questionnaire: dict[str, Any]) -> bytes:
    codes, (tables, attributes) = languages(questionnaire), _lime_tables(questionnaire)
    written: dict[str, list[dict[str, Any]]] = {
        name: [
            {**{key: value for key, value in row.items() if key != "texts"}, "language": code}
            | {key: in_language(text, code) for key, text in row["texts"].items()}
            for row in rows
            for code in codes
        ]
        for name, rows in tables.items()
    }
    written |= _lime_settings(questionnaire, attributes)
    return _lime_xml(questionnaire, written, 359)


def limesurvey_6(questionnaire: dict[str, Any]) -> bytes:
    codes, (tables, attributes) = languages(questionnaire), _lime_tables(questionnaire)
    keys = {
        "groups": ("gid", "group_l10ns"),
        "questions": ("qid", "question_l10ns"),
        "answers": ("aid", "answer_l10ns"),
    }
    written: dict[str, list[dict[str, Any]]] = {}
    for name, rows in tables.items():
        bare = [{key: value for key, value in row.items() if key != "texts"} for row in rows]
        if name == "subquestions":  # as version 6 writes them: with their texts beside them
            written[name] = [
                {**one, "id": number, "language": code, "question": in_language(row["texts"]["question"], code)}
                for number, (one, row) in enumerate(zip(bare, rows, strict=True))
                for code in codes
            ]
            continue
        key, texts = keys[name]
        written[name] = bare
        written[texts] = [
            {
                "id": number,
                key: row[key],
                **{one: in_language(text, code) for one, text in row["texts"].items()},
                "language": code,
            }
            for number, row in enumerate(rows)
            for code in codes
        ]
    written |= _lime_settings(questionnaire, attributes)
    written["themes"] = [{"sid": 123456, "template_name": "fruity"}]
    return _lime_xml(questionnaire, written, 640)


def limesurvey_tsv(questionnaire: dict[str, Any]) -> bytes:
    head = ["id", "related_id", "class", "type/scale", "name", "relevance", "text", "help", "language", "validation"]
    head += ["mandatory", "encrypted", "other", "default", "same_default", "min_num_value_n", "max_num_value_n"]
    rows: list[dict[str, Any]] = [{"class": "S", "name": "language", "text": languages(questionnaire)[0]}]
    rows += [{"class": "S", "name": "anonymized", "text": "Y"}]
    tables, attributes = _lime_tables(questionnaire)
    for code in languages(questionnaire):
        for name in ("title", "introduction"):
            if name in questionnaire:
                key = {"title": "surveyls_title", "introduction": "surveyls_welcometext"}[name]
                rows.append(
                    {"class": "SL", "name": key, "text": in_language(questionnaire[name], code), "language": code}
                )
    for code in languages(questionnaire):
        for group in tables["groups"]:
            rows.append(
                {
                    "id": group["gid"],
                    "class": "G",
                    "type/scale": f"G{group['gid']}",
                    "relevance": "1",
                    "language": code,
                    "name": in_language(group["texts"]["group_name"], code),
                }
            )
            for one in (one for one in tables["questions"] if one["gid"] == group["gid"]):
                rows.append(
                    {
                        "id": one["qid"],
                        "class": "Q",
                        "type/scale": one["type"],
                        "name": one["title"],
                        "relevance": one["relevance"],
                        "language": code,
                        "mandatory": one["mandatory"],
                        "other": "N",
                        "text": in_language(one["texts"]["question"], code),
                        "help": in_language(one["texts"]["help"], code),
                        **attributes.get(str(one["qid"]), {}),
                    }
                )
                for row in (row for row in tables["subquestions"] if row["parent_qid"] == one["qid"]):
                    rows.append(
                        {
                            "id": row["qid"],
                            "related_id": one["qid"],
                            "class": "SQ",
                            "name": row["title"],
                            "relevance": "1",
                            "text": in_language(row["texts"]["question"], code),
                            "language": code,
                        }
                    )
                for row in (row for row in tables["answers"] if row["qid"] == one["qid"]):
                    rows.append(
                        {
                            "related_id": one["qid"],
                            "class": "A",
                            "type/scale": "0",
                            "name": row["code"],
                            "text": in_language(row["texts"]["answer"], code),
                            "language": code,
                        }
                    )
    return b"\xef\xbb\xbf" + csv_bytes([head, *([str(row.get(name, "")) for name in head] for row in rows)], "\t")
