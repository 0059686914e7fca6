"""Dates and times of other tools: which classes are proposed for them, and what the import report says of it."""

import json
from typing import Any

import pytest

from surveys.exchange.dates import MOST_PERIODS, proposed_classes
from surveys.exchange.formats import Conversion, convert
from surveys.exchange.source import Question, SourceKind

XLSFORM = """survey,,,,,
,type,name,label,constraint,required
,date,visit,When was your visit?,. >= date('2023-03-01') and . < date('2023-07-01'),yes
,time,bed,When do you go to bed?,,yes
,dateTime,moved,When did you move?,. <= '2020-06-30',no
"""
REDCAP = (
    "Variable / Field Name,Form Name,Section Header,Field Type,Field Label,"
    '"Choices, Calculations, OR Slider Labels",Field Note,Text Validation Type OR Show Slider Number,'
    "Text Validation Min,Text Validation Max,Identifier?,Branching Logic (Show field only if...),Required Field?"
    """
visit,f,,text,When was your visit?,,,date_ymd,2023-03-01,2023-06-30,,,y
bed,f,,text,When do you go to bed?,,,time,,,,,y
moved,f,,text,When did you move?,,,datetime_ymd,,2020-06-30,,,
"""
)
SURVEYJS = json.dumps({
    "title": "Dates",
    "elements": [
        {"type": "text", "name": name, "title": title, "inputType": kind, **more}
        for name, title, kind, more in (
            ("visit", "When was your visit?", "month", {"min": "2023-03", "max": "2023-06", "isRequired": True}),
            ("bed", "When do you go to bed?", "time", {"isRequired": True}),
            ("moved", "When did you move?", "datetime-local", {"max": "2020-06-30T12:00"}),
        )
    ],
})  # fmt: skip
LIMESURVEY = "\t".join(["id", "class", "type/scale", "name", "relevance", "text", "language", "mandatory", "date_min",
                        "date_max", "date_format"]) + "\n" + "\n".join("\t".join(row) for row in (
    ("", "S", "", "language", "1", "en", "", "", "", "", ""),
    ("", "SL", "", "surveyls_title", "1", "Dates", "en", "", "", "", ""),
    ("1", "G", "G0", "Dates", "1", "", "en", "", "", "", ""),
    ("1", "Q", "D", "visit", "1", "When was your visit?", "en", "Y", "2023-03-01", "2023-06-30", "yyyy-mm-dd"),
    ("2", "Q", "D", "bed", "1", "When do you go to bed?", "en", "Y", "", "", "HH:MM"),
    ("3", "Q", "D", "moved", "1", "When did you move?", "en", "N", "", "2020-06-30", "dd.mm.yyyy HH:MM"),
)) + "\n"  # fmt: skip
FILES = {"form.csv": XLSFORM, "dictionary.csv": REDCAP, "survey.json": SURVEYJS, "lime.txt": LIMESURVEY}


def converted(name: str) -> Conversion:
    return convert(FILES[name].encode(), filename=name)


def said_of(made: Conversion, words: str) -> str:
    return next(one.detail for one in made.report.entries if one.element == words)


@pytest.mark.parametrize("name", FILES)
def test_dates_of_each_tool_become_choices(name: str) -> None:
    made = converted(name)
    visit, bed, moved = (dict(item) for item in made.definition["items"])
    assert [choice["en"] for choice in visit["choices"]] == ["March 2023", "April 2023", "May 2023", "June 2023"]
    assert [choice["en"] for choice in bed["choices"]][::7] == ["00:00 – 02:59", "21:00 – 23:59"]
    assert moved["choices"][0] == {"en": "Before 1940"}
    assert moved["choices"][-1] == {"en": "2020 or later"}
    assert (moved["required"], "prefer_not" in moved) == (False, True)
    assert {one["kind"] for one in (visit, bed, moved)} == {"one_choice"}
    assert made.missing == ""


@pytest.mark.parametrize("name", FILES)
def test_dates_of_each_tool_are_reported_as_changed(name: str) -> None:
    made = converted(name)
    assert "asked in classes" in said_of(made, "When was your visit?")
    assert "time of day" not in said_of(made, "When was your visit?")
    assert "in 8 classes of 3 hours" in said_of(made, "When do you go to bed?")
    assert "Its time of day is not asked" in said_of(made, "When did you move?")
    assert all("classes" in one.suggestion for one in made.report.entries if "asked in" in one.detail)


def asked(kind: SourceKind = "date", **bounds: str) -> tuple[dict[str, Any], str]:
    classes, said = proposed_classes(Question("row 1", "q", "date", kind, {}, **bounds))  # type: ignore[arg-type]
    return classes, " ".join(said)


@pytest.mark.parametrize(
    ("bounds", "classes"),
    [
        (("2023-01-01", "2024-12-31"), {"by": "month", "from": "2023-01", "to": "2024-12"}),
        (("2023-01-01", "2025-01-31"), {"by": "quarter", "from": "2023-01", "to": "2025-01"}),
        (("2010", "2030"), {"by": "year", "from": "2010", "to": "2030"}),
        (("2026-05-01", ""), {"by": "quarter", "from": "2026-05", "to": "2030-12", "later": True}),
        (("2024-05-03", "2024-05-20"), {"by": "date", "at": ["2024-05", "2024-06"]}),
        (("1990", "2029"), {"by": "date", "at": ["1995", "2000", "2005", "2010", "2015", "2020", "2025"]}),
    ],
)
def test_finest_classes_that_are_few_are_proposed(bounds: tuple[str, str], classes: dict[str, Any]) -> None:
    assert asked(minimum=bounds[0], maximum=bounds[1])[0] == classes


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (("", ""), "It has no limits"),
        (("today()", ""), "The minimum today() could not be read."),
        (("", "2999-01-01"), "The maximum 2999-01-01 could not be read."),
        (("2024-01-01", "2023-01-01"), "Its limits are not a range"),
    ],
)
def test_bounds_that_cannot_be_used_are_reported(bounds: tuple[str, str], words: str) -> None:
    classes, said = asked(minimum=bounds[0], maximum=bounds[1])
    assert words in said
    assert len(classes["at"]) < MOST_PERIODS
