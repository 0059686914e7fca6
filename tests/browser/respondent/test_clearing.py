"""The next user of the device: nothing is left after Send, after leaving, and after coming back."""

import json

import pytest

from tests.browser.visit import KEPT, STORED, Visit, came_back, failing, tampering
from tests.tools.capture import DROP, Capture, Request, Response

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database


def fill(visit: Visit) -> Visit:
    return visit.open().stage("questions").answer("Yes", "Low", group="Later")


def stored_nothing(visit: Visit) -> None:
    stored = visit.page.evaluate(STORED)
    assert "Low" not in stored.pop("title")
    assert not any(stored.values()), stored


def test_after_send_no_answer_is_left(visit: Visit) -> None:
    page = fill(visit).send().stage("sent").page
    assert visit.checked() == 0
    assert page.locator(".answers").inner_html() == ""
    stored_nothing(visit)


def test_refused_report_leaves_only_its_body(visit: Visit, site: Capture) -> None:
    visit.excused = "Failed to load resource"
    site.respond = failing(site.respond, DROP, Response(422))
    fill(visit).send().stage("failed")
    visit.press("Clear this screen").stage("cleared")
    assert list(visit.page.evaluate(KEPT).values()) == [site.posts()[0].body.decode()]
    visit.unfold("Delete it from this device").press("Delete it").stage("discarded")
    stored_nothing(visit)


def test_while_sending_no_answer_is_stored(visit: Visit, site: Capture) -> None:
    visit.excused = "Failed to load resource"
    respond = site.respond
    site.respond = lambda request: DROP if request.method == "POST" else respond(request)
    fill(visit).send().stage("sending")
    (post, *_) = site.wait_for_posts(1)
    assert list(visit.page.evaluate(KEPT).values()) == [post.body.decode()]
    assert visit.page.evaluate("localStorage.length + sessionStorage.length") == 0
    site.respond = respond
    visit.stage("sent")
    stored_nothing(visit)


def test_clear_screen_before_send_leaves_nothing(visit: Visit, site: Capture) -> None:
    page = fill(visit).press("Clear this screen").stage("cleared").page
    stored_nothing(visit)
    assert visit.checked() == 0
    page.evaluate("document.querySelectorAll('button').forEach(button => button.click())")
    assert site.posts() == []


def test_clear_screen_after_send_leaves_nothing(visit: Visit, site: Capture) -> None:
    page = fill(visit).send().stage("sent").page
    body = json.loads(site.posts()[0].body)
    visit.press("Clear this screen").stage("cleared")
    stored_nothing(visit)
    assert body["report"] not in page.locator("main").inner_html()
    assert body["nonce"] not in page.locator("main").inner_html()


@pytest.mark.whole_browser("the back-forward cache")
def test_back_shows_empty_page_with_new_tickets(visit: Visit, site: Capture, restored: bool) -> None:
    page = fill(visit).press("Review your answers").stage("review").page
    page.evaluate("window.kept = true")
    came_back(visit, site)
    assert page.evaluate("window.kept === true") is restored, "or this test would be empty"
    visit.stage("questions")
    assert visit.checked() == 0
    assert page.locator(".answers").inner_html() == ""
    visit.answer("No", "Well").question(2).locator("input").first.press("ArrowDown")
    assert visit.question(2).locator("input:checked").count() == 1, "bound once, not twice"
    assert visit.question(2).locator("input").nth(1).is_checked(), "bound once, not twice"
    visit.send().stage("sent")
    assert len(site.posts()) == 1


@pytest.mark.engines("chromium", "webkit", because="the back-forward cache keeps the page")
@pytest.mark.whole_browser("the back-forward cache")
def test_back_after_send_shows_cleared_screen(visit: Visit, site: Capture) -> None:
    # Chromium keeps no page that fetched a no-store answer; other browsers do, so the header is taken away here.
    site.respond = tampering(site.respond, without_cache_control)
    page = fill(visit).send().stage("sent").page
    body = json.loads(site.posts()[0].body)
    page.evaluate("window.kept = true")
    came_back(visit, site)
    assert page.evaluate("window.kept") is True, "the back-forward cache was not used; this test would be empty"
    visit.stage("cleared")
    assert body["nonce"] not in page.locator("main").inner_html()
    page.evaluate("document.querySelectorAll('button').forEach(button => button.click())")
    assert len(site.posts()) == 1


@pytest.mark.engines("chromium", because="a page with a connection is not kept")
def test_reload_and_back_without_cache_show_empty_page(visit: Visit, site: Capture) -> None:
    page = fill(visit).page
    page.reload()
    visit.stage("questions")
    assert visit.checked() == 0
    visit.answer("Yes", "Low")
    # An open channel to another page keeps this one out of the back-forward cache.
    page.evaluate("window.keptOut = new WebSocket('ws://127.0.0.1:9'), window.addEventListener('unload', () => {})")
    came_back(visit, site)
    visit.stage("questions")
    assert visit.checked() == 0
    visit.faults.clear()


def without_cache_control(_: Request, response: Response) -> Response:
    kept = tuple((name, value) for name, value in response.headers if name.lower() != "cache-control")
    return Response(response.status, response.body, kept)
