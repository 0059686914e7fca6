"""Arms in a browser: which version of the page is drawn, what each one shows and when, and what is sent of it."""

import json
from dataclasses import asdict

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page

from collector.designs.selectors import get_design
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from surveys.rendering.page_pictures import screens
from tests.browser.accessibility import CLEAN, on_every_screen
from tests.browser.visit import Visit
from tests.factories import background
from tests.tools.browser import IMAGES
from tests.tools.capture import Capture
from tests.tools.paper import words_of
from tests.tools.webkit import expect

ARMS = {
    "arms": [
        {"explanation": "before", "weight": 1},
        {"explanation": "after", "weight": 1, "introduction": "Please answer two questions."},
    ]
}
FIRST_WORD = """
const real = crypto.getRandomValues.bind(crypto);
let calls = 0;
crypto.getRandomValues = (array) => {
    const made = real(array);
    calls += 1;
    if (calls === 2) {
        array[0] = 1;
    }
    return made;
};
"""
"""Sets the first word of the second source of chance: of two equal arms its last bit draws the second."""


@pytest.fixture
def version(alice: User, request: pytest.FixtureRequest) -> Version:
    """A survey that explains before or after, or that of the definition that a test names."""
    definition = getattr(request, "param", lambda: background.definition(ARMS, background.AGE))
    return open_survey(write_survey(definition(), team=home_team(alice)))


of_own_coin = pytest.mark.parametrize(
    "version", [lambda: background.definition(background.OWN_COIN, background.AGE)], indirect=True, ids=["own coin"]
)
of_weaker = pytest.mark.parametrize("version", [background.weaker], indirect=True, ids=["weaker"])


def picture(visit: Visit, name: str) -> None:
    if IMAGES:
        for width, scheme in ((390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")):
            visit.page.set_viewport_size({"width": width, "height": 800})
            visit.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            visit.page.screenshot(path=f"{IMAGES}/arms-{name}-{width}-{scheme}.png", full_page=True)


def lines(part: Locator) -> list[str]:
    """What a part says, without the empty lines that engines put between its paragraphs or not."""
    return [line for line in part.inner_text().splitlines() if line]


TEXTS = """(part) => {
    const found = [], walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const within = walker.currentNode.parentElement;
        const seen = within.checkVisibility({ visibilityProperty: true }) && !within.closest(".out-of-sight");
        found.push(seen ? walker.currentNode.data : "");
    }
    return found;
}"""
"""The pieces of text that are shown; engines put those of a drawing into one line or several."""


def beside_pictures(page: Page, version: Version, place: int, stage: str) -> list[str]:
    """What is seen of the page now and not of its pictures for an ethics board."""
    shown = screens(get_design(version.design_id), "en", with_coin=True, notes={}, version=place)
    drawn = words_of({"screens": [asdict(screen) for screen in shown if screen.stage == stage]})
    told = "".join("".join(drawn).split())
    return [text for text in page.locator("main").evaluate(TEXTS) if "".join(text.split()) not in told]


@pytest.mark.long
def test_page_that_explains_before_is_as_without_arms(visit: Visit, site: Capture, version: Version) -> None:
    page = visit.open_arm("before").page
    expect(page.get_by_text("Your true answer stays on this device.")).to_be_visible()
    expect(page.get_by_text("Try it first")).to_be_visible()
    expect(page.get_by_text("Please answer two questions.", exact=True)).to_be_hidden()
    visit.choose(1, "Yes").choose(2, "Low").press("Review your answers").stage("review")
    assert lines(page.locator("[data-part=review-list] li").first) == [
        "Version of this page",
        "Explained before",
        "Drawn by this device, sent openly",
    ]
    expect(page.get_by_text("Protected by its ticket").first).to_be_visible()
    visit.press("Send").stage("sent")
    expect(page.get_by_text("Your true answer stays on this device.")).to_be_hidden()
    design = get_design(version.design_id)
    (post,) = site.posts()
    assert json.loads(post.body)["stratum"] == design.background.keys[design.background.cell_of((0, 4))]


@pytest.mark.long
def test_page_that_explains_afterwards_says_so_before_it_asks(visit: Visit, site: Capture, version: Version) -> None:
    page = visit.open_arm("after").page
    promise = page.get_by_role("heading", name="Your true answer stays on this device.")
    assert beside_pictures(page, version, 1, "questions") == []
    expect(page.get_by_text("Please answer two questions.", exact=True)).to_be_visible()
    expect(page.get_by_text("This page explains how after you press Send.").first).to_be_visible()
    expect(promise).to_be_hidden()
    expect(page.get_by_text("Try it first")).to_be_hidden()
    assert dict(on_every_screen(page)) == CLEAN
    assert page.get_by_text("How your answer is protected").locator("visible=true").count() == 0
    assert "ticket" not in page.locator("body").inner_text()
    picture(visit, "after-questions")
    visit.choose(1, "Yes").choose(2, "Low")
    page.locator("#background-1").get_by_text("30–44").click()
    visit.press("Review your answers").stage("review")
    assert lines(page.locator("[data-part=review-list] li").first)[1] == "Explained afterwards"
    expect(page.get_by_text("Protected by its ticket").first).to_be_hidden()
    expect(page.get_by_text("What you send is a randomised answer, and this page")).to_be_visible()
    assert "ticket" not in page.locator("body").inner_text()
    picture(visit, "after-review")
    visit.press("Send").stage("sent")
    expect(promise).to_be_visible()
    assert beside_pictures(page, version, 1, "sent") == []
    assert dict(on_every_screen(page)) == CLEAN
    picture(visit, "after-sent")
    visit.unfold("Show what was sent")
    assert "Sent openly, without a ticket: Explained afterwards · 30–44" in visit.said("sent-list")
    design = get_design(version.design_id)
    (post,) = site.posts()
    assert json.loads(post.body)["stratum"] == design.background.keys[design.background.cell_of((1, 1))]


@pytest.mark.long
def test_bodies_of_both_arms_differ_by_the_cell_alone(visit: Visit, site: Capture, version: Version) -> None:
    """And whatever is fetched before is the same, so that who watches the network sees no arm."""
    for _ in range(8):
        visit.open().stage("questions")
        visit.choose(1, "Yes").choose(2, "Low").send().stage("sent")
    posts = [json.loads(post.body) for post in site.posts()]
    assert len({len(post.body) for post in site.posts()}) == 1
    assert {tuple(post) for post in posts} == {("design", "nonce", "stratum", "report")}
    fetched = {request.target for request in site.requests if request.method == "GET"}
    assert not [target for target in fetched if "arm=" in target or "before" in target.rsplit("/", 1)[-1]]
    assert visit.page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]


def test_arm_is_kept_as_long_as_the_page_is_open(visit: Visit, version: Version) -> None:
    page = visit.open_arm("after").page
    visit.choose(1, "Yes").choose(2, "Low").press("Review your answers").stage("review")
    visit.press("Back to the questions").stage("questions")
    expect(page.locator("html")).to_have_attribute("data-arm", "after")
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    visit.stage("questions")
    expect(page.locator("html")).to_have_attribute("data-arm", "after")


def statements(visit: Visit) -> list[str]:
    return [one.inner_text() for one in visit.page.locator("[data-part=statements] label").all() if one.is_visible()]


def entered(visit: Visit, agreed: list[str]) -> Page:
    """A page of the version with these statements to agree to, in front of them; as rarely missed as by `drawn`."""
    for _ in range(40):
        if statements(visit.open().stage("consent")) == agreed:
            return visit.page
    raise AssertionError(f"no page asked for {agreed}")


@pytest.mark.long
@of_weaker
def test_version_that_protects_less_is_agreed_to_by_itself(visit: Visit, site: Capture, version: Version) -> None:
    page = entered(visit, ["I am 18 or older.", "I know that fewer tickets decide in my version."])
    picture(visit, "consent")
    page.get_by_label("I am 18 or older.").check()
    visit.press("I agree")
    expect(page.locator("#statements-error")).to_be_visible()
    page.get_by_label("I know that fewer tickets decide in my version.").check()
    visit.press("I agree").stage("questions")
    expect(page.locator("#question-1")).to_be_hidden()
    expect(page.locator("#question-2")).to_be_visible()
    picture(visit, "less")
    page.locator("#question-2 details").first.evaluate("fold => { fold.open = true; }")
    assert "6 send your answer" in page.locator("#question-2 [data-part=question-odds]").inner_text()
    assert "6 send your answer" in page.locator("[data-part=tickets-said]").inner_text()
    visit.choose(2, "Yes").choose(3, "Low").press("Review your answers").stage("review")
    rows = [one.inner_text().split("\n")[0] for one in page.locator("[data-part=review-list] li").all()]
    assert rows[:3] == ["Version of this page", "Have you cheated?", "How do you feel?"]
    assert rows[3].startswith("You did not get one question.")
    visit.press("Send").stage("sent")
    design = get_design(version.design_id)
    (post,) = site.posts()
    body = json.loads(post.body)
    assert body["stratum"] == design.background.keys[1]
    assert len(page.locator("[data-part=sent-list] li").all()) == 4


@pytest.mark.long
@of_weaker
def test_version_that_protects_as_usual_asks_for_no_more_consent(visit: Visit, site: Capture, version: Version) -> None:
    page = entered(visit, ["I am 18 or older."])
    page.get_by_label("I am 18 or older.").check()
    visit.press("I agree").stage("questions")
    expect(page.locator("#question-1")).to_be_visible()
    expect(page.locator("#question-2")).to_be_hidden()
    assert page.locator("[data-part=appeared]").inner_text() == ""
    visit.choose(1, "No").choose(3, "Well").press("Review your answers").stage("review").press("Send").stage("sent")
    (post,) = site.posts()
    assert json.loads(post.body)["stratum"] == get_design(version.design_id).background.keys[0]


@pytest.mark.long
@of_own_coin
def test_version_with_a_coin_says_what_to_toss_and_sends_what_is_marked(
    visit: Visit, site: Capture, version: Version
) -> None:
    """Eight visits with the same marks: by tickets all would be sent as they are once in 256 times."""
    design = get_design(version.design_id)
    for _ in range(8):
        visit.open_arm("own_coin")
        visit.choose(1, "Yes").choose(2, "Low").press("Review your answers").stage("review")
        visit.press("Send").stage("sent")
    posts = [json.loads(post.body) for post in site.posts()]
    assert {post["report"] for post in posts} == {"0102"}
    assert {post["stratum"] for post in posts} == {design.background.keys[design.background.cell_of((1, 4))]}
    assert len({len(post.body) for post in site.posts()}) == 1


@pytest.mark.long
@of_own_coin
def test_version_with_a_coin_on_every_screen(visit: Visit, site: Capture, version: Version) -> None:
    page = visit.open_arm("own_coin").page
    expect(page.get_by_role("heading", name="Your true answer stays with you.")).to_be_visible()
    expect(page.get_by_role("heading", name="Your true answer stays on this device.")).to_be_hidden()
    expect(page.get_by_text("Try it first")).to_be_hidden()
    assert beside_pictures(page, version, 1, "questions") == []
    question = page.locator("#question-1")
    assert question.locator(".toss").inner_text().splitlines()[0] == "Toss two coins where nobody sees them."
    assert question.get_by_label("Yes").get_attribute("aria-describedby") == "toss-1"
    assert dict(on_every_screen(page)) == CLEAN
    picture(visit, "coin-questions")
    visit.press("Review your answers")
    expect(question.get_by_text("Choose one of these.")).to_be_visible()
    visit.choose(1, "Yes").choose(2, "Low").press("Review your answers").stage("review")
    expect(page.get_by_text("Your toss decided this. It is sent unchanged.").first).to_be_visible()
    expect(page.get_by_text("Protected by its ticket").first).to_be_hidden()
    expect(page.get_by_text("Do not toss again.")).to_be_visible()
    assert set(beside_pictures(page, version, 1, "review")) == {"Yes", "Low", "Prefer not to say"}
    picture(visit, "coin-review")
    visit.press("Send").stage("sent")
    expect(page.get_by_text("This page has wiped your marks.").first).to_be_visible()
    expect(page.get_by_text("Your true answer never left this device.").first).to_be_hidden()
    visit.unfold("Show what was sent")
    expect(page.get_by_text("Not what you answered? That is the ticket at work.")).to_be_hidden()
    picture(visit, "coin-sent")
    assert dict(on_every_screen(page)) == CLEAN


@pytest.mark.long
@of_own_coin
def test_version_with_tickets_beside_one_with_a_coin_is_as_ever(visit: Visit, version: Version) -> None:
    page = visit.open_arm("before").page
    expect(page.get_by_role("heading", name="Your true answer stays on this device.")).to_be_visible()
    assert page.locator(".toss").locator("visible=true").count() == 0
    visit.choose(1, "Yes").choose(2, "Low").press("Review your answers").stage("review")
    expect(page.get_by_text("Protected by its ticket").first).to_be_visible()
    visit.press("Send").stage("sent")
    expect(page.get_by_text("Your true answer never left this device.").first).to_be_visible()


@of_own_coin
def test_version_with_a_coin_without_a_rule_is_refused(visit: Visit, version: Version) -> None:
    """Else a true answer would be sent as it is."""
    drop = "document.addEventListener('readystatechange', () => document.querySelector('[data-part=toss]')?.remove());"
    page = visit.before_load(drop).before_load(FIRST_WORD).open().stage("refused").page
    expect(page.get_by_text('no part "toss"')).to_be_visible()
    expect(page.locator("[data-part=form]")).to_be_hidden()
