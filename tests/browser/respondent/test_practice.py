"""The practice question and the check question: they explain, they can be left out, and they leave nothing behind."""

import copy
import re
from typing import Any

import pytest
from playwright.sync_api import Locator

from collector.designs import Design
from surveys.rendering.pages import render_page
from tests.browser.visit import STORED, Visit, came_back, replacing, tampering, targets
from tests.factories import payloads
from tests.tools.capture import Capture
from tests.tools.gate import few

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database

RECORDED_WORDS = """
window.filled = 0;
Crypto.prototype.getRandomValues = (array) => {
    window.filled += 1;
    return array.forEach((_, i) => { array[i] = (i + 7) * 2654435761; }) ?? array;
};
"""
"""The same words in every visit, so that two visits draw the same tickets; counts how often words were fetched."""

LINE = re.compile(r"If you answer “(.+)”, it sends “(.+)”")


def fold(visit: Visit) -> Locator:
    return visit.page.locator("[data-part=practice]")


def practising(visit: Visit) -> Visit:
    visit.open().stage("questions").unfold("Try it first")
    visit.page.locator(".open-ticket li").first.wait_for()
    return visit


def lines(visit: Visit) -> dict[str, str]:
    """What the ticket that is shown sends, by answer."""
    return dict(LINE.fullmatch(line).groups() for line in visit.said("practice-lines").split("\n"))


def test_practice_is_folded_and_optional(visit: Visit, site: Capture) -> None:
    visit.open().stage("questions")
    assert fold(visit).evaluate("fold => !fold.open && fold.checkVisibility()")
    assert visit.said("practice-ticket") == "", "no ticket before somebody asks for it"
    visit.answer("Yes", "Low").send().stage("sent")
    assert len(site.posts()) == 1


def test_practice_ticket_precedes_and_ignores_answer(visit: Visit) -> None:
    practising(visit)
    ticket, sends = visit.said("practice-ticket"), lines(visit)
    assert re.fullmatch(r"Ticket [1-4] of 4, drawn before you answer", ticket)
    assert visit.said("practice-said") == "Choose an answer and see what this ticket does with it."
    for answer in ("Yes", "No", "Yes"):
        visit.practise(answer)
        assert (visit.said("practice-ticket"), lines(visit)) == (ticket, sends)
        word = "and" if sends[answer] == answer else "but"
        assert f"You chose “{answer}”, {word} this ticket sends “{sends[answer]}”." in visit.said("practice-said")
        assert "In the box, 3 of 4 tickets send your own answer." in visit.said("practice-said")
        assert visit.page.locator(".open-ticket .chosen").inner_text().startswith(f"If you answer “{answer}”")


@pytest.mark.long
def test_practice_draws_every_ticket(visit: Visit) -> None:
    practising(visit)
    seen = {}
    for _ in range(80):
        visit.press("Draw another ticket")
        seen[visit.said("practice-ticket")[7]] = lines(visit)
    never, always = {"No": "No", "Yes": "No"}, {"No": "Yes", "Yes": "Yes"}
    own = {"No": "No", "Yes": "Yes"}
    assert seen == {"1": never, "2": own, "3": own, "4": always}, "80 draws miss one of 4 tickets once in 10^9"


def test_practice_reply_right_or_wrong_is_explained(visit: Visit) -> None:
    practising(visit)
    question = visit.page.locator("[data-part=check-question]")
    assert "A “Yes” arrives. What do the researchers know" in question.inner_text()
    for wrong in ("That the true answer is “Yes”", "That the true answer is “No”"):
        visit.reply(wrong)
        assert visit.said("check-said") == "Not quite: the ticket may have chosen it. Here are the odds again."
        assert "about 25 send “Yes” too" in visit.said("check-odds")
        assert [array.locator(".person-sends").count() for array in question.locator(".icon-array").all()] == [75, 25]
    visit.reply("Nothing for sure: the ticket may have chosen it")
    assert "Right. Of 100 people whose true answer is “No”, about 25 send “Yes” too." in visit.said("check-said")
    assert question.locator(".icon-array").count() == 0


def with_first_item(visit: Visit, site: Capture, address: str, **changes: Any) -> Visit:
    """A visit to a page whose first question is another one."""
    document = copy.deepcopy(payloads.document())
    document["items"] = [document["items"][1] | changes]
    page = render_page(Design.of(document))
    site.respond = tampering(site.respond, replacing(address, lambda _: page))
    return practising(visit)


def test_practice_three_choices_use_own_channel(visit: Visit, site: Capture, address: str) -> None:
    with_first_item(visit, site, address)
    assert visit.page.locator("[data-part=practice-choices] label").all_inner_texts() == ["Blue", "Green", "Red"]
    assert re.fullmatch(r"Ticket [1-6] of 6, drawn before you answer", visit.said("practice-ticket"))
    assert set(lines(visit)) == {"Blue", "Green", "Red"}
    assert "A “Well” arrives." in visit.page.locator("[data-part=check-question]").inner_text()


def test_practice_many_choices_use_two_coins(visit: Visit, site: Capture, address: str) -> None:
    weights = [[2 if x == y else 1 for y in range(9)] for x in range(9)]
    choices = [{"en": f"Choice {x}"} for x in range(9)]
    with_first_item(visit, site, address, choices=choices, channel={"name": "custom", "weights": weights})
    assert re.fullmatch(r"Ticket [1-4] of 4, drawn before you answer", visit.said("practice-ticket"))
    assert set(lines(visit)) == {"No", "Yes"}


def sent_body(visit: Visit, site: Capture, *, practise: bool) -> bytes:
    site.forget()
    visit.open().stage("questions")
    if practise:
        visit.unfold("Try it first").practise("Yes").reply("That the true answer is “Yes”")
        visit.press("Draw another ticket").press("Draw another ticket")
    visit.answer("Yes", "Low").send().stage("sent")
    (post,) = site.posts()
    assert visit.page.evaluate("window.filled") == (4 if practise else 1), "the practice has draws of its own"
    return post.body


def test_practice_does_not_change_what_is_sent(visit: Visit, site: Capture) -> None:
    visit.before_load(RECORDED_WORDS)
    assert sent_body(visit, site, practise=True) == sent_body(visit, site, practise=False)


def test_practice_sends_and_stores_nothing(visit: Visit, site: Capture) -> None:
    page = visit.open().stage("questions").page
    page.wait_for_load_state("networkidle")
    loaded = targets(site)
    visit.unfold("Try it first").practise("Yes").press("Draw another ticket").practise("No")
    visit.reply("That the true answer is “Yes”").reply("Nothing for sure: the ticket may have chosen it")
    page.wait_for_timeout(300)
    assert targets(site) == loaded
    stored = page.evaluate(STORED)
    stored.pop("title")
    assert not any(stored.values()), stored


@pytest.mark.parametrize(
    "how",
    few(
        [
            "review and send",
            "clear this screen",
            pytest.param("go away and come back", marks=pytest.mark.whole_browser("the back-forward cache")),
        ]
    ),
)
def test_practice_is_cleared_with_the_rest(visit: Visit, site: Capture, restored: bool, how: str) -> None:
    practising(visit).practise("Yes").reply("That the true answer is “Yes”")
    if how == "review and send":
        visit.answer("Yes", "Low").send().stage("sent")
    elif how == "clear this screen":
        visit.press("Clear this screen").stage("cleared")
    else:
        visit.page.evaluate("window.kept = true")
        came_back(visit, site)
        assert visit.page.evaluate("window.kept === true") is restored, "or this test would be empty"
        visit.stage("questions")
    assert visit.checked() == 0
    for name in ("practice-ticket", "practice-lines", "practice-said", "check-said", "check-odds"):
        assert visit.page.locator(f"[data-part={name}]").text_content() == "", name
    assert not fold(visit).evaluate("fold => fold.open")
