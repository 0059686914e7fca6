"""The pictures of the page in the dossier: word by word and control by control what respondents get."""

import re
from dataclasses import asdict
from datetime import date
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import translation

from collector.designs import Design
from estimator.base.languages import activated
from estimator.base.protection import ratios_of_versions
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.definition.definitions import complete
from surveys.lifecycle import selectors, services
from surveys.models import Survey
from surveys.planning.dossier import LANGUAGES, contents, dossier
from surveys.rendering.page_elements import read_page
from surveys.rendering.page_pictures import screens
from surveys.rendering.pages import render_page
from tests.factories import background, kinds, payloads, translations
from tests.factories.about import ABOUT, helped
from tests.factories.appearance import ENDING, LOOK
from tests.factories.surveys import example
from tests.tools.gate import few
from tests.tools.paper import pdf_content, pdf_text, words_of
from tests.tools.picture_files import base64, jpeg, png

DAY = date(2026, 11, 25)

ENTRY = {
    "consent_statements": [{"en": "I am of age."}, {"en": "I take part of my own will."}],
    "screening": {
        "wording": {"en": "Do you study here?"},
        "choices": [{"en": "Yes"}, {"en": "No"}],
        "ends": [1],
        "text": {"en": "This survey is about studying here."},
    },
}

NOT_SHOWN = re.compile(
    r"<noscript>.*?</noscript>"
    r'|<section class="notice notice-(?:late|stop)".*?</section>'
    r'|<div class="notice notice-noted".*?</div>'
    r'|<section class="stage" data-stage="(?:sending|failed|discarded|elsewhere|cleared)".*?</section>'
    r'|<div data-stage="sending failed cleared".*?</div>\s*</details>\s*</div>\s*</div>'
    r'|<div class="fold-body">\s*<p>This question has no secrets.*?</details>'
    r'|<div class="fold-body">\s*<h3>The survey</h3>.*?</details>'
    r'|<(?:h2|legend|p) class="out-of-sight".*?</(?:h2|legend|p)>'
    r'|<div class="matrix-columns".*?</div>'
    r"|<button[^>]* hidden>.*?</button>",
    re.DOTALL,
)
"""Of a page in English: what stands there for faults and waiting, the two folds that are drawn closed, words that only
screen readers have, and buttons that only a script shows."""


def everything() -> dict[str, Any]:
    """Every kind of question, and all that may stand around them."""
    made = {**example(), "about": ABOUT, "look": LOOK, "ending": ENDING, **ENTRY}
    made["strata"] = payloads.definition()["strata"]
    return complete(made)  # type: ignore[return-value]


def page_of(survey: Survey, place: int = 0) -> dict[str, Any]:
    design, _ = selectors.design_to_open(survey)
    with activated("en", LANGUAGES):
        data: Any = contents(survey, design, expected=1000, today=DAY, language="en")
    page: dict[str, Any] = data["pages"][place]
    return page


def texts_of(page: bytes) -> list[str]:
    """The words between the marks of what a page shows."""
    main = page.decode().partition("<main>")[2].partition("</main>")[0]
    found = re.findall(r"(?:^|>)([^<>]+)(?=<|$)", NOT_SHOWN.sub("", main))
    return [words for text in found if (words := " ".join(unescape(text).split()))]


@pytest.mark.django_db
@pytest.mark.parametrize("definition", few([everything(), helped()]), ids=["everything", "plain"])
def test_every_text_of_the_page_is_in_the_pdf(alice: User, definition: Any) -> None:
    survey = services.write_survey(definition, team=home_team(alice))
    design, _ = selectors.design_to_open(survey)
    # Without the feet of the pages, which stand amid a text that goes on.
    drawn = re.sub(
        rf"Fingerprintofthedesign;[^:]*:{design.digest}Page\d+of\d+",
        "",
        pdf_text(dossier(survey, expected=1000, today=DAY)),
    )
    shown = texts_of(render_page(design))
    assert len(shown) > 80
    assert [text for text in shown if "".join(text.split()) not in drawn] == []


@pytest.mark.django_db
def test_page_has_each_control_as_often_as_the_real_one(alice: User) -> None:
    survey = services.write_survey(everything(), team=home_team(alice))
    design, _ = selectors.design_to_open(survey)
    real = NOT_SHOWN.sub("", render_page(design).decode())
    drawn = [node["kind"] for node in nodes(page_of(survey)) if node["tag"] == "input"]
    for kind in ("radio", "checkbox", "text"):
        assert drawn.count(kind) == real.count(f'type="{kind}"') > 0
    (dropdown,) = [node for node in nodes(page_of(survey)) if node["tag"] == "select"]
    assert len(dropdown["choices"]) == real.count("<option")


@pytest.mark.django_db
def test_page_shows_stages_and_sections_with_their_buttons(alice: User) -> None:
    page = page_of(services.write_survey(everything(), team=home_team(alice)))
    stages = [(screen["stage"], screen["place"]) for screen in page["screens"]]
    assert stages == [
        ("consent", 0), ("declined", 0), ("screening", 0), ("screened", 0), ("questions", 0), ("questions", 1),
        ("review", 0), ("sent", 0),
    ]  # fmt: skip
    buttons = [
        [text for text in words_of({"screens": [screen]}) if text in ("Next", "Back", "Review your answers", "Send")]
        for screen in page["screens"][4:7]
    ]
    assert buttons == [["Next", "Back"], ["Review your answers", "Back"], ["Review your answers", "Send"]]
    first, second = (list(words_of({"screens": [screen]})) for screen in page["screens"][4:6])
    assert "Section 1 of 2, 0 of 9 answered" in first
    assert "Section 2 of 2, 0 of 9 answered" in second
    assert set(page["screens"][4]["caption"]) & set(page["screens"][5]["caption"])


@pytest.mark.django_db
def test_page_says_the_odds_with_the_numbers_of_the_table(alice: User) -> None:
    words = list(words_of(page_of(services.write_survey(everything(), team=home_team(alice)))))
    odds = (
        "Of 100 people whose true answer is “Yes”, about 67 send “Yes”. Of 100 whose true answer is “No”, about 33 "
        "send “Yes” too."
    )
    assert words.count(odds) == 2, "above the first question, and below it"
    assert "A number from 0 to 40, in steps of 1." in words
    assert "Tick at most 2." in words


@pytest.mark.django_db
def test_page_has_the_colours_and_the_typeface_of_the_survey(alice: User) -> None:
    plain, own = (
        page_of(services.write_survey(complete(made | {"slug": slug}), team=home_team(alice)))
        for slug, made in (("plain", payloads.definition()), ("own", payloads.definition(look=LOOK)))
    )
    assert (own["colours"]["accent"], own["colours"]["page"], own["font"]) == ("#7a1f5c", "#fbf3ea", "serif")
    assert own["colours"]["ink"] == plain["colours"]["ink"]
    assert plain["colours"]["accent"] != own["colours"]["accent"]


@pytest.mark.django_db
def test_page_names_where_links_lead_and_when_a_question_is_asked(alice: User) -> None:
    page = page_of(services.write_survey(everything(), team=home_team(alice)))
    notes = [node["text"] for node in nodes(page) if node["tag"] == "note"]
    assert "Shown only after one of these answers to question 1: “Yes”." in notes
    assert "The choices stand in a random order." in notes
    assert {ENDING["completion"]["address"], ENDING["link"]["address"]} < set(notes)  # type: ignore[index]


@pytest.mark.django_db
def test_page_comes_in_each_language_of_the_survey(alice: User) -> None:
    survey = services.write_survey(translations.definition("de", "ar"), team=home_team(alice))
    german, arabic = (list(words_of(page_of(survey, place))) for place in (0, 1))
    assert "Haben Sie getäuscht?" in german
    assert "هل سبق أن غششتم في امتحان؟" in arabic
    with translation.override("ar"):
        assert translation.gettext("Send") in arabic
    assert [page_of(survey, place)["rtl"] for place in (0, 1)] == [False, True]


@pytest.mark.django_db
def test_page_has_texts_and_pictures_beside_questions(alice: User) -> None:
    made: Any = payloads.definition(pictures={"hall": base64(png(60, 40)), "glad": base64(jpeg())})
    made["items"][0]["before"] = {
        "heading": {"en": "On exams"},
        "text": {"en": "Think of last year."},
        "picture": {"file": "hall", "alternative": "A lecture hall"},
    }
    made["items"][1]["choice_pictures"] = [{"file": "glad", "alternative": "A smile"}, None, None]
    survey = services.write_survey(complete(made), team=home_team(alice), by=alice)
    page = page_of(survey)
    assert {"On exams", "Think of last year."} <= set(words_of(page))
    assert [node["alt"] for node in nodes(page) if node["tag"] == "img"] == ["A lecture hall", "A smile"]
    made_pdf = pdf_content(dossier(survey, expected=1000, today=DAY))
    assert made_pdf.count(b"/Subtype/Image") >= 2
    assert b"A lecture hall" in made_pdf


def test_screens_of_every_encoding_have_each_question_once() -> None:
    design = Design.of(kinds.document())
    found = screens(design, "en", with_coin=True, notes={})
    questions = [screen for screen in found if screen.stage == "questions"]
    words = [text for screen in questions for text in words_of({"screens": [{"parts": screen.parts}]})]
    for item in design.items:
        assert words.count(item.own_wording["en"]) == 1


VERSIONS: list[dict[str, Any]] = [
    {"explanation": "before"},
    {"explanation": "after", "introduction": "Please answer two questions."},
    {"explanation": "own_coin", "instead": {"cheated": "cheated-weaker"}, "consent": "I agree to weaker protection."},
]


def versions(spent: Fraction = Fraction(1)) -> Design:
    """A design of three versions; that with a coin asks a question in another way, and that protects less."""
    cheated, mood = payloads.definition()["items"]
    weaker = {**cheated, "key": "cheated-weaker", "wording": {"en": "Did you ever cheat?"}}
    weaker["channel"] = {"name": "forced_response", "truth": "3/4", "yes": "1/2"}
    made = background.definition(
        {"arms": VERSIONS}, items=[cheated, weaker, mood], consent_statements=[{"en": "I am of age."}]
    )
    return definitions.design_of(made, version=1, opening=definitions.OpeningOptions(spent=spent))


def words_at(design: Design, version: int, stage: str) -> set[str]:
    shown = screens(design, "en", with_coin=False, notes={}, version=version)
    return set(words_of({"screens": [asdict(screen) for screen in shown if screen.stage == stage]}))


def test_screens_of_each_version_have_what_it_asks_and_explains() -> None:
    design, promise = versions(), "Your true answer stays on this device. We receive a randomised answer."
    consent, questions, sent = (
        [words_at(design, place, stage) for place in range(3)] for stage in ("consent", "questions", "sent")
    )
    assert ["Have you cheated?" in one for one in questions] == [True, True, False]
    assert ["Did you ever cheat?" in one for one in questions] == [False, False, True]
    assert [any("where nobody sees it." in line for line in one) for one in questions] == [False, False, True]
    assert ["How your answer is protected" in one for one in questions] == [True, False, False]
    assert [promise in one for one in consent] == [True, False, False]
    assert [promise in one for one in sent] == [False, True, False]
    assert ["Two questions." in one for one in consent] == [True, False, True]
    assert ["Please answer two questions." in one for one in consent] == [False, True, False]
    assert ["I agree to weaker protection." in one for one in consent] == [False, False, True]


def test_review_of_each_version_says_which_it_is_and_what_becomes_of_answers() -> None:
    reviews = [words_at(versions(), place, "review") for place in range(3)]
    names = ["Explained before", "Explained afterwards", "Own coin"]
    assert [[name for name in names if name in one] for one in reviews] == [[name] for name in names]
    assert ["Protected by its ticket" in one for one in reviews] == [True, False, False]
    assert ["Your toss decided this. It is sent unchanged." in one for one in reviews] == [False, False, True]


def test_waves_may_reveal_what_the_version_that_protects_least_does() -> None:
    """The next wave may show another version, so all say the odds of that one."""
    design = versions(spent=Fraction(2))
    assert ratios_of_versions(design) == (12, 12, 28)
    said = (
        "Up to now, the odds of a guess about you can have changed by a factor of at most 2. With this time, it is at "
    )
    assert all(f"{said}most 56." in words_at(design, place, "questions") for place in range(3))


@pytest.mark.django_db
def test_dossier_has_the_page_of_each_version(alice: User) -> None:
    made = background.definition(background.OWN_COIN, background.AGE)
    survey = services.write_survey(made, team=home_team(alice))
    names = [page_of(survey, place)["name"] for place in range(2)]
    assert [name.partition(" · ")[0] for name in names] == ["English", "English"]
    assert len(set(names)) == 2
    drawn = "".join(pdf_text(dossier(survey, expected=1000, today=DAY)).split())
    assert "Tosstwocoinswherenobodyseesthem." in drawn


def test_read_page_refuses_what_is_not_closed() -> None:
    with pytest.raises(ValueError, match="<p> must be closed before </div>"):
        read_page(b"<div><p>text</div>")


def nodes(page: Any) -> list[dict[str, Any]]:
    def of(node: Any) -> list[dict[str, Any]]:
        return [node, *(inner for part in node.get("parts", ()) for inner in of(part))]

    return [node for screen in page["screens"] for part in screen["parts"] for node in of(part)]
