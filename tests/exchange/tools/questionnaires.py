"""The questionnaires of questionnaires.yaml, and what all writers read of them."""

import csv
import io
from pathlib import Path
from typing import Any

import yaml

Text = str | dict[str, str]
Asked = dict[str, Any]
QUESTIONNAIRES: dict[str, dict[str, Any]] = {
    one["name"]: one
    for one in yaml.safe_load((Path(__file__).parents[1] / "questionnaires.yaml").read_text(encoding="utf-8"))
}


def questions(questionnaire: dict[str, Any]) -> list[Asked]:
    return [one for section in questionnaire["sections"] for one in section["questions"]]


def languages(questionnaire: dict[str, Any]) -> list[str]:
    return [*questionnaire["title"]] if isinstance(questionnaire["title"], dict) else ["en"]


def in_language(text: Text, code: str) -> str:
    return text if isinstance(text, str) else text[code]


def first(text: Text) -> str:
    return text if isinstance(text, str) else next(iter(text.values()))


def asked_before(questionnaire: dict[str, Any], asked: Asked) -> tuple[Asked, int] | None:
    """The question and the number of its option on which this one depends."""
    if "only_if" not in asked:
        return None
    name, option = asked["only_if"]
    return next(one for one in questions(questionnaire) if one["name"] == name), option


def csv_bytes(rows: list[list[str]], delimiter: str = ",") -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode()
