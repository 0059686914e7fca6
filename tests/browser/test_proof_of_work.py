"""A survey that asks browsers for work: the page does the sum, says so to whoever waits, and sends the same bytes."""

import json
from typing import Any

import pytest

from collector.endpoint.proof_of_work import MOST_BITS
from collector.models import WaitingReport
from surveys.lifecycle.proof_of_work import ask_for_work
from surveys.lifecycle.services import write_survey
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from tests.browser.accessibility import faults
from tests.browser.visit import Visit, failing, new_visit
from tests.factories import payloads
from tests.tools.capture import Capture, Request, Response
from tests.vectors.make_work import smallest

BITS = 12

SLOW = """
const digest = SubtleCrypto.prototype.digest;
SubtleCrypto.prototype.digest = async function slowed(name, bytes) {
  const copy = bytes.slice();
  if (copy.length === 103) await (window.held ??= new Promise((resolve) => { window.letGo = resolve; }));
  return digest.call(this, name, copy);
};
"""
"""A device that does no sum before `letGo()`, and everything else as ever."""

COUNT = """() => {
  window.changes = 0;
  const count = new MutationObserver(() => { window.changes += 1; });
  count.observe(document.querySelector('[data-part=sending-said]'), { childList: true, characterData: true });
}"""
"""Count how often the status is written."""


def answered(visit: Visit) -> Visit:
    return visit.open().stage("questions").answer("Yes", "Low").press("Review your answers").stage("review")


def sum_of(post: Request, bits: int) -> str:
    said = json.loads(post.body)
    return smallest(said["design"], bytes.fromhex(said["nonce"]), bits)


def header_names(post: Request) -> list[str]:
    return [name for name, _ in post.headers if name != "Candor-Work"]


@pytest.mark.long
def test_proof_of_work_opened_with_it_sends_it_at_once(site: Capture, version: Version, context: Any) -> None:
    draft = write_survey(payloads.definition(slug="guarded"), team=version.survey.team)
    ask_for_work(draft, BITS)
    open_survey(Survey.objects.get(slug="guarded"))
    visit = answered(new_visit(site, "/s/guarded/", context)).press("Send").stage("sent")
    (post,) = site.posts()
    assert post.header("Candor-Work") == sum_of(post, BITS)
    visit.unfold("Check this page")
    assert f"-H 'Candor-Work: {sum_of(post, BITS)}'" in visit.said("check-repeat")
    assert WaitingReport.objects.count() == 1
    assert visit.faults == []


@pytest.mark.long
def test_proof_of_work_set_later_is_done_on_retry(visit: Visit, site: Capture, version: Version) -> None:
    answered(visit)
    ask_for_work(version.survey, BITS)
    visit.press("Send").stage("sent")
    first, second = site.posts()
    assert first.body == second.body
    assert (first.header("Candor-Work"), second.header("Candor-Work")) == (None, sum_of(second, BITS))
    assert header_names(first) == header_names(second)
    assert WaitingReport.objects.count() == 1
    visit.faults.clear()  # the browser itself notes failed requests in its console


@pytest.mark.long
def test_proof_of_work_pending_report_after_reload(visit: Visit, site: Capture, version: Version) -> None:
    answered(visit)
    ask_for_work(version.survey, BITS)
    respond = site.respond
    site.respond = failing(site.respond, *[Response(503)] * 9)
    visit.press("Send").page.get_by_role("button", name="Try now").wait_for()
    site.respond = respond
    visit.open().stage("sent")
    assert len({post.body for post in site.posts()}) == 1
    assert site.posts()[-1].header("Candor-Work") == sum_of(site.posts()[-1], BITS)
    visit.faults.clear()


@pytest.mark.long
def test_proof_of_work_shows_progress_while_computing(visit: Visit, site: Capture, version: Version) -> None:
    visit.page.add_init_script(SLOW)
    answered(visit)
    Survey.objects.update(work_bits=1)  # found in the first batch
    visit.press("Send")
    status = visit.page.locator("[aria-live=polite]").get_by_text("Your browser solves a sum that slows robots down.")
    status.wait_for()
    visit.page.evaluate(COUNT)
    visit.says("sending-seconds", "2 s")
    assert status.is_visible()
    assert visit.page.evaluate("changes") == 0, "a screen reader reads the sentence once, and no seconds"
    assert visit.page.get_by_role("progressbar", name="Sending").is_visible()
    assert faults(visit.page) == []
    visit.page.evaluate("letGo()")
    visit.stage("sent")
    visit.faults.clear()


@pytest.mark.long
def test_proof_of_work_too_hard_is_refused(visit: Visit, site: Capture) -> None:
    answered(visit)
    asked = json.dumps({"error": {"field": "Candor-Work", "message": "", "bits": MOST_BITS + 1}}).encode()
    site.respond = failing(site.respond, Response(429, asked, (("Content-Type", "application/json"),)))
    visit.press("Send").stage("failed")
    assert visit.said("failed-reason").startswith("The server asks this browser for a sum that is too long")
    assert len(site.posts()) == 1
    visit.faults.clear()
