"""The own-coin page on paper: the same PDF for everybody, tagged, with every word of the page, in every language."""

import copy
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs import Design
from surveys.accounts.teams import home_team
from surveys.lifecycle import services
from surveys.models import Page, Version
from surveys.opening.services import open_survey
from surveys.rendering.own_coin import page, sheet
from tests.factories import payloads
from tests.tools.paper import pdf_content, sheet_data

ADDRESS = "/s/campus/coin/sheet.pdf"


def thirty(**changes: Any) -> dict[str, Any]:
    """A frozen design of 30 questions, with a coin and a die by turns."""
    document = payloads.document(**changes)
    two = document["items"]
    document["items"] = [copy.deepcopy(two[number % 2]) | {"key": f"q{number}"} for number in range(30)]
    return document


@pytest.mark.django_db
def test_sheet_same_bytes_for_everyone(version: Version) -> None:
    found = set()
    for number in range(10):
        client = Client(REMOTE_ADDR=f"10.0.0.{number}")
        client.cookies["sessionid"] = f"cookie{number}"
        response = client.get(ADDRESS, {"utm": number}, headers={"accept-language": ("en", "de")[number % 2]})
        assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
        assert response["Content-Disposition"] == 'attachment; filename="campus-en.pdf"'
        assert not response.cookies
        found.add(response.content)
    assert found == {bytes(version.pages.get(kind=Page.Kind.SHEET).content)}
    assert found.pop().startswith(b"%PDF-")


def test_sheet_rendered_twice_is_identical_and_undated() -> None:
    first, second = (sheet.render_sheet(Design.of(thirty()), "en") for _ in range(2))
    assert first == second
    assert not re.search(rb"CreationDate|ModDate|CreateDate|ModifyDate", pdf_content(first))


def test_sheet_is_tagged_and_names_title_and_language() -> None:
    whole = pdf_content(sheet.render_sheet(Design.of(thirty()), "en"))
    assert b"pdfuaid:part" in whole
    assert b"/StructTreeRoot" in whole
    assert b"/ToUnicode" in whole, "its text can be selected"
    assert b"<dc:title>" in whole
    assert re.search(rb"/Lang\s*\(en\)", whole)


def test_sheet_thirty_questions_have_enough_pages() -> None:
    pages = re.findall(rb"/Type\s*/Page\b", pdf_content(sheet.render_sheet(Design.of(thirty()), "en")))
    assert 5 <= len(pages) <= 10


def test_sheet_has_the_texts_of_the_page() -> None:
    document = thirty()
    on_paper, on_the_page = sheet_data(document), page.render_page(Design.of(document), "en").decode()
    assert len(on_paper["questions"]) == 30
    for entry in on_paper["questions"]:
        for rule in entry["rules"]:
            assert f"{rule['action']}</span>" in on_the_page
            assert rule["shown"].lower() in on_the_page.lower()
        assert entry["toss"] in on_the_page
    assert all(step in on_the_page for step in (*on_paper["steps"], on_paper["needs"], on_paper["heads"]))
    assert on_paper["group"]["choices"] == ["First year", "Later"]
    assert on_paper["digest"] == Design.of(document).digest
    assert "Version 1" in on_paper["version"]


def test_sheet_without_groups_asks_for_none() -> None:
    assert sheet_data(payloads.document(strata={"wording": {"en": ""}, "groups": []}))["group"] is None


def test_sheet_texts_are_never_markup() -> None:
    document = payloads.document()
    document["items"][0]["wording"] = {"en": '#panic("read") $x$ *bold* @ref <label> \\ // `raw`'}
    assert sheet.render_sheet(Design.of(document), "en").startswith(b"%PDF-")


@pytest.mark.parametrize("language", ["ar", "de", "es", "fr"])
def test_sheet_in_other_languages(language: str) -> None:
    document = in_language(payloads.document(), language)
    assert sheet_data(document, language)["rtl"] is (language == "ar")
    pdf = pdf_content(sheet.render_sheet(Design.of(document), language))
    assert re.search(rb"/Lang\s*\(%s\)" % language.encode(), pdf)


def in_language(document: Any, language: str) -> Any:
    """The document with each text in that one language, in words of it."""
    word = {"ar": "هل سلّمت يومًا عملًا كتبه شخص آخر؟", "de": "Größe", "es": "¿Señor?", "fr": "Où ça, œuvre"}[language]
    if isinstance(document, list):
        return [in_language(part, language) for part in document]
    if isinstance(document, dict):
        if set(document) == {"en"}:
            return {language: word}
        return {name: in_language(part, language) for name, part in document.items()} | (
            {"languages": [language]} if "languages" in document else {}
        )
    return document


def test_sheet_letter_missing_in_fonts_gives_none() -> None:
    document = payloads.document(title={"en": "Campus 校园"})
    assert sheet.render_sheet(Design.of(document), "en") == b""


def test_sheet_own_error_is_not_a_missing_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "_data", lambda *args: {"language": "en"})
    with pytest.raises(RuntimeError):
        sheet.render_sheet(Design.of(payloads.document()), "en")


@pytest.mark.django_db
def test_sheet_missing_is_not_linked(alice: User) -> None:
    definition = payloads.definition(title={"en": "Campus 校园"})
    version = open_survey(services.write_survey(definition, team=home_team(alice)))
    assert Client().get("/s/campus/coin/").status_code == 200
    assert Client().get(ADDRESS).status_code == 404
    assert b"sheet.pdf" not in bytes(version.pages.get(kind=Page.Kind.COIN).content)
    client = Client()
    client.force_login(alice)
    assert "sheet.pdf" not in client.get("/panel/survey/campus/share/").content.decode()


@pytest.mark.django_db
def test_sheet_is_linked_from_page_and_panel(version: Version, alice: User) -> None:
    assert f'href="{ADDRESS}"' in Client().get("/s/campus/coin/").content.decode()
    client = Client()
    client.force_login(alice)
    assert f"{ADDRESS}" in client.get("/panel/survey/campus/share/").content.decode()


@pytest.mark.django_db
def test_sheet_closed_survey_answers_410(version: Version) -> None:
    services.close_survey(version.survey)
    assert Client().get(ADDRESS).status_code == 410


@pytest.mark.django_db
def test_sheet_design_without_device_answers_404(alice: User) -> None:
    open_survey(services.write_survey(payloads.without_device(), team=home_team(alice)))
    assert Client().get(ADDRESS).status_code == 404
