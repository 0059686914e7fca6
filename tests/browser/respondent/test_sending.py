"""Send fixes the bytes: whatever happens on the way, the server sees one report, and the page keeps no answer."""

import pytest

from tests.browser.respondent.conftest import Memory
from tests.browser.visit import Visit, failing
from tests.tools.capture import DROP, Capture, Response
from tests.tools.gate import few

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database


def answered(visit: Visit) -> Visit:
    return visit.open().stage("questions").answer("Yes", "Low").press("Review your answers").stage("review")


@pytest.mark.parametrize(
    "answers",
    few(
        [
            [Response(500), Response(503)],
            [DROP, DROP],
            [Response(200, b"<html>Welcome to the hotel"), Response(201, b"{}")],
            [Response(302, b"", (("Location", "/elsewhere"),))],
        ]
    ),
    ids=["the server fails", "connections drop", "a proxy answers", "a redirect"],
)
def test_send_every_retry_has_the_same_bytes(
    visit: Visit, site: Capture, memory: Memory, answers: list[Response | None]
) -> None:
    answered(visit)
    site.respond = failing(site.respond, *answers)
    visit.press("Send")
    for number in range(len(answers)):
        site.wait_for_posts(number + 1)
        visit.press("Try now")
    visit.stage("sent")
    assert len(site.posts()) == len(answers) + 1
    assert len({post.body for post in site.posts()}) == 1
    assert not any(request.target == "/elsewhere" for request in site.requests)
    assert len(memory.stored) == 1
    visit.faults.clear()  # the browser itself notes failed requests in its console


def test_a_double_click_is_one_request(visit: Visit, site: Capture) -> None:
    answered(visit).page.get_by_role("button", name="Send", exact=True).dblclick()
    visit.stage("sent")
    visit.page.evaluate("document.querySelector('[data-part=send-button]').click()")
    visit.page.wait_for_timeout(200)
    assert len(site.posts()) == 1


def test_send_offline_waits_with_same_bytes(visit: Visit, site: Capture) -> None:
    answered(visit).page.context.set_offline(True)
    visit.press("Send")
    visit.page.locator("[aria-live=polite]").get_by_text("This device is offline.").wait_for()
    assert visit.checked() == 0
    body = visit.page.locator("[data-part=check-body] pre").text_content()
    visit.page.context.set_offline(False)
    visit.stage("sent")
    (post,) = site.posts()
    assert post.body.decode() == body
    visit.faults.clear()


REFUSALS = (
    (403, "The server thought that another site sent this. Open the survey’s own link again."),
    (404, "The survey of this page is no longer open."),
    (409, "The server has a different response with the same number. It keeps that one. This one does not count."),
    (422, "The server found an error in the response and stored nothing. Please tell the researchers."),
    (418, "The server did not take the response (status 418) and stored nothing. Please tell the researchers."),
)
"""What a server can answer, and what the page makes of it."""


@pytest.mark.long
def test_send_refused_is_final_and_explained(visit: Visit, site: Capture) -> None:
    answered(visit)
    site.respond = failing(site.respond, *(Response(status) for status, _ in REFUSALS))
    visit.press("Send")
    for number, (_, words) in enumerate(REFUSALS, start=1):
        visit.says("failed-reason", words).stage("failed")
        visit.page.wait_for_timeout(200)
        assert len(site.posts()) == number, "nothing is tried again by itself"
        visit.press("Try again")
    visit.stage("sent")
    visit.faults.clear()
