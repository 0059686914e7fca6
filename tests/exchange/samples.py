"""Small questionnaires in each tool's own format, and what they must become."""

from dataclasses import dataclass, field
from pathlib import Path

from surveys.exchange.readers.xlsform import csv_sheets

FILES = Path(__file__).parent / "files"


@dataclass(frozen=True)
class Sample:
    filename: str
    form: str
    title: str
    items: list[tuple[str, str, int]]
    conditions: dict[str, tuple[str, list[int]]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


SAMPLES = [
    Sample(
        "form.csv", "xlsform", "Smoke test",
        [("smokes", "yes_no", 2), ("often", "one_choice", 2), ("cigs", "number", 0), ("used", "several_choices", 3)],
        {"often": ("smokes", [1]), "cigs": ("smokes", [1])}, ("Why?",), ("Do you smoke?", "How often?"),
    ),
    Sample(
        "dictionary.csv", "redcap", "dictionary",
        [("smokes", "yes_no", 2), ("kind", "several_choices", 2), ("cigs", "number", 0)],
        {"kind": ("smokes", [1]), "cigs": ("kind", [0])}, ("Why?",), ("What do you smoke?", "How many?"),
    ),
    Sample(
        "questions.txt", "text", "Student life",
        [("have_you_cheated", "yes_no", 2), ("which_of_these_did_you_use_select_all_that_apply", "several_choices", 3),
         ("how_many_times", "number", 0)],
        {}, ("Why did you do so?",), ("Have you cheated?",),
    ),
    Sample(
        "club.json", "surveyjs", "Club",
        [("b", "yes_no", 2), ("r", "scale", 7), ("c", "several_choices", 2), ("m_x", "one_choice", 2),
         ("m_y", "one_choice", 2)],
        {"r": ("b", [1]), "c": ("r", [0, 1])}, ("t",), ("Ever lost?",),
    ),
    Sample(
        "work.qsf", "qualtrics", "Work", [("qid1", "yes_no", 2), ("qid2", "several_choices", 2)],
        {"qid2": ("qid1", [1])}, ("Branch", "EndSurvey"), ("Bullied?", "By whom?"),
    ),
    Sample(
        "lime.lss", "limesurvey", "Lime", [("q1", "yes_no", 2), ("q2_sq1", "one_choice", 2)],
        {"q2_sq1": ("q1", [1])}, ("Why",), ("Drunk?", "Beer"),
    ),
    Sample("lime.txt", "limesurvey_tsv", "Tee", [("a1", "one_choice", 2)], {}, (), ("How?",)),
    Sample(
        "table.csv", "csv", "table",
        [("have_you_lied", "yes_no", 2), ("how_often", "one_choice", 3), ("older_than", "number", 0)],
        {}, ("Why?",), ("Have you lied?",),
    ),
]  # fmt: skip


def content(name: str) -> bytes:
    return (FILES / name).read_bytes()


def xlsform_sheets() -> dict[str, list[list[str]]]:
    return csv_sheets(content("form.csv").decode())
