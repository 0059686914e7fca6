"""A report is sent to the running site: what left the browser is stored, once."""

import hashlib
import json
import re
import subprocess

import pytest

from collector.models import WaitingReport
from surveys.lifecycle.services import close_survey
from surveys.models import Survey, Version
from tests.browser.visit import Visit
from tests.tools.capture import DROP, Capture
from tests.tools.designs import stored_page


def answered(visit: Visit) -> Visit:
    return visit.open().stage("questions").answer("Yes", "Low").press("Review your answers").stage("review")


def test_send_lost_reply_stores_one_report(visit: Visit, site: Capture) -> None:
    """The report was stored, only the answer to it got lost: the repeated one is recognised."""
    answered(visit)
    respond = site.respond
    site.respond = lambda request: respond(request) and DROP if request.method == "POST" else respond(request)
    visit.press("Send")
    site.wait_for_posts(1)
    site.respond = respond
    visit.stage("sent")
    assert len(site.posts()) == 2
    assert WaitingReport.objects.count() == 1
    visit.faults.clear()


@pytest.mark.long
def test_send_survey_closed_meanwhile_is_refused(visit: Visit, site: Capture, version: Version) -> None:
    answered(visit)
    close_survey(Survey.objects.get(pk=version.survey_id))
    visit.press("Send").stage("failed")
    assert visit.said("failed-reason") == "The survey is closed. It takes no more responses."
    assert WaitingReport.objects.count() == 0
    visit.faults.clear()
    assert "This survey is closed" in visit.open().page.content()


def run(command: str) -> str:
    """What a shell prints for a command of "Check this page"."""
    return subprocess.run(command, shell=True, check=True, capture_output=True, text=True, timeout=30).stdout


def test_send_posts_exactly_these_bytes_and_shows_them(visit: Visit, site: Capture, version: Version) -> None:
    page = visit.open().stage("questions").answer("Yes", "Low").send().stage("sent").page
    (post,) = site.posts()
    digest = version.design_id
    assert re.fullmatch(
        rf'{{"design":"{digest}","nonce":"[0-9a-f]{{32}}","stratum":"y1","report":"0[01]0[012]"}}'.encode(), post.body
    )
    assert post.target == f"/s/{version.survey.slug}/reports"
    assert page.get_by_text("Nobody can be sure whether you or the ticket chose it").is_hidden(), (
        "the receipt is for those who ask"
    )
    visit.unfold("Show what was sent")
    symbols = bytes.fromhex(json.loads(post.body)["report"])
    choices = [("No", "Yes")[symbols[0]], ("Well", "So-so", "Low")[symbols[1]]]
    assert page.locator(".sent-choice").all_inner_texts() == [
        f"Sent after randomisation: {choice}" for choice in choices
    ]
    assert visit.said("sent-receipt") == hashlib.sha256(post.body).hexdigest()
    visit.unfold("Check this page")
    assert page.locator("[data-part=check-body] pre").inner_text() == post.body.decode()
    receipt = hashlib.sha256(post.body).hexdigest()
    commands = [visit.said(f"check-{name}") for name in ("design", "page", "receipt", "repeat")]
    printed = [run(command) for command in commands]
    digests = [version.design_id, hashlib.sha256(stored_page(version)).hexdigest(), receipt]
    assert printed[:3] == [f"{digest}  -\n" for digest in digests]
    assert json.loads(printed[3]) == {"receipt": receipt}
    assert [post.body for post in site.posts()] == [post.body] * 2
    assert WaitingReport.objects.count() == 1, "what is repeated is counted once"
    assert visit.said("check-design") == f"curl -s {visit.url}design.json | sha256sum"
