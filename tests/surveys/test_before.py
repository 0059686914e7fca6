"""A heading and a text before a question, from the file to the pages."""

import copy
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs import Design
from collector.errors import ValidationError
from surveys.accounts.teams import home_team
from surveys.definition.definitions import complete, design_of, dump, load, take_checked
from surveys.exchange import formats
from surveys.exchange.writers import surveyjs, xlsform
from surveys.lifecycle import selectors, services
from surveys.models import Survey
from surveys.panel.editor.presentable import presentable
from surveys.panel.editor.problems import problems_of
from surveys.rendering.own_coin.page import render_page as render_coin_page
from surveys.rendering.own_coin.sheet import render_sheet
from surveys.rendering.pages import render_page
from tests.factories import payloads
from tests.panel.forms import change, form_of, save
from tests.tools.paper import sheet_data

BEFORE = {
    "heading": {"en": "About exams"},
    "text": {"en": "The next questions are about exams.\n\nTake your time,\nand be <honest>."},
}


def definition(**before: Any) -> dict[str, Any]:
    made = payloads.definition()
    made["items"][1]["before"] = before or copy.deepcopy(BEFORE)
    return made


def document() -> dict[str, Any]:
    made = payloads.document()
    made["items"][1]["before"] = copy.deepcopy(BEFORE)
    return made


def test_yaml_round_trip_and_frozen_design() -> None:
    read = load(
        """
slug: s
title: T
items:
  - {key: a, wording: "A?"}
  - key: b
    before: {heading: About exams, text: Take your time.}
    wording: B?
"""
    )
    assert read["items"][1]["before"] == {"heading": {"en": "About exams"}, "text": {"en": "Take your time."}}
    assert load(dump(read)) == read
    design = design_of(complete(definition()), version=1)
    assert design.document["items"][1]["before"] == BEFORE  # type: ignore[index]
    assert design.items[0].before is None


def test_empty_before_is_left_out_of_the_design() -> None:
    """So that designs and digests without one stay what they were."""
    design = design_of(complete(definition(heading={"en": ""})), version=1)
    assert "before" not in design.document["items"][1]  # type: ignore[index]


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ({"html": "x"}, "items[1].before.html is not possible"),
        ({"heading": {"en": "<b>About</b>"}}, "items[1].before.heading"),
        ({"text": {"de": "Nur Deutsch"}}, "items[1].before.text must have exactly the keys ['en']"),
        ({"colour": "red"}, "has unknown keys: colour"),
    ],
)
def test_bad_before_names_place_and_bound(before: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        take_checked(definition(**before))
    assert words in str(caught.value)


def test_pages_show_heading_and_paragraphs_escaped() -> None:
    design = Design.of(document())
    for page in (render_page(design).decode(), render_coin_page(design, "en").decode()):
        assert 'data-part="before-heading">About exams</h3>' in page
        assert page.count('data-part="before-text"') == 2
        assert "Take your time,\nand be &lt;honest&gt;." in page
    assert sheet_data(document())["questions"][1]["before"]["heading"] == "About exams"
    assert render_sheet(design, "en").startswith(b"%PDF-")


def grid() -> dict[str, Any]:
    """Three rows below one heading, with a text before the first and the last."""
    rows = [{"key": key, "heading": "How good was it?", "wording": key.title()} for key in ("sleep", "food", "work")]
    rows[0] |= {"kind": "scale", "points": 3, "channel": {"name": "k_ary", "truth": "1/2"}}
    rows[0]["before"], rows[2]["before"] = {"text": "Your week."}, {"text": "Your job."}
    return {"slug": "week", "title": "Week", "items": rows}


def test_text_before_a_row_begins_its_grid_anew() -> None:
    design = design_of(complete(grid()), version=1)
    page = render_page(design).decode()
    places = [page.index(words) for words in ("Your week.", 'id="question-1"', 'id="question-2"', "Your job.")]
    assert places == sorted(places)
    assert page.index("Your job.") < page.index('id="matrix-3"') < page.index('id="question-3"')
    assert page.count('data-part="matrix-heading"') == 2


@pytest.mark.parametrize(("writer", "form", "suffix"), [(surveyjs, "surveyjs", "json"), (xlsform, "xlsform", "xlsx")])
def test_other_tools_give_back_a_grid_with_texts(writer: Any, form: str, suffix: str) -> None:
    made = complete(grid())
    found = formats.convert(writer.write(made), filename=f"s.{suffix}", form=form, language="en")
    assert [item.get("before") for item in found.definition["items"]] == [item.get("before") for item in made["items"]]
    assert {item["heading"]["en"] for item in found.definition["items"]} == {"How good was it?"}


@pytest.mark.django_db
def test_form_shows_changes_and_removes_before(alice: User, client: Client) -> None:
    client.force_login(alice)
    survey = services.write_survey(complete(definition()), team=home_team(alice), by=alice)
    fields = form_of(client, change(survey))
    assert fields["items-1-before_heading"] == "About exams"
    save(client, change(survey), fields | {"items-1-before_heading": "Exams"})
    item = selectors.definition_of(survey)["items"][1]
    assert item["before"] == BEFORE | {"heading": {"en": "Exams"}}
    fields = form_of(client, change(survey)) | {"items-1-before_heading": "", "items-1-before_text": ""}
    save(client, change(survey), fields)
    survey = Survey.objects.get()
    assert "before" not in selectors.definition_of(survey)["items"][1]


@pytest.mark.django_db
def test_unfinished_before_is_previewed_and_named(alice: User) -> None:
    made = definition(text={"en": "Hello.", "de": ""}) | {"languages": ["en", "de"]}
    read = complete(made)
    survey = services.write_survey(read, team=home_team(alice), by=alice, unfinished=True)
    before = presentable(read).items[1].before
    assert before is not None
    assert before.text == {"en": "Hello.", "de": "Hello."}
    assert ("items", "mood", "before", "text", "de") in {problem.path for problem in problems_of(survey, read)} or any(
        "not translated" in problem.text for problem in problems_of(survey, read)
    )


@pytest.mark.parametrize(("writer", "form", "suffix"), [(surveyjs, "surveyjs", "json"), (xlsform, "xlsform", "xlsx")])
def test_other_tools_show_the_text_and_give_it_back(writer: Any, form: str, suffix: str) -> None:
    made = complete(definition())
    content = writer.write(made)
    found = formats.convert(content, filename=f"s.{suffix}", form=form, language="en")
    (item,) = [one for one in found.definition["items"] if one["key"] == "mood"]
    assert item["before"] == BEFORE
    assert "About exams" in (content.decode() if form == "surveyjs" else str(xlsform.sheets(made)))


def test_note_of_another_tool_stands_before_the_next_question() -> None:
    form = """{"title": "T", "elements": [
      {"type": "radiogroup", "name": "a", "title": "A?", "choices": ["x", "y"]},
      {"type": "html", "name": "n", "html": "<p>Now about <b>exams</b>.</p>"},
      {"type": "html", "name": "m", "html": "Only some.", "visibleIf": "{a} = 'x'"},
      {"type": "radiogroup", "name": "b", "title": "B?", "choices": ["x", "y"]},
      {"type": "html", "name": "o", "html": "For x.", "visibleIf": "{a} = 'x'"},
      {"type": "radiogroup", "name": "c", "title": "C?", "choices": ["x", "y"], "visibleIf": "{a} = 'x'"},
      {"type": "html", "name": "end", "html": "Thank you."}
    ]}"""
    found = formats.convert(form.encode(), filename="s.json", form="surveyjs", language="en")
    items = {item["key"]: item for item in found.definition["items"]}
    assert items["b"]["before"]["text"]["en"].startswith("Now about")
    assert items["c"]["before"] == {"text": {"en": "For x."}}
    outcomes = {entry.detail.split(".")[0]: entry.outcome for entry in found.report.entries}
    assert outcomes["A text with its own condition"] == "left out"
    assert outcomes["No question follows this text: it is shown at the end, after sending"] == "changed"
    assert found.definition["ending"]["text"] == {"en": "Thank you."}
    assert outcomes["The text is shown before c"] == "taken over"
