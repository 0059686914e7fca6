"""A report that cannot be sent yet: reload, close and come back, two tabs. It is one report, whatever happens."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from collector.models import WaitingReport
from surveys.models import Version
from tests.browser.conftest import Visit, failing, new_tab
from tests.tools.capture import DROP, Capture, Request, Response

KEEP = "Keep it on this device and send it later"
STORED = "() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"
EMPTY = "[{},{}]"


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
    return visit.open().stage("questions").answer("Yes", "Low").press("Review your answers").stage("review")


def waiting(visit: Visit) -> Visit:
    """Send was pressed, and the first try failed."""
    answered(visit).press("Send").stage("sending").page.get_by_role("button", name="Try now").wait_for()
    return visit


def kept(visit: Visit) -> Visit:
    return waiting(visit).press(KEEP).says("kept-said", "Kept on this device.")


def one_report(visit: Visit, site: Capture) -> bytes:
    """All that ever left is one body, the server stored it once, and the device holds nothing of it."""
    (body,) = {post.body for post in site.posts()}
    (report,) = WaitingReport.objects.all()
    assert report.nonce.hex() == json.loads(body)["nonce"]
    assert visit.page.evaluate(STORED) == EMPTY
    return body


def asks_nothing(visit: Visit) -> None:
    assert visit.page.locator("input:visible, [data-part=send-button]:visible").count() == 0
    assert visit.checked() == 0


def test_a_reload_sends_the_same_bytes(visit: Visit, site: Capture) -> None:
    with down(site):
        waiting(visit).page.reload()
        visit.stage("sending")
        asks_nothing(visit)
        visit.says("kept-said", "from this tab was on its way when the page was loaded again")
        site.wait_for_posts(2)
    visit.stage("sent")
    assert len(site.posts()) >= 3
    one_report(visit, site)


def test_the_reload_of_a_lost_answer_is_no_second_report(visit: Visit, site: Capture) -> None:
    """Stored, but nobody heard of it: the page that is loaded again sends the same and gets the receipt."""
    respond = site.respond
    site.respond = lambda request: respond(request) and DROP if request.method == "POST" else respond(request)
    waiting(visit)
    site.respond = respond
    visit.page.reload()
    visit.stage("sent")
    one_report(visit, site)


def test_kept_with_consent_it_survives_the_tab(visit: Visit, site: Capture, version: Version) -> None:
    with down(site):
        page = kept(visit).page
        (key,) = page.evaluate("Object.keys(localStorage)")
        assert version.design_id in key
        assert page.evaluate(f"localStorage['{key}']") == site.posts()[0].body.decode()
        page.close(run_before_unload=True)
        again = new_tab(visit).open().stage("sending")
        again.says("kept-said", "A randomised answer from this device is waiting to be sent.")
        asks_nothing(again)
    again.stage("sent")
    one_report(again, site)
    again.open().stage("questions")


def test_without_consent_a_closed_tab_leaves_nothing(visit: Visit, site: Capture) -> None:
    with down(site):
        waiting(visit).page.close()
    again = new_tab(visit).open().stage("questions")
    assert again.page.evaluate(STORED) == EMPTY


def test_keeping_is_offered_when_a_try_has_failed_and_not_before(visit: Visit, site: Capture) -> None:
    with down(site):
        keep = answered(visit).page.get_by_role("button", name=KEEP)
        expect(keep).to_be_hidden()
        waiting(visit)
        expect(keep).to_be_visible()
        assert visit.page.evaluate("localStorage.length") == 0
        assert json.loads(next(iter(visit.page.evaluate("Object.values(sessionStorage)"))))["report"]


def test_keeping_is_offered_offline(visit: Visit, site: Capture) -> None:
    answered(visit).page.context.set_offline(True)
    visit.press("Send").press(KEEP).says("kept-said", "Kept on this device.")
    visit.page.context.set_offline(False)
    visit.stage("sent")
    one_report(visit, site)


def test_discarding_takes_it_away_for_good(visit: Visit, site: Capture) -> None:
    with down(site):
        kept(visit).press("Discard it").stage("discarded")
        assert visit.page.evaluate(STORED) == EMPTY
        sent = len(site.posts())
    visit.online()
    visit.page.evaluate("document.querySelectorAll('button').forEach((button) => button.click())")
    visit.page.wait_for_timeout(300)
    assert len(site.posts()) == sent
    assert WaitingReport.objects.count() == 0
    visit.open().stage("questions")


def test_a_clear_screen_says_what_is_still_kept(visit: Visit, site: Capture) -> None:
    with down(site):
        kept(visit).press("Clear this screen").stage("cleared")
        visit.says("kept-after", "that you asked to keep is still on this device")
        assert site.posts()[0].body.decode() not in visit.page.content()
        tries = len(site.posts())
    visit.online()
    visit.page.wait_for_timeout(300)
    assert len(site.posts()) == tries, "a cleared page sends nothing"
    visit.open().stage("sent")
    one_report(visit, site)


def test_a_clear_screen_offers_to_discard(visit: Visit, site: Capture) -> None:
    with down(site):
        kept(visit).press("Clear this screen").stage("cleared").press("Discard it").stage("discarded")
        assert visit.page.evaluate(STORED) == EMPTY


def test_a_refused_report_is_no_longer_kept(visit: Visit, site: Capture) -> None:
    with down(site):
        kept(visit)
    site.respond = failing(site.respond, Response(410))
    visit.online().stage("failed")
    assert visit.page.evaluate(STORED) == EMPTY


@pytest.mark.parametrize(
    "script",
    [
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
        "Storage.prototype.setItem = () => {}",
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, "
        "{ get() { throw new DOMException('forbidden', 'SecurityError'); } })",
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { value: null })",
    ],
    ids=["full", "forgetful", "forbidden", "missing"],
)
def test_a_storage_that_does_not_keep(visit: Visit, site: Capture, script: str) -> None:
    visit.page.add_init_script(script)
    with down(site):
        waiting(visit).press(KEEP)
        visit.says("kept-said", "This browser does not let the page keep anything.")
        expect(visit.page.get_by_role("button", name=KEEP)).to_be_hidden()
        site.wait_for_posts(2)
    visit.stage("sent")
    assert len({post.body for post in site.posts()}) == 1
    assert WaitingReport.objects.count() == 1


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


def test_what_this_design_cannot_have_made_is_taken_away_and_never_sent(visit: Visit, site: Capture) -> None:
    with down(site):
        key, body = kept(visit).page.evaluate("Object.entries(localStorage)[0]")
    site.wait_for_posts(1)
    visit.stage("sent")
    site.forget()
    for storage in ("localStorage", "sessionStorage"):
        for text in wrong(body):
            visit.page.evaluate("([name, key, text]) => window[name].setItem(key, text)", [storage, key, text])
            visit.open().stage("questions")
            assert visit.page.evaluate(STORED) == EMPTY, text
    assert site.posts() == []
    visit.page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, body])
    visit.open().stage("sent")
    assert [post.body.decode() for post in site.posts()] == [body], "or none of the above would show anything"


def test_a_second_tab_sends_nothing_and_says_why(visit: Visit, site: Capture) -> None:
    other = answered(new_tab(visit))
    answered(visit).press("Send").stage("sent")
    other.press("Send").stage("elsewhere")
    assert "Another tab of this browser is sending" in other.said("elsewhere-reason")
    asks_nothing(other)
    other.page.evaluate("document.querySelectorAll('button').forEach((button) => button.click())")
    other.page.wait_for_timeout(300)
    one_report(visit, site)


def test_a_second_tab_while_the_first_waits(visit: Visit, site: Capture) -> None:
    other = answered(new_tab(visit))
    with down(site):
        waiting(visit)
        other.press("Send").stage("elsewhere")
        assert other.page.evaluate("sessionStorage.length") == 0
    visit.online().stage("sent")
    one_report(visit, site)


def test_a_finished_tab_that_is_closed_or_cleared_lets_another_send(visit: Visit, site: Capture) -> None:
    other = answered(new_tab(visit))
    answered(visit).press("Send").stage("sent").press("Clear this screen").stage("cleared")
    other.press("Send").stage("sent")
    assert WaitingReport.objects.count() == 2


def test_a_browser_without_locks_sends_too(visit: Visit, site: Capture) -> None:
    visit.page.add_init_script("Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })")
    answered(visit).press("Send").stage("sent")
    one_report(visit, site)


def test_send_in_a_tab_that_was_open_while_another_report_was_kept(visit: Visit, site: Capture) -> None:
    other = answered(new_tab(visit))
    with down(site):
        kept(visit).page.close()
    other.press("Send").stage("sent")
    body = one_report(other, site)
    assert len(site.posts()) >= 2, f"{body!r} of the first tab came again"


def duplicated(visit: Visit) -> Visit:
    """A copy of the tab with its storage, as "Duplicate tab" makes it."""
    with visit.page.context.expect_page() as opened:
        visit.page.evaluate("void window.open(location.href)")
    assert opened.value.evaluate("sessionStorage.length") == 1, "nothing was copied; this test would be empty"
    return new_tab(visit, opened.value)


def test_a_duplicated_tab_waits_and_ends_in_one_report(visit: Visit, site: Capture) -> None:
    with down(site):
        other = duplicated(waiting(visit)).stage("sending")
        other.says("sending-said", "Another tab of this browser is sending it, or has sent it.")
        asks_nothing(other)
        expect(other.page.get_by_role("button", name="Try now")).to_be_hidden()
    visit.online().stage("sent")
    visit.page.close()
    other.stage("sent")
    one_report(other, site)


def test_a_duplicate_of_a_kept_report_finds_it_gone(visit: Visit, site: Capture) -> None:
    with down(site):
        kept(visit)
        other = new_tab(visit).open().stage("sending")
        other.says("sending-said", "Another tab of this browser is sending it, or has sent it.")
    visit.online().stage("sent").press("Clear this screen").stage("cleared")
    other.stage("elsewhere")
    assert "has sent it or discarded it" in other.said("elsewhere-reason")
    one_report(other, site)


def test_tries_that_take_too_long_are_given_up_and_repeated(visit: Visit, site: Capture) -> None:
    """The server takes its time, and takes the report: what is repeated it knows already."""
    visit.page.add_init_script(
        "const { timeout } = AbortSignal; AbortSignal.timeout = () => timeout.call(AbortSignal, 60)"
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
    one_report(visit, site)
