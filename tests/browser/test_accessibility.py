"""WCAG 2.2 AA on the respondent's page, in every state of its life. What it covers: docs/evidence/accessibility.md."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.accessibility import CLEAN, CLIPPED, EVERYWHERE, SPACED, UNCHECKED, faults, on_every_screen, texts_of
from tests.browser.launching import without_javascript
from tests.browser.states import KINDS, STATES, UNFOLD, Reach, noscript, practised, questions, unfolded
from tests.browser.visit import Visit, new_visit
from tests.tools.capture import Capture
from tests.tools.gate import few

every_state = texts_of(STATES, {"unfolded", "review", "sent"})
"""Most of what the others show is among these."""

TARGETS = "button:visible, summary:visible, label:visible, a:visible"

SMALL = """(selector) => [...document.querySelectorAll(selector.replaceAll(":visible", ""))].filter((target) => {
    const { width, height } = target.getBoundingClientRect();
    return target.checkVisibility() && Math.min(width, height) < 44;
}).map((target) => target.innerText)"""
"""Targets of less than 44 px."""

TOO_SMALL = """found => found.map((target) => [target.innerText, target.getBoundingClientRect()])
    .filter(([, box]) => box.width < 24 || box.height < 24).map(([name]) => name)"""
"""Targets of less than 24 px, which no target may have."""

FOCUSED = """async () => {
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
    const at = document.activeElement;
    const ring = getComputedStyle(at.closest(".choice") ?? at);
    const box = at.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return {
        what: (at.innerText || at.closest("label")?.innerText || at.tagName).trim().split("\\n")[0],
        ring: ring.outlineStyle === "solid" && parseFloat(ring.outlineWidth) >= 2,
        inSight: box.top >= -1 && box.bottom <= innerHeight + 1 && (at.contains(top) || top?.contains(at)),
    };
}"""


def width(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))


@every_state
def test_axe_each_state_of_the_page(visit: Visit, site: Capture, reach: Reach, within: str) -> None:
    """In one visit, since the way to a state costs most: sizes, space between letters, targets, and axe."""
    page = visit.page
    page.set_viewport_size({"width": 320, "height": 640})
    reach(visit, site)
    assert width(page) <= 320, "320 px, which is 1280 px at 400 %"
    page.set_viewport_size({"width": 640, "height": 400})
    assert width(page) <= 640, "1280 px at 200 %"
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert width(page) <= 640, "with letters of twice the size on top"
    assert page.evaluate(CLIPPED) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert width(page) <= 390, "the same on a phone"
    assert page.evaluate(CLIPPED) == []
    page.evaluate("document.documentElement.removeAttribute('style')")
    page.set_viewport_size({"width": 360, "height": 800})
    page.evaluate(SPACED)
    assert page.evaluate("getComputedStyle(document.querySelector('main p')).letterSpacing") != "normal"
    assert width(page) <= 360
    assert page.evaluate(CLIPPED) == []
    page.evaluate("document.adoptedStyleSheets = []")
    page.set_viewport_size({"width": 1280, "height": 720})
    assert page.locator(TARGETS).evaluate_all(TOO_SMALL) == []
    assert dict(on_every_screen(page, within=within)) == CLEAN


@texts_of(KINDS, {"kinds_errors"})
def test_axe_every_kind_of_question(every_kind: Visit, site: Capture, reach: Reach, within: str) -> None:
    page = every_kind.page
    page.emulate_media(reduced_motion="reduce")
    reach(every_kind, site)
    assert dict(on_every_screen(page, within=within)) == CLEAN
    assert page.evaluate(SMALL, TARGETS) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert width(page) <= 320
    page.evaluate(SPACED)
    page.set_viewport_size({"width": 360, "height": 640})
    assert width(page) <= 360, "with more space between letters"
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert width(page) <= 360
    assert page.evaluate(CLIPPED) == []


def test_focus_every_stop_of_every_kind_is_visible(every_kind: Visit, site: Capture) -> None:
    """Also below the line that stays in sight at the top, on a small screen."""
    page = every_kind.page
    page.set_viewport_size({"width": 360, "height": 480})
    KINDS["kinds_second"](every_kind, site)
    page.locator("[data-part=section-title]:visible").focus()
    for step in ["Tab"] * 18 + ["Shift+Tab"] * 17:
        page.keyboard.press(step)
        stop = page.evaluate(FOCUSED)
        assert stop["ring"], f"no ring at {stop['what']}"
        assert stop["inSight"], f"{stop['what']} is out of sight"


@pytest.fixture
def scriptless(browser: Browser, site: Capture, address: str) -> Iterator[Visit]:
    context = without_javascript(browser)
    yield new_visit(site, address, context)
    context.close()


@pytest.mark.long
def test_axe_page_without_javascript(scriptless: Visit, visit: Visit, site: Capture) -> None:
    """axe is a script itself: it reads what a browser without scripts made of the page, its noscript text unwrapped."""
    noscript(scriptless, site)
    seen = re.sub(r"</?noscript[^>]*>|<script.*?</script>", "", scriptless.page.content(), flags=re.DOTALL)
    visit.page.route(visit.url, lambda route: route.fulfill(body=seen, content_type="text/html; charset=utf-8"))
    visit.open()
    assert "JavaScript is off" in visit.page.locator("main").inner_text()
    assert dict(on_every_screen(visit.page)) == CLEAN


FAULTS = {
    "color-contrast": "document.querySelector('.hint').style.color = '#999'",
    "html-has-lang": "document.documentElement.removeAttribute('lang')",
    "button-name": "document.querySelector('[data-part=review-button]').replaceChildren()",
    "svg-img-alt": "document.querySelector('.tickets').removeAttribute('aria-label')",
    "label": "document.querySelector('#question-1 label').replaceWith(document.querySelector('#question-1 input'))",
}


@pytest.mark.long
def test_axe_inserted_faults_are_found(visit: Visit) -> None:
    """The test of the tests: without it, an axe that runs no rule would look like a page without faults."""
    page = visit.open().stage("questions").page
    assert faults(page) == []
    for fault in FAULTS.values():
        page.evaluate(fault)
    assert set(FAULTS) <= {line.split(":")[0] for line in faults(page)}


PLANTED = """<!doctype html><html lang="en"><title>Faults</title><style>
    * { color: black; background: white }
    .in-light { color: #999 }
    .on-wide, .unlabelled { display: none }
    .on-wide { color: #989898 }
    .larger { color: #888; font-size: 3rem }
    @media (prefers-color-scheme: dark) { .in-light { color: black } .in-dark, .deep { color: #979797 } }
    @media (min-width: 1000px) { .on-wide, .unlabelled { display: block } .larger { font-size: 1rem } }
    a { color: #333; text-decoration: none }
    .small { padding: 0; width: 9px; height: 9px }
</style><main><h1>Faults</h1>
    <p>Sound</p> <p class="in-light">Light</p> <p class="in-dark">Dark</p> <p class="on-wide">Wide</p>
    <p>Sound <b class="deep">too</b></p> <p class="larger">Smaller on a wide screen</p>
    <p><a href="#">Alone</a></p> <p>Amid <a class="amid" href="#">a</a> text</p>
    <svg width="99" height="20" aria-hidden="true"><text y="15" fill="#999">Picture</text></svg>
    <input class="nameless"> <input class="unlabelled"> <button class="small">x</button><button class="small">y</button>
</main></html>"""
"""A page with a fault of each kind, named by the screens on which it is one."""


FOUND = {
    "360 light": {"nameless", "small", "in-light", "amid", "Picture"},
    "360 dark": {"in-dark", "deep", "Picture"},
    "1280 light": {"unlabelled", "small", "on-wide", "larger", "Picture"},
    "1280 dark": {"Picture"},
}
"""Colours and structure are reported by the first screen that shows them, sizes by each."""

STILL = {
    "360 dark": {"amid"},
    "1280 light": {"nameless", "in-light", "amid"},
    "1280 dark": {"in-dark", "deep", "on-wide", "larger", "amid"},
}
"""What is reported besides where everything is looked at on every screen."""


@pytest.mark.engines("chromium", because="media can be emulated")
@pytest.mark.parametrize(("within", "besides"), few([(UNCHECKED, {}), (EVERYWHERE, STILL)]), ids=["unchecked", "all"])
def test_axe_planted_fault_is_found_on_its_screen(
    context: BrowserContext, within: str, besides: dict[str, set[str]]
) -> None:
    page = context.new_page()
    page.set_content(PLANTED)
    found = {screen: "".join(lines) for screen, lines in on_every_screen(page, within=within)}
    seen = {screen: {name for name in set.union(*FOUND.values()) if name in lines} for screen, lines in found.items()}
    assert seen == {screen: names | besides.get(screen, set()) for screen, names in FOUND.items()}


@pytest.mark.engines("chromium", because="what has the focus is scrolled wholly into sight")
def test_keyboard_alone_from_load_to_receipt(visit: Visit, site: Capture) -> None:
    page = visit.open().stage("questions").page
    stops: list[str] = []

    def tab_to(name: str) -> None:
        for _ in range(20):
            page.keyboard.press("Tab")
            stop = page.evaluate(FOCUSED)
            assert stop["ring"], f"no ring at {stop['what']}"
            assert stop["inSight"], f"{stop['what']} is out of sight"
            stops.append(stop["what"])
            if stop["what"] == name:
                return
        pytest.fail(f"{name} was not reached: {stops}")

    tab_to("Try it first: a practice question")
    page.keyboard.press("Enter")
    tab_to("No")
    page.keyboard.press("ArrowDown")
    tab_to("Draw another ticket")
    page.keyboard.press("Enter")
    tab_to("First year")
    page.keyboard.press("Space")
    tab_to("No")
    page.keyboard.press("ArrowRight")
    tab_to("Well")
    page.keyboard.press("ArrowUp")
    tab_to("Review your answers")
    page.keyboard.press("Enter")
    visit.stage("review")
    assert page.locator(".answer-choice").all_inner_texts() == ["First year", "Yes", "Low"]
    tab_to("Send")
    page.keyboard.press("Enter")
    visit.stage("sent")
    assert page.evaluate("document.activeElement.id") == "sent-title"
    tab_to("Show what was sent")
    page.keyboard.press("Space")
    assert page.get_by_text("Nobody can be sure whether you or the ticket chose it").is_visible()
    tab_to("Clear this screen")
    page.keyboard.press("Enter")
    visit.stage("cleared")
    assert len(site.posts()) == 1


def test_focus_check_finds_missing_ring(visit: Visit) -> None:
    page = visit.open().stage("questions").page
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["ring"]
    page.evaluate("document.activeElement.style.outline = 'none'")
    assert not page.evaluate(FOCUSED)["ring"]


@pytest.mark.long
@pytest.mark.engines("chromium", because="media can be emulated")
def test_reduced_motion_has_no_animation(visit: Visit) -> None:
    moving = "document.getAnimations().filter((one) => one.effect.getTiming().duration > 0).length"
    page = visit.page
    page.emulate_media(reduced_motion="no-preference")
    visit.open().stage("questions")
    assert page.evaluate(moving) > 0, "the tickets appear one after the other; without that this test would be empty"
    page.emulate_media(reduced_motion="reduce")
    visit.open().stage("questions").answer("Yes", "Low").unfold("Try it first")
    assert page.evaluate(moving) == 0
    assert page.locator(".choice").first.evaluate("choice => getComputedStyle(choice).transitionDuration") == "0s"


@pytest.mark.long
@pytest.mark.engines("chromium", because="media can be emulated")
def test_forced_colours_keep_what_colours_show(visit: Visit, site: Capture) -> None:
    page = visit.page
    page.emulate_media(forced_colors="active")
    practised(visit, site)
    visit.choose(1, "Yes")
    style = "(element, name) => getComputedStyle(element)[name]"
    own, other = (page.locator(f".ticket-{kind} .ticket-paper").first for kind in ("own", "always"))
    assert own.evaluate(style, "fill") != other.evaluate(style, "fill")
    chosen, open_ = visit.question(1).locator(".choice").all()[::-1]
    assert chosen.evaluate(style, "outlineStyle") == "solid"
    assert open_.evaluate(style, "outlineStyle") == "none"
    assert faults(page, without=["color-contrast"]) == []


@pytest.mark.long
@pytest.mark.engines("chromium", because="media can be emulated")
def test_forced_colours_every_kind_keeps_distinctions(every_kind: Visit) -> None:
    page = every_kind.page
    page.emulate_media(forced_colors="active")
    every_kind.open().stage("questions").choose(1, "Yes").choose(2, "Often").choose(3, "LSD").choose(4, "Bar")
    every_kind.press("Next").choose(5, "Drinking").choose(6, "3")
    for number in (5, 6):
        choices = every_kind.question(number).locator(".choice")
        styles = choices.evaluate_all(
            "found => found.map((one) => [one.querySelector('input').checked, getComputedStyle(one).outlineStyle])"
        )
        assert {style for checked, style in styles if checked} == {"solid"}
        assert {style for checked, style in styles if not checked} == {"none"}
    every_kind.question(9).locator("summary").click()
    style = "bar => getComputedStyle(bar).fill"
    own, other = (every_kind.question(9).locator(f".bar-{kind}").first for kind in ("own", "other"))
    assert own.evaluate(style) != other.evaluate(style)
    assert faults(page, without=["color-contrast"]) == []


@pytest.mark.long
@pytest.mark.parametrize("size", [320, 360, 1280])
def test_right_to_left_page_is_usable(visit: Visit, site: Capture, size: int) -> None:
    page = visit.page
    page.set_viewport_size({"width": size, "height": 800})
    unfolded(visit, site)
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert width(page) <= size
    assert page.evaluate("scrollX + document.documentElement.getBoundingClientRect().left") == 0
    first = visit.question(2).locator("input").first
    assert first.evaluate(
        "input => input.getBoundingClientRect().left > input.nextElementSibling.getBoundingClientRect().left"
    )
    first.check()
    first.press("ArrowLeft")
    assert visit.question(2).locator("input").nth(1).is_checked(), "to the left is forward"
    assert faults(page) == []
    visit.answer("Yes", "Low").send().stage("sent")
    page.evaluate(UNFOLD)
    assert width(page) <= size


def test_errors_stand_beside_question_and_are_linked(visit: Visit, site: Capture) -> None:
    STATES["errors"](visit, site)
    group = visit.page.locator("#group")
    assert group.get_attribute("aria-invalid") == "true"
    assert visit.page.locator("#group-error").inner_text() == "Choose one of these."
    assert "group-error" in str(group.get_attribute("aria-describedby"))
    assert visit.page.get_by_role("alert").get_by_text("2 questions have no answer yet.").is_visible()


@pytest.mark.long
def test_stage_change_moves_focus_to_title(visit: Visit, site: Capture) -> None:
    """A stage's title takes the focus; what changes within a stage is a status."""
    questions(visit, site)
    visit.answer("Yes", "Low").press("Review your answers").stage("review")
    assert visit.page.evaluate("document.activeElement.id") == "review-title"
    visit.press("Send").stage("sent")
    assert visit.page.evaluate("document.activeElement.id") == "sent-title"
