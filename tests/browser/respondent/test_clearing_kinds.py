"""Nothing is left of an answer to any kind of question."""

from typing import Any

import pytest

from tests.browser.visit import Visit, came_back
from tests.factories import kinds
from tests.tools.capture import Capture
from tests.tools.gate import few

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database


@pytest.fixture
def document() -> dict[str, Any]:
    return kinds.document()


def fill_every_kind(visit: Visit) -> Visit:
    """To the second section, with a tick, a written number and a question that appeared."""
    visit.open().stage("questions").choose(1, "Yes").choose(2, "Often").choose(3, "LSD").choose(4, "Bar").press("Next")
    return visit.choose(5, "Gambling").choose(6, "3").choose(7, "2").write(8, "17").write(9, "2.5")


def left_in(visit: Visit) -> list[str]:
    """What inputs hold, now and as their default, and what errors and the review say."""
    return list(
        visit.page.evaluate("""() => [
            ...[...document.querySelectorAll("input")].flatMap((input) => [
                input.checked, input.defaultChecked, input.value === "on" ? "" : input.value, input.defaultValue,
            ]),
            ...[...document.querySelectorAll(".question .error, .answers, [data-part=missing]")]
                .map((one) => one.textContent),
        ].filter(Boolean)""")
    )


@pytest.mark.long
@pytest.mark.whole_browser("the back-forward cache")
def test_back_shows_every_kind_empty_in_first_section(visit: Visit, site: Capture, restored: bool) -> None:
    fill_every_kind(visit).write(8, "41").press("Review your answers")
    assert {"41", "2.5", True} <= set(left_in(visit)), "else this test would be empty"
    assert "41 is too high" in visit.error(8)
    visit.page.evaluate("window.kept = true")
    came_back(visit, site)
    assert visit.page.evaluate("window.kept === true") is restored, "or this test would be empty"
    visit.stage("questions")
    assert left_in(visit) == []
    assert not visit.question(2).is_visible(), "nothing tells that it was asked"
    assert visit.said("answered-said") == "Section 1 of 2, 0 of 7 answered"
    fill_every_kind_again(visit)
    visit.send().stage("sent")
    assert len(site.posts()) == 1


def fill_every_kind_again(visit: Visit) -> None:
    """Bound once, not twice: a tick is a tick."""
    visit.choose(1, "No").choose(3, "LSD").choose(4, "Bar").press("Next").choose(5, "Smoking").choose(6, "3")
    visit.choose(7, "2").write(8, "17")
    assert visit.question(5).locator("input:checked").count() == 1


@pytest.mark.parametrize("way", few(["Clear this screen", "Send"]))
def test_no_kind_of_question_leaves_an_answer(visit: Visit, site: Capture, way: str) -> None:
    fill_every_kind(visit)
    if way == "Send":
        visit.send().stage("sent")
    else:
        visit.press(way).stage("cleared")
    assert left_in(visit) == []


@pytest.mark.long
@pytest.mark.engines("chromium", because="keys that the driver presses undo")
@pytest.mark.whole_browser("the back-forward cache")
def test_undo_does_not_bring_a_number_back(visit: Visit, site: Capture) -> None:
    fill_every_kind(visit)
    field = visit.question(8).locator("input")
    field.fill("")
    field.press_sequentially("23")
    field.press("Control+z")
    assert field.input_value() != "23", "else undo does nothing here and this test would be empty"
    field.press("Control+y")
    assert field.input_value() == "23"
    visit.page.evaluate("window.kept = true")
    came_back(visit, site)
    assert visit.page.evaluate("window.kept") is True, "the back-forward cache was not used; this test would be empty"
    visit.stage("questions").choose(1, "No").choose(3, "LSD").choose(4, "Bar").press("Next")
    field.focus()
    for keys in ("Control+z", "Control+z", "Control+y"):
        field.press(keys)
        assert field.input_value() == ""
