"""A report that cannot be sent yet: reload, close and come back, two tabs. It is one report, whatever happens."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.browser.respondent.conftest import Memory
from tests.browser.visit import KEPT, Visit, failing, new_tab
from tests.tools.capture import DROP, Capture, Request, Response
from tests.tools.gate import few
from tests.tools.webkit import expect

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database

PUT = """([name, body]) => new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.result.createObjectStore("report");
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
        const transaction = request.result.transaction("report", "readwrite");
        transaction.objectStore("report").put(body, "body");
        transaction.oncomplete = () => { request.result.close(); resolve(); };
    };
})"""

LOCK_IS_FREE = "async () => !navigator.locks || (await navigator.locks.query()).held.length === 0"
"""The browser takes a closed tab's lock back a moment after it says that the tab is closed."""


@pytest.fixture(autouse=True)
def excused(visit: Visit) -> None:
    """The browser itself notes failed requests in its console."""
    visit.excused = "Failed to load resource"


@contextmanager
def down(site: Capture) -> Iterator[None]:
    """The server drops every report until the context ends."""
    respond = site.respond
    site.respond = lambda request: DROP if request.method == "POST" else respond(request)
    yield
    site.respond = respond


def answered(visit: Visit) -> Visit:
    return visit.to_front().open().stage("questions").answer("Yes", "Low").press("Review your answers").stage("review")


def waiting(visit: Visit) -> Visit:
    """Send was pressed, and the first try failed."""
    answered(visit).press("Send").stage("sending").page.get_by_role("button", name="Try now").wait_for()
    return visit


def one_report(visit: Visit, site: Capture, memory: Memory) -> bytes:
    """All that ever left is one body, the server stored it once, and the device holds nothing of it."""
    (body,) = {post.body for post in site.posts()}
    assert [*memory.stored.values()] == [body]
    assert nothing_kept(visit)
    return body


def nothing_kept(visit: Visit) -> bool:
    return visit.page.evaluate(KEPT) == {} and visit.page.evaluate("localStorage.length + sessionStorage.length") == 0


def discard(visit: Visit) -> Visit:
    return visit.unfold("Delete it from this device").press("Delete it").stage("discarded")


def asks_nothing(visit: Visit) -> None:
    assert visit.page.locator("input:visible, [data-part=send-button]:visible").count() == 0
    assert visit.checked() == 0


def test_pending_report_reload_sends_same_bytes(visit: Visit, site: Capture, memory: Memory) -> None:
    with down(site):
        waiting(visit).page.reload()
        visit.stage("sending")
        asks_nothing(visit)
        visit.says("kept-said", "A response from this device is still waiting.")
        site.wait_for_posts(2)
    visit.stage("sent")
    assert len(site.posts()) >= 3
    one_report(visit, site, memory)


def test_pending_report_lost_reply_is_stored_once(visit: Visit, site: Capture, memory: Memory) -> None:
    """Stored, but nobody heard of it: the page that is loaded again sends the same and gets the receipt."""
    respond = site.respond
    site.respond = lambda request: respond(request) and DROP if request.method == "POST" else respond(request)
    waiting(visit)
    site.respond = respond
    visit.page.reload()
    visit.stage("sent")
    one_report(visit, site, memory)


def test_pending_report_survives_closed_tab(visit: Visit, site: Capture, memory: Memory) -> None:
    with down(site):
        page = waiting(visit).page
        assert page.evaluate(KEPT) == {f"candor-report-{memory.design.digest}": site.posts()[0].body.decode()}
        page.close(run_before_unload=True)
        again = new_tab(visit).open().stage("sending")
        again.says("kept-said", "A response from this device is still waiting.")
        asks_nothing(again)
    again.stage("sent")
    one_report(again, site, memory)
    again.open().stage("questions")


def test_pending_report_is_saved_before_first_request(visit: Visit, site: Capture) -> None:
    """No write after Send is ever finished: then nothing is sent either."""
    answered(visit).page.evaluate("void (IDBTransaction.prototype.objectStore = () => ({ get: () => ({}) }))")
    visit.press("Send").stage("sending").page.wait_for_timeout(300)
    assert site.posts() == []


def test_pending_report_save_failure_sends_nothing(visit: Visit, site: Capture) -> None:
    full = "() => { throw new DOMException('full', 'QuotaExceededError'); }"
    answered(visit).page.evaluate(f"void (IDBObjectStore.prototype.put = {full})")
    visit.press("Send").stage("refused")
    assert "This browser lets the page keep nothing." in visit.said("refusal-reason")
    assert site.posts() == []
    assert visit.checked() == 0


def test_before_send_the_device_keeps_nothing(visit: Visit, site: Capture) -> None:
    assert nothing_kept(answered(visit))


def test_pending_report_offline_is_saved(visit: Visit, site: Capture, memory: Memory) -> None:
    answered(visit).page.context.set_offline(True)
    visit.press("Send").says("ways-out", "You can close this page.")
    assert len(visit.page.evaluate(KEPT)) == 1
    visit.page.context.set_offline(False)
    visit.stage("sent")
    one_report(visit, site, memory)


def test_pending_report_discarded_is_deleted(visit: Visit, site: Capture, memory: Memory) -> None:
    with down(site):
        discard(waiting(visit))
        assert nothing_kept(visit)
        sent = len(site.posts())
    visit.online()
    visit.page.evaluate("document.querySelectorAll('button').forEach((button) => button.click())")
    visit.page.wait_for_timeout(300)
    assert len(site.posts()) == sent
    assert len(memory.stored) == 0
    visit.open().stage("questions")


@pytest.mark.long
def test_pending_report_clear_screen_names_it(visit: Visit, site: Capture, memory: Memory) -> None:
    with down(site):
        waiting(visit).press("Clear this screen").stage("cleared")
        visit.says("kept-after", "A response is still waiting on this device.")
        assert site.posts()[0].body.decode() not in visit.page.content()
        tries = len(site.posts())
    visit.online()
    visit.page.wait_for_timeout(300)
    assert len(site.posts()) == tries, "a cleared page sends nothing"
    visit.open().stage("sent")
    one_report(visit, site, memory)


def test_pending_report_clear_screen_offers_discard(visit: Visit, site: Capture) -> None:
    with down(site):
        discard(waiting(visit).press("Clear this screen").stage("cleared"))
        assert nothing_kept(visit)


def test_refused_report_is_saved_and_can_be_retried(visit: Visit, site: Capture, memory: Memory) -> None:
    site.respond = failing(site.respond, Response(410), Response(404))
    answered(visit).press("Send").stage("failed")
    assert list(visit.page.evaluate(KEPT).values()) == [site.posts()[0].body.decode()]
    visit.press("Try again").says("failed-reason", "is no longer open")
    visit.press("Try again").stage("sent")
    assert len(site.posts()) == 3
    one_report(visit, site, memory)


def test_refused_report_warns_not_to_answer_again(visit: Visit, site: Capture, memory: Memory, engine: str) -> None:
    """A server can make the browser forget what it keeps (Clear-Site-Data with the page); these words are left then."""
    words = "Please do not answer this survey again. Two responses say more about you than one."
    visit.excused = "error: "
    with down(site):
        waiting(visit).says("ways-out", words)
    site.respond = failing(site.respond, *[Response(404, b"", (("Clear-Site-Data", '"*"'),))] * 2)
    visit.page.reload()
    visit.stage("failed").page.locator("p:visible", has_text=words).wait_for()
    visit.page.reload()
    if engine != "chromium":  # the others obey the header on this answer too, and have forgotten
        visit.stage("questions")
        return
    visit.stage("failed").press("Try again").stage("sent")
    one_report(visit, site, memory)


def test_refused_report_is_discarded_with_warning(visit: Visit, site: Capture) -> None:
    site.respond = failing(site.respond, Response(422))
    answered(visit).press("Send").stage("failed")
    visit.unfold("Delete it from this device")
    words = "Then this device does not send it any more."
    visit.page.locator("p:visible", has_text=words).wait_for()
    visit.press("Delete it").stage("discarded")
    assert nothing_kept(visit)
    assert len(site.posts()) == 1


@pytest.mark.parametrize(
    "script",
    [
        "IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); }",
        "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('no', 'SecurityError'); } })",
        "Object.defineProperty(window, 'indexedDB', { value: undefined })",
    ],
    ids=["refused", "forbidden", "missing"],
)
def test_browser_without_storage_is_refused(visit: Visit, site: Capture, script: str) -> None:
    """Each load would draw anew, and a server that takes nothing would see as many reports as there are loads."""
    visit.before_load(script)
    visit.open().stage("refused")
    assert "This browser lets the page keep nothing." in visit.said("refusal-reason")
    asks_nothing(visit)
    assert site.posts() == []


def wrong(body: str) -> list[str]:
    """Texts that the page's design cannot have made, each from one that it has."""
    fields = json.loads(body)
    design, nonce, report = fields["design"], fields["nonce"], fields["report"]
    changed = [
        {"design": "0" * 64},
        {"nonce": nonce.upper().replace(nonce[0].upper(), "X")},
        {"nonce": [nonce]},
        {"nonce": nonce + "00"},
        {"stratum": "y9"},
        {"stratum": ""},
        {"report": report + "00"},
        {"report": report[:2] + "03"},
        {"report": "02" + report[2:]},
        {"report": ""},
        {"more": "yes"},
    ]
    texts = [json.dumps(fields | change, separators=(",", ":")) for change in changed]
    return [
        *texts,
        "",
        "{",
        "null",
        "7",
        '"text"',
        f" {body}",
        f'{{"design":"{design}"}}',
        body.replace("{", '{"a":1,'),
    ]


@pytest.mark.long
def test_stored_report_not_of_this_design_is_deleted(visit: Visit, site: Capture) -> None:
    with down(site):
        ((name, body),) = waiting(visit).page.evaluate(KEPT).items()
    visit.stage("sent")
    site.forget()
    for text in wrong(body):
        visit.page.evaluate(PUT, [name, text])
        visit.open().stage("questions")
        assert nothing_kept(visit), text
    assert site.posts() == []
    visit.page.evaluate(PUT, [name, body])
    visit.open().stage("sent")
    assert [post.body.decode() for post in site.posts()] == [body], "or none of the above would show anything"


def test_second_tab_after_send_sends_nothing(visit: Visit, site: Capture, memory: Memory) -> None:
    other = answered(new_tab(visit))
    answered(visit).press("Send").stage("sent")
    other.to_front().press("Send").stage("elsewhere")
    assert "Another tab of this browser is sending" in other.said("elsewhere-reason")
    asks_nothing(other)
    other.page.evaluate("document.querySelectorAll('button').forEach((button) => button.click())")
    other.page.wait_for_timeout(300)
    one_report(visit, site, memory)


def test_second_tab_while_first_is_sending_stops(visit: Visit, site: Capture, memory: Memory) -> None:
    other = answered(new_tab(visit))
    with down(site):
        waiting(visit)
        other.to_front().press("Send").stage("elsewhere")
        assert len(other.page.evaluate(KEPT)) == 1, "the first tab's alone"
    visit.to_front().online().stage("sent")
    one_report(visit, site, memory)


def test_second_tab_after_cleared_screen_can_send(visit: Visit, site: Capture, memory: Memory) -> None:
    other = answered(new_tab(visit))
    answered(visit).press("Send").stage("sent").press("Clear this screen").stage("cleared")
    other.to_front().press("Send").stage("sent")
    assert len(memory.stored) == 2


def test_a_browser_without_locks_sends_too(visit: Visit, site: Capture, memory: Memory) -> None:
    visit.before_load("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })")
    answered(visit).press("Send").stage("sent")
    one_report(visit, site, memory)


@pytest.mark.parametrize("locks", few([True, False]), ids=["with locks", "without locks"])
def test_open_tab_sends_report_of_closed_tab(visit: Visit, site: Capture, memory: Memory, *, locks: bool) -> None:
    other = new_tab(visit)
    if not locks:
        for tab in (visit, other):
            tab.before_load("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })")
    answered(other)
    with down(site):
        waiting(visit).page.close()
    other.to_front().page.wait_for_function(LOCK_IS_FREE)
    other.press("Send").stage("sent")
    body = one_report(other, site, memory)
    assert len(site.posts()) >= 2, f"{body!r} of the first tab came again"


def duplicated(visit: Visit) -> Visit:
    """A copy of the tab with its storage, as "Duplicate tab" makes it."""
    with visit.page.context.expect_page() as opened:
        visit.page.evaluate("void window.open(location.href)")
    return new_tab(visit, opened.value)


@pytest.mark.long
def test_duplicated_tab_waits_and_one_report_is_stored(visit: Visit, site: Capture, memory: Memory) -> None:
    with down(site):
        other = duplicated(waiting(visit)).stage("sending")
        other.says("sending-said", "Another tab of this browser is sending it, or has sent it.")
        asks_nothing(other)
        expect(other.page.get_by_role("button", name="Try now")).to_be_hidden()
        visit.page.close()
    other.stage("sent")
    one_report(other, site, memory)


@pytest.mark.long
def test_waiting_tab_ends_once_report_is_sent(visit: Visit, site: Capture, memory: Memory) -> None:
    with down(site):
        waiting(visit)
        other = new_tab(visit).open().stage("sending")
        other.says("sending-said", "Another tab of this browser is sending it, or has sent it.")
    visit.to_front().online().stage("sent").press("Clear this screen").stage("cleared")
    other.stage("elsewhere")
    assert "has sent it or deleted it" in other.said("elsewhere-reason")
    one_report(other, site, memory)


@pytest.mark.long
def test_slow_requests_time_out_and_are_repeated(visit: Visit, site: Capture, memory: Memory) -> None:
    """The server takes its time, and takes the report: what is repeated it knows already."""
    visit.before_load(
        "const { timeout } = AbortSignal; const short = [60, 60];"
        "AbortSignal.timeout = (usual) => timeout.call(AbortSignal, short.pop() ?? usual)"
    )
    slow = [0.4, 0.4]
    respond = site.respond

    def answer(request: Request) -> Response | None:
        if request.method == "POST" and slow:
            time.sleep(slow.pop())
        return respond(request)

    site.respond = answer
    answered(visit).press("Send").stage("sent")
    assert len(site.posts()) >= 3
    one_report(visit, site, memory)
