"""A survey as a workbook in the form of XLSForm."""

import io

from django.utils.translation import gettext

from collector.errors import ValidationError
from estimator.base.extras import lacking_package
from surveys.definition.parts import Definition, ItemPart, Text
from surveys.exchange.readers.xlsform import STORED, stored_json
from surveys.exchange.writers import (
    answers_of,
    codes_of,
    items_of,
    kept_of,
    kept_of_survey,
    kept_of_text,
    runs_of,
    text_before,
)

LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ar": "العربية"}
TYPES = {
    "yes_no": "select_one",
    "one_choice": "select_one",
    "several_choices": "select_multiple",
    "scale": "select_one",
}

Row = dict[str, str]


def write(definition: Definition) -> bytes:
    """The file's content. Raises ValidationError where openpyxl is not installed."""
    if missing := lacking_package("openpyxl", "formats"):
        raise ValidationError((), gettext("an XLSForm is a workbook, and {missing}").format(missing=missing))
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    out = io.BytesIO()
    for name, rows in sheets(definition).items():
        sheet = book.create_sheet(name)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        sheet.append(columns)
        for row in rows:
            sheet.append([row.get(column, "") or None for column in columns])
    book.save(out)
    return out.getvalue()


def sheets(definition: Definition) -> dict[str, list[Row]]:
    """The rows of the sheets survey, choices and settings, by the names of their columns."""
    survey: list[Row] = []
    for part in ("introduction", "consent"):
        words = definition["introduction"] if part == "introduction" else definition["consent"]
        if any(words.values()):
            survey.append({"type": "note", "name": f"candor_{part}", **_texts("label", words)})
    for section in definition.get("sections", []):
        texts = _texts("label", section["title"]) | _texts("hint", section["introduction"])
        survey.append({"type": "begin_group", "name": section["key"], **texts})
        survey += _rows(items_of(definition, section["key"]), definition)
        survey.append({"type": "end_group"})
    if not definition.get("sections"):
        survey += _rows(definition["items"], definition)
    used = {row["type"].partition(" ")[2] for row in survey}
    choices = [
        {"list_name": item["key"], "name": code, **_texts("label", words)}
        for item in definition["items"]
        if item["key"] in used
        for code, words in answers_of(item)
    ]
    own = definition["languages"][0]
    kept = stored_json({**kept_of_survey(definition), "title": definition["title"]})
    settings = {"form_title": definition["title"][own], "form_id": definition["slug"], "default_language": _named(own)}
    return {"survey": survey, "choices": choices, "settings": [{**settings, STORED: kept}]}


def _rows(items: list[ItemPart], definition: Definition) -> list[Row]:
    """The questions of a section; a grid is a group whose rows have one list of choices."""
    rows: list[Row] = []
    for heading, run in runs_of(items):
        if heading is None:
            rows += [row for item in run for row in _with_text(item, _row(item, definition, item["key"]), definition)]
            continue
        name = f"grid_{run[0]['key']}"
        asked = [_row(item, definition, run[0]["key"]) for item in run]
        group = {"type": "begin_group", "name": name, "appearance": "table-list", **_texts("label", heading)}
        note = _with_text(run[0], asked[0], definition)[:-1]
        rows += [*note, group, *asked, {"type": "end_group"}]
    return rows


def _with_text(item: ItemPart, row: Row, definition: Definition) -> list[Row]:
    """The question, below the text that stands before it, which is shown under the same condition."""
    if not (words := text_before(item, definition["languages"])):
        return [row]
    shown = {name: row[name] for name in ("relevant",) if name in row}
    note = {"type": "note", "name": f"{item['key']}_before", **_texts("label", words), **shown}
    return [note | {STORED: stored_json(kept_of_text(item))}, row]


def _row(item: ItemPart, definition: Definition, choices: str) -> Row:
    kind = TYPES.get(item["kind"])
    row = {
        "type": f"{kind} {choices}" if kind else "range",
        "name": item["key"],
        **_texts("label", item["wording"]),
    }
    row["required"] = "yes" if item.get("required", True) else "no"
    if item["kind"] == "number":
        row["parameters"] = "start={item} end={item2} step={item3}".format(
            item=item["minimum"], item2=item["maximum"], item3=item["step"]
        )
    if item.get("dropdown"):
        row["appearance"] = "minimal"
    elif item["kind"] == "scale" and "heading" not in item:
        row["appearance"] = "likert"
    if item.get("shuffle"):
        row["parameters"] = "randomize=true"
    if "most" in item:
        row["constraint"] = f"count-selected(.) <= {item['most']}"
    if "asked_if" in item:
        base = next(one for one in definition["items"] if one["key"] == item["asked_if"]["item"])
        codes = [codes_of(base)[place] for place in item["asked_if"]["answers"]]
        row["relevant"] = " or ".join(f"selected(${{{base['key']}}}, '{code}')" for code in codes)
    return row | {STORED: stored_json(kept_of(item))}


def _texts(column: str, words: Text) -> Row:
    return {f"{column}::{_named(code)}": text for code, text in words.items() if text}


def _named(code: str) -> str:
    return f"{LANGUAGES.get(code, code)} ({code})"
