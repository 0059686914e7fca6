"""Dates and times of day in classes: the choices that are made of them, in every language, and what is refused."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from collector.errors import ValidationError
from estimator.exports.estimates import csv_file
from estimator.models import Run
from estimator.runs import services as estimator
from estimator.runs.results import NOTHING_KNOWN
from surveys.definition.class_recognition import classes_from
from surveys.definition.classes import HOURS, choices_of
from surveys.definition.definitions import design_of, dump, load
from surveys.lifecycle import selectors
from surveys.models import Page
from tests.tools.api import Program

calmly = examples(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
"""The first use of a language reads its catalogue, which a busy machine does slowly."""

LANGUAGES = [code for code, _name in settings.LANGUAGES]


def labels(language: str = "en", **classes: Any) -> list[str]:
    return [choice[language] for choice in choices_of(classes, [language], ("classes",))]


def fault(classes: object) -> str:
    with pytest.raises(ValidationError) as refused:
        choices_of(classes, ["en"], ("classes",))
    return str(refused.value)


def test_classes_by_period_have_ends_only_on_request() -> None:
    assert labels(by="month", **{"from": "2024-11", "to": "2025-01"}) == [
        "November 2024", "December 2024", "January 2025",
    ]  # fmt: skip
    assert labels(by="quarter", **{"from": "2024-05", "to": "2024-07"}, earlier=True, later=True) == [
        "Before April 2024", "April – June 2024", "July – September 2024", "October 2024 or later",
    ]  # fmt: skip
    assert labels(by="year", **{"from": 2023, "to": "2024"}, earlier=True) == ["Before 2023", "2023", "2024"]


def test_classes_between_typed_dates_have_both_ends() -> None:
    assert labels(by="date", at=[1960, "1970"]) == ["Before 1960", "1960 – 1969", "1970 or later"]
    assert labels(by="date", at=["2024-01", "2024-07", "2025-07"]) == [
        "Before January 2024", "January – June 2024", "July 2024 – June 2025", "July 2025 or later",
    ]  # fmt: skip
    assert labels(by="date", at=["2024-02-28", "2024-03-01"]) == [
        "Before 28 February 2024", "28 February 2024 – 29 February 2024", "1 March 2024 or later",
    ]  # fmt: skip


def test_times_of_day_go_round_midnight() -> None:
    assert labels(by="time", hours=12) == ["00:00 – 11:59", "12:00 – 23:59"]
    assert labels(by="time", hours=8, **{"from": "22:00"}) == ["22:00 – 05:59", "06:00 – 13:59", "14:00 – 21:59"]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", ["Vor dem 15. März 2024", "15. März 2024 – 30. Juni 2024", "1. Juli 2024 oder später"]),
        ("es", ["Antes del 15 de marzo de 2024", "15 de marzo de 2024 – 30 de junio de 2024",
                "1 de julio de 2024 o después"]),
        ("fr", ["Avant le 15 mars 2024", "15 mars 2024 – 30 juin 2024", "1 juillet 2024 ou plus tard"]),
        ("ar", ["قبل 15 مارس 2024", "15 مارس 2024 – 30 يونيو 2024", "1 يوليو 2024 أو بعد ذلك"]),
    ],
)  # fmt: skip
def test_classes_are_written_in_each_language(language: str, expected: list[str]) -> None:
    assert labels(language, by="date", at=["2024-03-15", "2024-07-01"]) == expected


def test_classes_of_an_unsupported_language_are_left_to_the_author() -> None:
    assert choices_of({"by": "time", "hours": 12}, ["en", "tlh"], ())[0] == {"en": "00:00 – 11:59", "tlh": ""}


@calmly
@given(st.dates(date(1000, 1, 1), date(2900, 1, 1)), st.integers(1, 250), st.sampled_from(["month", "quarter", "year"]))
def test_classes_by_period_differ_in_every_language(start: date, count: int, by: str) -> None:
    months = {"month": 1, "quarter": 3, "year": 12}[by]
    last = start.year * 12 + start.month - 1 + months * count
    parts = slice(0, 4 if by == "year" else 7)
    ends = {"from": start.isoformat()[parts], "to": f"{last // 12:04}-{last % 12 + 1:02}"[parts]}
    if last // 12 > 2999:
        return
    made = choices_of({"by": by, **ends, "earlier": True, "later": True}, LANGUAGES, ())
    assert len(made) == count + 3
    for code in LANGUAGES:
        assert len({choice[code] for choice in made}) == len(made)


@calmly
@given(st.dates(date(1000, 1, 2), date(2999, 1, 1)), st.lists(st.integers(1, 4000), max_size=40))
def test_classes_between_days_differ_in_every_language(first: date, steps: list[int]) -> None:
    days = [first]
    for step in steps:
        if days[-1].year < 2980:
            days.append(days[-1] + timedelta(days=step))
    made = choices_of({"by": "date", "at": [day.isoformat() for day in days]}, LANGUAGES, ())
    assert len(made) == len(days) + 1
    for code in LANGUAGES:
        assert len({choice[code] for choice in made}) == len(made)


PLAINEST = [
    {"by": "month", "from": "2024-11", "to": "2025-01"},
    {"by": "month", "from": "2024-11", "to": "2024-11", "earlier": True},
    {"by": "quarter", "from": "2024-04", "to": "2025-03", "earlier": True, "later": True},
    {"by": "year", "from": "2023", "to": "2024", "later": True},
    {"by": "year", "from": "2023", "to": "2023", "earlier": True, "later": True},
    {"by": "date", "at": ["1960", "1970"]},
    {"by": "date", "at": ["2024-01", "2024-07", "2025-07"]},
    {"by": "date", "at": ["2024-02-28", "2024-03-01"]},
    {"by": "date", "at": ["2024-05-05"]},
    {"by": "time", "hours": 8, "from": "22:00"},
]


@pytest.mark.parametrize("classes", PLAINEST)
@pytest.mark.parametrize("languages", [LANGUAGES, *([code] for code in LANGUAGES)])
def test_classes_are_found_again_in_their_choices(classes: dict[str, Any], languages: list[str]) -> None:
    made = choices_of(classes, languages, ())
    assert classes_from(made, languages) == classes
    last = dict.fromkeys(languages, "Another option")
    for changed in ([*made, last], [last, *made[1:]], [made[1], made[0], *made[2:]]):
        found = classes_from(changed, languages)
        assert found is None or choices_of(found, languages, ()) == changed


def test_classes_are_found_where_another_language_is_blank() -> None:
    classes = {"by": "year", "from": "2020", "to": "2022"}
    made = [choice | {"de": ""} for choice in choices_of(classes, ["en"], ())]
    assert classes_from(made, ["en", "de"]) == classes
    made[0]["de"] = "Zweitausendzwanzig"
    assert classes_from(made, ["en", "de"]) is None
    assert classes_from([{"en": "No"}, {"en": "In 2024"}], ["en"]) is None
    assert classes_from([], ["en"]) is None


@pytest.mark.long
@calmly
@given(
    st.dates(date(1000, 1, 1), date(2400, 1, 1)),
    st.lists(st.integers(1, 4000), min_size=1, max_size=20),
    st.sampled_from(["month", "quarter", "year", 4, 7, 10]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(LANGUAGES),
)
def test_classes_found_again_make_the_same_choices(
    start: date, steps: list[int], by: str | int, earlier: bool, later: bool, language: str
) -> None:
    days = [start]
    for step in steps:
        days.append(days[-1] + timedelta(days=step))
    if isinstance(by, int):
        classes: dict[str, Any] = {"by": "date", "at": list(dict.fromkeys(day.isoformat()[:by] for day in days))}
    else:
        part = slice(0, 4 if by == "year" else 7)
        until = days[min(len(steps), 3)] + timedelta(days=800)
        classes = {"by": by, "from": start.isoformat()[part], "to": until.isoformat()[part]}
        classes |= {"earlier": earlier, "later": later}
    made = choices_of(classes, [language], ())
    found = classes_from(made, [language])
    assert found is not None
    assert choices_of(found, [language], ()) == made
    assert classes_from(choices_of(found, LANGUAGES, ()), LANGUAGES) == found


@pytest.mark.parametrize("hours", HOURS)
def test_times_of_day_are_a_whole_day(hours: int) -> None:
    assert len(labels(by="time", hours=hours, **{"from": "05:30"})) == 24 // hours


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        (5, "classes must be an object with the keys at, by, earlier, from, hours, later, to; got 5"),
        ({"by": "week"}, "classes.by must be one of month, quarter, year, date, time; got 'week'"),
        ({"by": "time", "at": [1]}, "classes has unknown keys: at; known are by, from, hours"),
        ({"by": "month", "from": "2024", "to": "2024-02"}, "classes.from must be a month such as 2024-03; got '2024'"),
        ({"by": "month", "from": "2024-13", "to": "2025-02"}, "classes.from must be a month such as 2024-03; got"),
        ({"by": "year", "from": "2024-01", "to": 2025}, "classes.from must be a year such as 2024; got '2024-01'"),
        ({"by": "month", "from": "2024-03", "to": "2024-02"}, "classes.to must not be before 2024-03; got 2024-02"),
        ({"by": "month", "from": "2024-03", "to": "2024-03"}, "classes must give 2 to 256 choices; got 1"),
        ({"by": "month", "from": "1924-03", "to": "2024-03"}, "classes must give 2 to 256 choices; got 1,201"),
        ({"by": "month", "from": "2003-01", "to": "2024-04", "later": True}, "2 to 256 choices; got 257"),
        ({"by": "year", "from": "0999", "to": 1200}, "classes.from must be in the years 1000 to 2999; got '0999'"),
        ({"by": "year", "from": True, "to": 1200}, "classes.from must be a year such as 2024; got True"),
        ({"by": "year", "from": 2020, "to": 2024, "earlier": 1}, "classes.earlier must be true or false; got 1"),
        ({"by": "date", "at": []}, "classes.at must be a list of at least one date; got none"),
        ({"by": "date", "at": "2024"}, "classes.at must be a list; got str"),
        ({"by": "date", "at": ["2023-02-29"]}, "classes.at[0] must be a day such as 2024-03-15; got '2023-02-29'"),
        ({"by": "date", "at": ["2024", "2025-01"]}, "classes.at[1] must be a year such as 2024; got '2025-01'"),
        ({"by": "date", "at": ["2024", "2024"]}, "classes.at[1] must be later than 2024, the one before it; got 2024"),
        ({"by": "date", "at": [*range(1500, 1800)]}, "classes must give 2 to 256 choices; got 301"),
        ({"by": "time", "hours": 5}, "classes.hours must be one of 1, 2, 3, 4, 6, 8, 12; got 5"),
        ({"by": "time", "hours": True}, "classes.hours must be one of 1, 2, 3, 4, 6, 8, 12; got True"),
        ({"by": "time", "hours": 6, "from": "24:00"}, "classes.from must be a time such as 06:00; got '24:00'"),
    ],
)
def test_classes_error_names_key_bound_and_value(classes: object, words: str) -> None:
    assert words in fault(classes)


FILE = """
slug: dates
title: {en: Dates, de: Daten}
languages: [en, de]
items:
  - key: tested
    kind: one_choice
    wording: {en: When was your last test?, de: Wann war Ihr letzter Test?}
    classes: {by: month, from: 2024-01, to: 2025-12, earlier: true}
    dropdown: true
    prefer_not: true
    channel: {name: subset, epsilon: 1}
  - key: bed
    kind: scale
    wording: {en: When do you go to bed?, de: Wann gehen Sie zu Bett?}
    classes: {by: time, hours: 6, from: 12:00}
    channel: {name: k_ary, truth: 1/2}
"""


def test_classes_in_a_file_are_choices_ever_after() -> None:
    """From the file to the frozen design, and out and in again without loss."""
    definition = load(FILE)
    tested, bed = design_of(definition, version=1).items
    assert len(tested.choices) == 1 + 24 + 1
    assert tested.choices[0] == {"en": "Before January 2024", "de": "Vor Januar 2024"}
    assert [choice["de"] for choice in bed.choices] == [
        "12:00 – 17:59", "18:00 – 23:59", "00:00 – 05:59", "06:00 – 11:59",
    ]  # fmt: skip
    assert load(dump(definition)) == definition
    assert "classes" not in dump(definition)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("kind: number, classes: {by: time, hours: 6}", "items[0].classes is for one_choice, several_choices, scale"),
        ("kind: one_choice, choices: [A, B], classes: {by: time, hours: 6}", "scale without their own choices"),
        ("kind: one_choice, classes: {by: time, hours: 7}", "items[0].classes.hours must be one of 1, 2, 3, 4, 6"),
        ("kind: date", "items[0].kind 'date' is not possible: Candor asks for no exact date or time"),
    ],
)
def test_classes_that_do_not_fit_are_refused(said: str, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        load(f"slug: s\ntitle: T\nitems:\n  - {{key: q, wording: Q?, {said}, channel: {{name: k_ary, truth: 1/2}}}}\n")
    assert words in str(refused.value)


@pytest.mark.django_db
def test_classes_from_a_file_to_estimates_and_pages(
    alice: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Imported, rehearsed with simulated respondents, estimated, reported and opened in both languages."""
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)
    (tmp_path / "dates.yaml").write_text(FILE, encoding="utf-8")
    call_command("import_survey", str(tmp_path / "dates.yaml"), "--owner", "alice")
    call_command("rehearse", "dates", "--respondents", "40", "--seed", "1", "--json")
    run = Run.objects.get()
    table = csv_file(run, NOTHING_KNOWN)
    assert run.estimates.filter(position=0).count() == 26
    assert b"Before January 2024" in table
    assert "12:00 – 17:59".encode() in table
    call_command("open_survey", "dates", "--json")
    for language, words in (("", "Before January 2024"), ("de", "Vor Januar 2024")):
        showing = selectors.published_version("dates", language)
        assert showing
        assert words.encode() in (showing.page(Page.Kind.ANSWER) or b"")


@pytest.mark.django_db
def test_classes_in_the_api_are_taken_and_refused_with_the_field(alice: User) -> None:
    hers = Program(alice)
    made: dict[str, Any] = {
        "classes": {"by": "time", "hours": 12},
        "kind": "one_choice",
        "wording": "When?",
        "key": "q",
    }
    made["channel"] = {"name": "k_ary", "truth": "1/2"}
    definition = {"slug": "times", "title": "Times", "items": [made]}
    hers.post("surveys/", {"definition": definition})
    (item,) = hers.get("surveys/times/next-design/")["design"]["items"]
    assert [choice["en"] for choice in item["choices"]] == ["00:00 – 11:59", "12:00 – 23:59"]
    made["classes"] = {"by": "time", "hours": 5}
    problem = hers.refused(422, "POST", "surveys/", {"definition": definition | {"slug": "others"}})
    assert problem["errors"][0]["field"].endswith("items[0].classes.hours")
