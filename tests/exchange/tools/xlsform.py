"""XLSForm, as pyxform reads it: a sheet for questions, one for lists of options, one for settings."""

import io
from collections.abc import Callable
from typing import Any

from openpyxl import Workbook

from tests.exchange.tools.questionnaires import (
    Asked,
    Text,
    asked_before,
    first,
    in_language,
    languages,
)


def xlsform(questionnaire: dict[str, Any]) -> bytes:
    codes = languages(questionnaire)
    columns = [f"label::{code}" for code in codes] if len(codes) > 1 else ["label"]
    hints = [one.replace("label", "hint") for one in columns]
    survey = [["type", "name", *columns, *hints, "required", "relevant", "constraint", "appearance", "parameters"]]
    choices = [["list_name", "name", *columns]]

    def row(kind: str, name: str, text: Text = "", help_text: Text = "", **other: str) -> None:
        labels = [in_language(text, code) for code in codes]
        helps = [in_language(help_text, code) for code in codes]
        rest = [other.get(name, "") for name in ("required", "relevant", "constraint", "appearance", "parameters")]
        survey.append([kind, name, *labels, *helps, *rest])

    row("start", "start")
    row("deviceid", "deviceid")
    if "introduction" in questionnaire:
        row("note", "introduction", questionnaire["introduction"])
    for section in questionnaire["sections"]:
        row("begin_group", section["name"], section["title"], appearance="field-list")
        for asked in section["questions"]:
            for number, option in enumerate(asked.get("options", [])):
                choices.append([f"{asked['name']}_list", str(number), *(in_language(option, code) for code in codes)])
            _xlsform_question(questionnaire, asked, row)
        row("end_group", "")
    book = Workbook()
    book.remove(book.active)
    settings = [["form_title", "form_id", "version", "default_language"]]
    settings.append([first(questionnaire["title"]), questionnaire["name"], "2026112501", codes[0]])
    for name, rows in (("survey", survey), ("choices", choices), ("settings", settings)):
        sheet = book.create_sheet(name)
        for one in rows:
            sheet.append(one)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _xlsform_question(questionnaire: dict[str, Any], asked: Asked, row: Callable[..., None]) -> None:
    name, other = asked["name"], {}
    if found := asked_before(questionnaire, asked):
        before, option = found
        several = before["kind"] == "several"
        other["relevant"] = (
            f"selected(${{{before['name']}}}, '{option}')" if several else f"${{{before['name']}}} = '{option}'"
        )
    if asked.get("required"):
        other["required"] = "yes"
    kinds = {"one": f"select_one {name}_list", "several": f"select_multiple {name}_list", "number": "integer"}
    kinds |= {"text": "text", "note": "note", "date": "date", "file": "image", "ranking": f"rank {name}_list"}
    if asked["kind"] == "number":
        other["constraint"] = f". >= {asked['minimum']} and . <= {asked['maximum']}"
    if asked["kind"] == "scale":
        kinds["scale"], other["parameters"] = "range", f"start=1 end={asked['points']} step=1"
    if asked["kind"] != "grid":
        row(kinds[asked["kind"]], name, asked["words"], asked.get("help", ""), **other)
        return
    row("begin_group", f"{name}_grid", asked["words"], appearance="field-list", relevant=other.get("relevant", ""))
    row(f"select_one {name}_list", f"{name}_header", asked["words"], appearance="label")
    for number, words in enumerate(asked["rows"], start=1):
        row(f"select_one {name}_list", f"{name}_{number}", words, appearance="list-nolabel", **other)
    row("end_group", "")
