"""A survey by invitation: the code comes with the link or is typed, goes with the report, and is nowhere else."""

import json
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import BrowserContext

from collector.invitations import batches
from collector.invitations.codes import hash_of, new_code
from collector.models import WaitingReport
from surveys.models import Version
from tests.browser.accessibility import faults
from tests.browser.visit import Visit, new_visit
from tests.factories.surveys import open_document
from tests.factories.translations import document
from tests.tools.capture import Capture
from tests.tools.webkit import expect

EVERYWHERE = """async () => JSON.stringify([
    document.documentElement.outerHTML, [...document.querySelectorAll("input")].map((input) => input.value),
    location.href, history.state, document.title, document.cookie, window.name, localStorage, sessionStorage,
])"""


@pytest.fixture
def by_invitation(alice: User, transactional_db: None) -> Version:
    return open_document(document("en", "ar") | {"slug": "invited", "invitations": {"kind": "secret"}}, alice)


@pytest.fixture
def codes(by_invitation: Version) -> list[str]:
    """Of the first group alone."""
    made = sorted(new_code() for _ in range(10))
    group = by_invitation.design.document
    first = json.loads(group)["strata"]["groups"][0]["key"]
    batches.add(by_invitation.design_id, [hash_of(code) for code in made], stratum=first, kind="codes")
    return made


@pytest.fixture
def invited(site: Capture, by_invitation: Version, context: BrowserContext) -> Iterator[Visit]:
    visit = new_visit(site, "/s/invited/", context)
    yield visit
    assert visit.faults == []


def link(version: Version, code: str, group: str = "") -> str:
    return f"#{version.design_id}{group and f'&group={group}'}&invitation={code}"


def answer(visit: Visit) -> Visit:
    """Whatever comes first in each question."""
    for number in range(1, visit.page.locator("[data-part=question]").count() + 1):
        field = visit.question(number).locator("input[type=text]")
        field.fill("1") if field.count() else visit.question(number).locator(".choice").first.click()
    return visit


def keys_of(version: Version) -> list[str]:
    return [group["key"] for group in json.loads(version.design.document)["strata"]["groups"]]


def test_invitation_code_leaves_only_with_the_report(
    invited: Visit, site: Capture, by_invitation: Version, codes: list[str]
) -> None:
    code, page = codes[0], invited.page
    page.add_init_script("addEventListener('DOMContentLoaded', () => { window.soon = location.href })")
    group = keys_of(by_invitation)[0]
    page.goto(f"{site.url}/healthz")
    entries = page.evaluate("history.length") + 1
    invited.open(link(by_invitation, code.upper(), group)).stage("questions")
    clean = f"{invited.url}#{by_invitation.design_id}&group={group}"
    assert page.url == page.evaluate("soon") == clean, "before the page was even loaded"
    assert page.evaluate("history.length") == entries, "one more than before at most"
    expect(page.locator("[data-part=invitation-named]")).to_be_visible()
    expect(page.locator("#group input:visible")).to_have_count(1)
    expect(page.locator("#group input:visible")).to_be_disabled()
    assert faults(page) == []
    answer(invited).press("Review your answers").stage("review")
    assert page.locator("[data-part=review-list] li").first.locator("button").count() == 0, "the group is fixed"
    invited.press("Send").stage("sent")
    (post,) = site.posts()
    assert list(json.loads(post.body)) == ["design", "nonce", "stratum", "report", "invitation"]
    assert json.loads(post.body)["invitation"] == code
    everything = [request.head + request.body for request in site.requests]
    assert sum(code.encode() in one.lower() for one in everything) == 1, "in the one body, and in no address or header"
    assert code not in page.evaluate(EVERYWHERE).lower()
    assert WaitingReport.objects.count() == 1


@pytest.mark.long
def test_invitation_code_goes_along_to_other_language(
    invited: Visit, site: Capture, by_invitation: Version, codes: list[str]
) -> None:
    page = invited.open(link(by_invitation, codes[1])).stage("questions").page
    page.locator("a[hreflang=ar]").click()
    page.wait_for_url("**/invited/ar/**")
    invited.stage("questions")
    assert page.url.endswith(f"/s/invited/ar/#{by_invitation.design_id}")
    expect(page.locator("[data-part=invitation-named]")).to_be_visible()
    invited.back()
    invited.stage("questions")
    expect(page.locator("[data-part=invitation-asked]")).to_be_visible()
    assert codes[1] not in page.evaluate(EVERYWHERE), "who comes back to the page finds nothing"


@pytest.mark.long
def test_invitation_code_mistyped_is_error_at_field(
    invited: Visit, site: Capture, by_invitation: Version, codes: list[str]
) -> None:
    code, page = codes[2], invited.open().stage("questions").page
    field, error = page.locator("#inviting input"), page.locator("#inviting-error")
    page.locator("#group .choice").first.click()
    answer(invited).press("Review your answers")
    expect(error).to_have_text("You need an invitation to send a response.")
    expect(field).to_be_focused()
    field.fill(code[:-1])
    invited.press("Review your answers")
    expect(error).to_have_text("A code has 28 letters and digits. Yours has 27.")
    field.fill(code[:-1] + ("2" if code[-1] == "1" else "1"))
    invited.press("Review your answers")
    expect(error).to_have_text("One letter or digit is wrong. Compare the code with your invitation.")
    assert faults(page) == []
    assert site.posts() == []
    field.fill("-".join(code[place : place + 4] for place in range(0, 28, 4)).upper())
    invited.press("Review your answers").stage("review").press("Send").stage("sent")
    (post,) = site.posts()
    assert json.loads(post.body)["invitation"] == code
    assert code not in page.evaluate(EVERYWHERE).lower()


@pytest.mark.long
def test_invitation_code_invalid_ends_in_one_sentence(
    invited: Visit, site: Capture, by_invitation: Version, codes: list[str]
) -> None:
    """Unknown or of another group: the same words, and every body is as long as every other."""
    invited.excused = "Failed to load resource"
    for code, place in ((new_code(), 0), (codes[3], 1)):
        invited.page.goto("about:blank")
        invited.open(link(by_invitation, code, keys_of(by_invitation)[place])).stage("questions")
        answer(invited).send().stage("failed")
        assert invited.said("failed-reason") == (
            "You cannot use your invitation here. It is not for this survey, or it was used before. Nothing was "
            "stored. An unused invitation still works."
        )
        invited.unfold("Delete it from this device").press("Delete it").stage("discarded")
    assert len({len(post.body) for post in site.posts()}) == 1
    assert WaitingReport.objects.count() == 0


@pytest.mark.long
def test_invitation_link_damaged_is_refused(invited: Visit, by_invitation: Version) -> None:
    for damage in ("", "0123", "u" * 28):
        invited.page.goto("about:blank")
        invited.open(link(by_invitation, damage)).stage("refused")
        assert "The invitation in your link is damaged" in invited.said("refusal-reason")
        assert invited.page.url == f"{invited.url}#{by_invitation.design_id}"


def test_invitation_code_in_open_survey_is_refused(visit: Visit, version: Version) -> None:
    visit.open(link(version, new_code())).stage("refused")
    assert "Your link is damaged" in visit.said("refusal-reason")
    assert visit.page.url == f"{visit.url}#{version.design_id}"


@pytest.mark.long
def test_invitation_token_is_pasted_with_its_link(site: Capture, alice: User, context: BrowserContext) -> None:
    modulus = "8" + "0" * 766 + "1"
    open_document(
        document("en", "ar") | {"slug": "blinded", "invitations": {"kind": "blind", "modulus": modulus}}, alice
    )
    visit = new_visit(site, "/s/blinded/", context)
    field = visit.open().stage("questions").page.locator("#inviting input")
    assert visit.page.locator("#inviting a").get_attribute("href") == "/s/blinded/token/"
    field.fill("A" * 597)
    visit.press("Review your answers")
    expect(visit.page.locator("#inviting-error")).to_contain_text("This invitation is not complete")
    field.fill(f"{visit.url}#{'0' * 64}&invitation={'A' * 598}")
    visit.page.locator("#group .choice").first.click()
    answer(visit).press("Review your answers").stage("review")
