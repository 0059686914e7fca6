"""Every kind of question, answered to the end; tests/factories/kinds.py is the survey."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.respondent.conftest import Memory
from tests.browser.visit import Visit, new_visit, targets
from tests.factories import kinds
from tests.tools.browser import IMAGES
from tests.tools.capture import Capture
from tests.tools.gate import few

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database

SYMBOLS = 1 + 1 + 6 + 8 + 5 + 1 + 1 + 1 + 1
"""One for each single symbol, one for each choice of the sets."""


@pytest.fixture
def document() -> dict[str, Any]:
    return kinds.document()


def first_section(visit: Visit, smokes: str = "Yes") -> Visit:
    visit.open().stage("questions").choose(1, smokes)
    if smokes == "Yes":
        visit.choose(2, "Often")
    return visit.choose(3, "LSD").choose(4, "Bar").press("Next")


def second_section(visit: Visit, *habits: str) -> Visit:
    for habit in habits:
        visit.choose(5, habit)
    visit.choose(6, "3").choose(7, "5 – Very much").write(8, "12")
    if {"Drinking", "Gambling"} & set(habits):
        visit.write(9, "2,5")
    return visit.press("Review your answers").stage("review")


def answers(visit: Visit) -> list[str]:
    return visit.page.locator(".answer-choice").all_inner_texts()


@pytest.mark.parametrize(
    ("smokes", "habits", "reviewed", "unasked"),
    few([
        ("Yes", ["Drinking", "Smoking"],
         ["Yes", "Often", "LSD", "Bar", "Smoking, Drinking", "3", "5 – Very much", "12", "2.5"], ""),
        (
            "Yes", ["None of these"],
            ["Yes", "Often", "LSD", "Bar", "None of these", "3", "5 – Very much", "12"],
            "You did not get one question.",
        ),
        (
            "No", ["Gambling"],
            ["No", "LSD", "Bar", "Gambling", "3", "5 – Very much", "12", "2.5"], "You did not get one question.",
        ),
        ("No", ["Prefer not to say"],
         ["No", "LSD", "Bar", "Prefer not to say", "3", "5 – Very much", "12"], "You did not get 2 questions."),
    ]),
)  # fmt: skip
def test_kinds_every_path_sends_one_shape(
    visit: Visit, site: Capture, memory: Memory, smokes: str, habits: list[str], reviewed: list[str], unasked: str
) -> None:
    second_section(first_section(visit, smokes), *habits)
    assert answers(visit) == reviewed
    assert unasked in visit.page.locator(".answers").inner_text()
    assert visit.page.locator(".answers-unasked").count() == bool(unasked)
    visit.press("Send").stage("sent")
    (post,) = site.posts()
    assert len(json.loads(post.body)["report"]) == 2 * SYMBOLS
    assert [*memory.stored.values()] == [post.body], "the collector's parser takes it"


def test_kinds_receipt_describes_the_symbols(visit: Visit, site: Capture) -> None:
    second_section(first_section(visit), "Smoking")
    visit.press("Send").stage("sent").unfold("Show what was sent")
    (post,) = site.posts()
    symbols = list(bytes.fromhex(json.loads(post.body)["report"]))
    expected = []
    for item in kinds.items():
        labels = [choice["en"] for choice in item["choices"]]
        taken = [symbols.pop(0) for _ in range(1 if item["encoding"] == "single" else len(labels))]
        marked = ", ".join(label for label, symbol in zip(labels, taken, strict=False) if symbol)
        ends = ("the lowest, 0", "the highest, 40")
        said = {
            "single": labels[taken[0]] if labels else f"{taken[0] / 2:g}",
            "each_option": marked or "nothing ticked",
        }.get(item["encoding"], f"a set of choices: {marked}" if marked else "an empty set")
        expected.append(f"Sent after randomisation: {ends[taken[0]] if item['key'] == 'drinks' else said}")
    assert visit.page.locator(".sent-choice").all_inner_texts() == expected


def test_kinds_by_keyboard_alone(visit: Visit, site: Capture) -> None:
    page = visit.open().stage("questions").page

    def to(question: int) -> None:
        tab_to(page, f"#question-{question} input")

    def press(*keys: str) -> None:
        for key in keys:
            page.keyboard.press(key)

    to(1)
    press("Space", "ArrowDown")
    to(2)
    press("ArrowUp")
    to(3)
    press("Space")
    tab_to(page, "#question-4 select")
    page.keyboard.type("Sch")
    tab_to(page, "[data-part=next-button]")
    press("Enter")
    assert page.evaluate("document.activeElement.dataset.part") == "section-title"
    to(5)
    press("Space", "Tab", "Space", "Tab", "Tab", "Tab", "Space")
    to(6)
    press("ArrowRight", "ArrowRight")
    to(7)
    press("Space")
    to(8)
    page.keyboard.type("7")
    tab_to(page, "[data-part=review-button]")
    press("Enter")
    visit.stage("review")
    assert answers(visit)[:2] == ["Yes", "Prefer not to say"]
    assert answers(visit)[3:] == ["School", "None of these", "3", "1 – Not at all", "7"]
    tab_to(page, "[data-part=send-button]", most=15)
    press("Enter")
    visit.stage("sent")
    assert len(site.posts()) == 1


def tab_to(page: Page, selector: str, *, most: int = 12) -> None:
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"{selector} was not reached")


@pytest.mark.long
def test_kinds_on_a_phone(browser: Browser, site: Capture, memory: Memory, tmp_path: Path) -> None:
    phone = {"viewport": {"width": 360, "height": 800}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
    context = browser.new_context(**phone)
    visit = new_visit(site, memory.page, context).open().stage("questions")
    for number, label in ((1, "No"), (3, "None")):
        visit.question(number).get_by_text(label, exact=True).tap()
    visit.choose(4, "Home")
    visit.page.locator("[data-part=next-button]").tap()
    for number, label in ((5, "None of these"), (6, "2"), (7, "4")):
        visit.question(number).get_by_text(label, exact=True).tap()
    assert visit.question(8).locator("input").get_attribute("inputmode") == "numeric"
    assert visit.question(9).locator("input").get_attribute("inputmode") == "decimal"
    visit.write(8, "40")
    visit.page.wait_for_timeout(500)  # until the mark of the last tap has faded
    visit.page.screenshot(path=(Path(IMAGES) if IMAGES else tmp_path) / "respondent-phone-kinds.png")
    visit.page.locator("[data-part=review-button]").tap()
    visit.stage("review").page.locator("[data-part=send-button]").tap()
    visit.stage("sent")
    assert len(memory.stored) == 1
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


# Several choices


def test_exclusive_option_unticks_the_others(visit: Visit) -> None:
    first_section(visit)

    def ticked() -> list[str]:
        return visit.question(5).locator("label:has(:checked)").all_inner_texts()

    visit.choose(5, "Smoking").choose(5, "Fasting")
    assert set(ticked()) == {"Smoking", "Fasting"}
    visit.choose(5, "Prefer not to say")
    assert ticked() == ["Prefer not to say"]
    visit.choose(5, "None of these")
    assert ticked() == ["None of these"]
    visit.choose(5, "Drinking")
    assert ticked() == ["Drinking"]
    assert visit.page.get_by_role("group", name=re.compile("habits")).get_by_role("checkbox").count() == 6


def test_too_many_ticks_are_named_and_not_undone(visit: Visit) -> None:
    first_section(visit)
    assert visit.question(5).locator("[data-part=note]").inner_text() == "Tick at most 2."
    for habit in ("Smoking", "Drinking", "Fasting"):
        visit.choose(5, habit)
    visit.choose(6, "3").choose(7, "2").write(8, "0").write(9, "0").press("Review your answers")
    assert visit.error(5) == "You ticked 3, but you can send at most 2. Untick what fits least."
    assert visit.said("missing") == "Please check one question again."
    assert visit.page.evaluate("document.activeElement.closest('fieldset').id") == "question-5"
    assert visit.question(5).locator("input:checked").count() == 3
    visit.choose(5, "Drinking").press("Review your answers").stage("review")


# Numbers


INVALID = (
    ("41", "41 is too high: the highest number here is 40."),
    ("-1", "-1 is too low: the lowest number here is 0."),
    ("2.5", "2.5 is between two steps. From 0 on, numbers go up in steps of 1."),
    ("two", "“two” is not a number. Write a number from 0 to 40 in digits."),
    ("", "Write a number."),
)
"""What is written, and the error that names it."""


@pytest.mark.long
def test_number_invalid_is_named(visit: Visit) -> None:
    first_section(visit).choose(5, "Fasting").choose(6, "3").choose(7, "2")
    field = visit.question(8).locator("input")
    for written, error in INVALID:
        visit.write(8, written).press("Review your answers")
        assert visit.error(8) == error
        assert field.get_attribute("aria-invalid") == "true"
        assert field.evaluate("field => field === document.activeElement")
        visit.write(8, "٤٠")
        assert field.get_attribute("aria-invalid") == "false"
    visit.press("Review your answers").stage("review")
    assert answers(visit)[-1] == "40"


def test_number_field_has_name_and_description(visit: Visit) -> None:
    first_section(visit)
    field = visit.page.get_by_role("textbox", name=re.compile("Question about drinks"))
    assert visit.question(8).locator("[data-part=note]").inner_text() == "A number from 0 to 40, in steps of 1."
    assert "note-8" in str(field.get_attribute("aria-describedby"))
    assert [field.get_attribute(name) for name in ("name", "id", "autocomplete", "spellcheck")] == [
        None, None, "off", "false",
    ]  # fmt: skip
    field.fill("5")
    field.hover()
    visit.page.mouse.wheel(0, 50)
    assert field.input_value() == "5"


# The order of choices


def shown(visit: Visit, number: int) -> list[str]:
    return visit.question(number).locator(".choice, option:not(:first-child)").all_inner_texts()


@pytest.mark.long
def test_choices_are_shuffled_at_every_load(visit: Visit) -> None:
    """False alarm: four times the same order of five by chance, once in 200 million."""
    orders = set()
    for _ in range(5):
        first_section(visit)
        assert shown(visit, 5)[-2:] == ["None of these", "Prefer not to say"]
        assert sorted(shown(visit, 5)[:-2]) == sorted(kinds.HABITS[:-1])
        visit.press("Back")
        assert shown(visit, 3)[-1] == "Other", "kept last"
        orders.add(tuple(shown(visit, 3)))
        assert shown(visit, 4) == list(kinds.PLACES), "not shuffled"
    assert len(orders) > 1


def test_choice_order_is_stable_within_a_page(visit: Visit) -> None:
    first_section(visit)
    order = shown(visit, 5)
    second_section(visit, "Smoking").press("Back to the questions")
    assert visit.page.evaluate("document.activeElement.dataset.part") == "review-button", "where she came from"
    assert shown(visit, 5) == order
    assert visit.question(3).locator("input").evaluate_all(
        "boxes => boxes.map((box) => box.getAttribute('aria-posinset'))"
    ) == ["1", "2", "3", "4", "5", "6"]


def three_shuffled() -> dict[str, Any]:
    """One question, whose choices are shuffled and mostly sent as they are."""
    weights = [[2978 if x == y else 1 for y in range(3)] for x in range(3)]
    channel = {"name": "custom", "weights": weights}
    choices = [{"en": label} for label in ("a", "b", "c")]
    one = kinds.items()[0] | {"kind": "one_choice", "choices": choices, "channel": channel, "shuffle": True}
    del one["section"]
    document = kinds.document(items=[one])
    del document["sections"]
    return document


@pytest.mark.parametrize("document", [three_shuffled()], ids=["three shuffled"])
def test_shuffled_choice_is_sent_by_its_index(visit: Visit, site: Capture) -> None:
    """Every word of chance is 1000 modulo 2980 * 6: a ticket that sends each answer as it is, and one order."""
    visit.before_load(
        "Crypto.prototype.getRandomValues = (words) =>"
        " words.forEach((_, i) => { words[i] = 1000 + 2980 * 6 * Math.floor(100_000 * Math.random()); })"
    )
    orders = set()
    for label, report in (("a", "00"), ("b", "01"), ("c", "02")):
        visit.open().stage("questions")
        orders.add(tuple(shown(visit, 1)))
        visit.choose(1, label).send().stage("sent")
        assert json.loads(site.posts()[-1].body)["report"] == report
    (order,) = orders
    assert order != ("a", "b", "c"), "else this test would be empty"


# Questions that are asked only after some answers


def test_conditional_question_appears_and_is_cleared(visit: Visit, site: Capture) -> None:
    visit.open().stage("questions")
    visit.page.wait_for_load_state("networkidle")
    loaded = targets(site)
    assert not visit.question(2).is_visible()
    visit.choose(1, "Yes")
    assert visit.question(2).is_visible()
    assert visit.page.evaluate("document.activeElement.closest('fieldset').id") == "question-1", "no jump"
    assert visit.said("appeared") == "Your answer adds one more question below."
    visit.choose(2, "Often").choose(1, "No")
    assert not visit.question(2).is_visible()
    assert visit.said("appeared") == ""
    assert visit.question(2).locator("input:checked").count() == 0
    visit.choose(1, "Yes")
    assert visit.question(2).locator("input:checked").count() == 0
    assert targets(site) == loaded


def test_unasked_question_has_no_tab_stop(visit: Visit) -> None:
    page = visit.open().stage("questions").choose(1, "No").page
    stops = []
    for _ in range(3):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.closest('.question').id"))
    assert stops == ["question-1", "question-3", "question-3"], "fold, radio, fold"


# Sections


@pytest.mark.long
def test_sections_show_one_at_a_time_with_progress(visit: Visit, site: Capture) -> None:
    visit.open().stage("questions")
    visit.page.wait_for_load_state("networkidle")
    loaded = targets(site)
    title = visit.page.locator("[data-part=section-title]:visible")
    assert title.inner_text() == "Smoking"
    assert visit.page.locator("[data-part=section-introduction]").first.inner_text() == "About the last year."
    assert visit.said("answered-said") == "Section 1 of 2, 0 of 7 answered"
    visit.choose(1, "Yes")
    assert visit.said("answered-said") == "Section 1 of 2, 1 of 8 answered"
    visit.press("Next")
    assert visit.said("missing") == "2 questions have no answer yet.", "the second question is optional"
    assert title.inner_text() == "Smoking"
    visit.choose(3, "Other").choose(4, "Car").press("Next")
    assert title.inner_text() == "Everything else"
    assert title.evaluate("title => title === document.activeElement")
    assert visit.said("answered-said") == "Section 2 of 2, 3 of 8 answered"
    assert visit.page.locator("[data-part=answered-bar]").evaluate("bar => [bar.value, bar.max]") == [3, 8]
    assert not visit.page.locator(".opening, #question-1, [data-part=next-button]").locator("visible=true").count()
    visit.press("Back")
    assert title.inner_text() == "Smoking"
    assert visit.page.locator("[data-part=previous-button]").is_hidden()
    assert targets(site) == loaded


@pytest.mark.long
def test_change_leads_to_the_section_of_the_question(visit: Visit) -> None:
    second_section(first_section(visit), "Smoking")
    visit.page.get_by_role("button", name=re.compile("Change the answer to: Question about place")).click()
    assert visit.page.evaluate("document.activeElement.closest('.question').id") == "question-4"
    visit.choose(4, "Home").press("Review your answers").stage("review")
    assert answers(visit)[3] == "Home"


def test_missing_answer_in_earlier_section_is_found(visit: Visit) -> None:
    second_section(first_section(visit, "No"), "Smoking")
    visit.page.get_by_role("button", name=re.compile("Change the answer to: Question about drinks")).click()
    visit.write(8, "").press("Back").press("Review your answers")
    assert visit.page.locator("[data-part=section-title]:visible").inner_text() == "Everything else"
    assert visit.error(8) == "Write a number."


def three_sections() -> dict[str, Any]:
    """A question in each, the second of which depends on the first."""
    sections = [{"key": key, "title": {"en": key}, "introduction": {"en": ""}} for key in ("one", "two", "three")]
    base = kinds.items()[0]
    condition: dict[str, Any] = {"asked_if": {"item": "q1", "answers": [1]}, "unasked": 0}
    items = [
        base | {"key": "q1", "section": "one"},
        base | {"key": "q2", "section": "two"} | condition,
        base | {"key": "q3", "section": "three"},
    ]
    return kinds.document(sections=sections, items=items)


@pytest.mark.parametrize("document", [three_sections()], ids=["three sections"])
def test_section_without_asked_question_is_skipped(visit: Visit) -> None:
    visit.open().stage("questions").choose(1, "No")
    title = visit.page.locator("[data-part=section-title]:visible")
    visit.press("Next")
    assert title.inner_text() == "three"
    assert visit.said("answered-said") == "Section 2 of 2, 1 of 2 answered"
    visit.press("Back").choose(1, "Yes").press("Next")
    assert title.inner_text() == "two"
    visit.choose(2, "No").press("Next").press("Back").press("Back").choose(1, "No").press("Next").choose(3, "Yes")
    visit.send().stage("sent")


def without_sections() -> dict[str, Any]:
    items = [{name: value for name, value in item.items() if name != "section"} for item in kinds.items()]
    document = kinds.document(items=items)
    del document["sections"]
    return document


@pytest.mark.parametrize("document", [without_sections()], ids=["without sections"])
def test_without_sections_page_shows_progress(visit: Visit) -> None:
    visit.open().stage("questions")
    assert visit.said("answered-said") == "0 of 7 answered"
    assert (
        visit.page.locator("[data-part=next-button], [data-part=previous-button]").locator("visible=true").count() == 0
    )
    visit.choose(1, "No").choose(3, "LSD").choose(4, "Bar")
    second_section(visit, "None of these").press("Send").stage("sent")


# What may be left blank


def test_blank_is_sent_as_prefer_not_to_say(visit: Visit) -> None:
    visit.open().stage("questions").choose(1, "Yes")
    assert "optional" in visit.question(2).inner_text()
    assert "optional" not in visit.question(3).inner_text()
    second_section(visit.choose(3, "LSD").choose(4, "Bar").press("Next"), "Smoking")
    assert answers(visit)[1] == "Left blank: counts as “prefer not to say”"
    visit.press("Send").stage("sent")
