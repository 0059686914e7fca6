"""Who asks and whom respondents can turn to: from the definition to every page, the sheet and the design."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs import Design
from collector.errors import ValidationError
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.definition.definitions import design_of
from surveys.definition.text_warnings import text_warnings
from surveys.lifecycle import selectors, services
from surveys.opening.services import open_survey
from surveys.rendering import pages
from surveys.rendering.own_coin.sheet import render_sheet
from tests.factories import payloads
from tests.tools.paper import sheet_data

ABOUT = {
    "sender": {"en": "Ada Example"},
    "institution": {"en": "University of Examples"},
    "contact": {"en": "study@example.org"},
    "data_protection": {"en": "The university is responsible."},
    "help_line": {"en": "Call 0800 111 0 111."},
}


def helped(**changes: Any) -> Any:
    """The definition with who asks, and the help line behind its second question."""
    made = payloads.definition(about=ABOUT, **changes)
    made["items"][1]["help_after"] = True
    return definitions.complete(made)


def in_sections() -> Any:
    """The same in two sections, of which the first ends with the help line."""
    made = helped(
        sections=[
            {"key": "first", "title": {"en": "One"}, "introduction": {"en": ""}, "help_after": True},
            {"key": "second", "title": {"en": "Two"}, "introduction": {"en": ""}},
        ]
    )
    for item, section in zip(made["items"], ("first", "second"), strict=True):
        item["section"] = section
    del made["items"][1]["help_after"]
    return made


def test_definition_without_about_freezes_as_before() -> None:
    design = design_of(definitions.complete(payloads.definition()), version=1)
    assert json.loads(design.canonical) == payloads.opened()
    assert not design.about.texts


def test_about_round_trips_through_yaml_and_freezes_beside_the_questions() -> None:
    definition = helped()
    assert definitions.load(definitions.dump(definition)) == definition
    design = design_of(definition, version=1)
    assert design.document["about"] == ABOUT | {"help_after": {"items": ["mood"]}}
    assert "help_after" not in design.items[1].document, "tickets and waves go by what is asked"
    assert list(design.about.texts) == list(ABOUT)


def test_help_after_section_stands_beside_the_sections_in_the_design() -> None:
    definition = in_sections()
    assert definitions.load(definitions.dump(definition)) == definition
    document: Any = design_of(definition, version=1).document
    assert document["about"]["help_after"] == {"sections": ["first"]}
    assert document["sections"][0] == {"key": "first", "title": {"en": "One"}, "introduction": {"en": ""}}


def test_empty_about_texts_are_left_out() -> None:
    made = definitions.complete(payloads.definition(about={"sender": "", "contact": {"en": ""}}))
    assert "about" not in made


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"about": {"imprint": "x"}}, ("about",)),
        ({"about": {"contact": ["x"]}}, ("about", "contact")),
        ({"about": {"contact": "[[mail address]]"}}, ("about", "contact", "en")),
        ({"languages": ["en", "de"], "about": {"contact": {"en": "Room 5"}}}, ("title",)),
    ],
)
def test_wrong_about_is_refused_with_its_place(changes: dict[str, Any], path: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as refused:
        design_of(definitions.complete(payloads.definition(**changes)), version=1)
    assert refused.value.path == path


def test_help_after_without_a_help_line_is_refused() -> None:
    definition = helped()
    del definition["about"]["help_line"]
    with pytest.raises(ValidationError) as refused:
        design_of(definition, version=1)
    assert refused.value.path == ("about", "help_line")
    definition["items"][1]["help_after"] = "yes"
    with pytest.raises(ValidationError) as refused:
        design_of(definition, version=1)
    assert refused.value.path == ("items", 1, "help_after")


def test_addresses_are_expected_in_the_contact_and_nowhere_else() -> None:
    assert not text_warnings(design_of(helped(), version=1))
    assert text_warnings(design_of(helped(introduction={"en": "Write to study@example.org"}), version=1))


@pytest.mark.django_db
def test_draft_with_about_comes_back_as_written(alice: User) -> None:
    for definition in (helped(), in_sections()):
        survey = services.write_survey(definition, team=home_team(alice))
        assert selectors.definition_of(survey) == definition


def shown(content: bytes) -> str:
    return content.decode().partition('data-part="design"')[0]


def test_page_shows_who_asks_and_help_after_marked_questions() -> None:
    design = design_of(helped(), version=1)
    page = shown(pages.render_page(design))
    assert page.count("Call 0800 111 0 111.") == 4, "folded, after the question, and twice at the end"
    first, second = page.split('id="question-2"')
    assert "help-line" not in first
    assert "help-line" in second
    assert '<p class="sender">Ada Example · University of Examples</p>' in " ".join(page.split())
    assert "Please never send your answers there" in page
    assert "help-line" not in shown(pages.render_page(Design.of(payloads.document())))
    assert "study@example.org" in pages.render_closed(design).decode()


def test_page_shows_help_at_the_end_of_a_marked_section() -> None:
    page = shown(pages.render_page(design_of(in_sections(), version=1)))
    first, second = page.split('id="section-2"')
    assert "help-line" in first.partition('id="section-1"')[2]
    assert "help-line" not in second.partition("</section>")[0]


@pytest.mark.django_db
@pytest.mark.parametrize("definition", [helped(), in_sections()], ids=["question", "section"])
def test_own_coin_page_and_its_end_show_help_and_contact(alice: User, definition: Any) -> None:
    open_survey(services.write_survey(definition, team=home_team(alice)))
    page = Client().get("/s/campus/coin/").content.decode()
    assert page.count("help-line") == 1
    _before, after = page.split('id="toss-2"')
    assert ("help-line" in after) == ("sections" not in definition)
    assert "study@example.org" in page
    assert '<p class="sender">' in page


def test_sheet_has_who_asks_and_help_where_it_is_marked() -> None:
    data: Any = sheet_data(dict(design_of(helped(), version=1).document), "en")
    assert data["sender"] == "Ada Example · University of Examples"
    assert [one["text"] for one in data["about"]] == [ABOUT[name]["en"] for name in list(ABOUT)[2:]]
    assert [entry["helped"] for entry in data["questions"]] == [False, True]
    assert render_sheet(design_of(helped(), version=1), "en").startswith(b"%PDF-")
