"""Each engine answers a survey and runs no changed script. `make test-browsers` runs the other tests in them too."""

import gzip
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser.launching import launched
from tests.browser.respondent.conftest import Memory
from tests.browser.visit import STORED, Visit, replacing, tampering, without_encoding
from tests.tools.browser import ENGINES, PATIENCE
from tests.tools.capture import Capture, Request, Response, capturing
from tests.tools.gate import few

pytestmark = [
    pytest.mark.django_db,  # for making the page; no test here uses the database
    pytest.mark.skipif(sys.platform != "linux", reason="Firefox and WebKit are Debian's"),
]

SEEN = Response(200, b"fetch('/seen');", (("Content-Type", "text/javascript"),))


@pytest.fixture(scope="module", params=ENGINES)
def engines_browser(playwright: Playwright, request: pytest.FixtureRequest) -> Iterator[Browser]:
    with launched(playwright, request.param) as browser:
        yield browser


chromium_in_the_gate = pytest.mark.parametrize("engines_browser", few(ENGINES), indirect=True, scope="module")
"""What other engines do beside answering a survey is long."""


@pytest.fixture
def new_site(memory: Memory) -> Iterator[Capture]:
    """On a port from which no browser has a script yet."""
    with capturing(memory.respond) as site:
        yield site


@pytest.fixture
def visit(engines_browser: Browser, new_site: Capture, address: str) -> Iterator[Visit]:
    context = engines_browser.new_context()
    context.set_default_timeout(PATIENCE)
    yield Visit(context.new_page(), new_site.url + address)
    context.close()


def stored(visit: Visit) -> dict[str, Any]:
    kept: dict[str, Any] = visit.page.evaluate(STORED)
    return {name: value for name, value in kept.items() if value and name != "title"}


def test_survey_is_answered_by_keyboard_and_leaves_nothing(visit: Visit, new_site: Capture) -> None:
    visit.listen()
    page = visit.open().stage("questions").page
    assert stored(visit) == {}, "before anything is answered"
    page.locator("#group input").first.focus()
    for question, key in (("group", "Space"), ("question-1", "ArrowDown"), ("question-2", "ArrowUp")):
        presses = 0
        while not page.evaluate(f"document.activeElement.matches('#{question} input')"):
            page.keyboard.press("Tab")
            presses += 1
            assert presses < 4, f"{question} is not among the next stops of the Tab key"
        page.keyboard.press(key)
    visit.send().stage("sent")
    assert len(new_site.posts()) == 1
    assert stored(visit) == {}
    page.reload()
    visit.stage("questions")
    assert visit.checked() == 0
    assert visit.faults == []


@pytest.mark.long
def test_word_in_the_console_is_heard(visit: Visit) -> None:
    """Or that a console is silent would say nothing."""
    visit.listen()
    visit.open().stage("questions").page.evaluate("console.error('a fault')")
    visit.page.wait_for_timeout(500)
    assert visit.page.locator("main").count() == 1  # by when WebKit has told
    assert len(visit.faults) == 1
    assert "a fault" in visit.faults[0]


@pytest.mark.long
def test_cleared_screen_is_empty_after_back(visit: Visit, new_site: Capture) -> None:
    visit.open().stage("questions").answer("Yes", "Low").press("Clear this screen").stage("cleared")
    assert stored(visit) == {}
    visit.page.goto(f"{new_site.url}/healthz")
    visit.back().page.wait_for_url(visit.url, wait_until="commit")  # from the back-forward cache nothing loads
    visit.page.wait_for_selector("html[data-now]")
    assert visit.checked() == 0
    assert new_site.posts() == []


@chromium_in_the_gate
@pytest.mark.parametrize("name", few(["channel", "random", "sending", "page"]))
def test_changed_module_does_not_run(visit: Visit, new_site: Capture, memory: Memory, name: str) -> None:
    """Changed on its way, under the name and in the page that were published."""
    (target,) = (path for path in memory.responses if f"/client/{name}." in path)
    changed = replacing(target, lambda script: script + b"\nfetch('/seen');\n")
    new_site.respond = tampering(memory.respond, changed)
    nothing_runs(visit, new_site)


@chromium_in_the_gate
@pytest.mark.parametrize("place", few(["before the others", "in the page"]))
def test_script_that_the_page_does_not_name_by_its_hash_does_not_run(
    visit: Visit, new_site: Capture, memory: Memory, place: str
) -> None:
    """Put into the page with nothing to compare it with; the header stands."""
    mark = b'<script type="module"' if place == "before the others" else b"</main>"
    page = replacing(memory.page, lambda page: page.replace(mark, b'<script src="/seen.js"></script>' + mark, 1))
    with_script = tampering(memory.respond, page)
    new_site.respond = lambda request: SEEN if request.target == "/seen.js" else with_script(request)
    visit.open()
    visit.stage("questions")  # of the page's own scripts, which are sound
    assert "/seen" not in [request.target for request in new_site.requests]


@pytest.mark.long
def test_changed_style_sheet_is_not_applied(visit: Visit, new_site: Capture, memory: Memory) -> None:
    (target,) = (path for path in memory.responses if "/style/questions." in path)
    new_site.respond = tampering(memory.respond, replacing(target, lambda style: style + b" main { opacity: 0; }"))
    visit.open().stage("questions")
    assert visit.page.evaluate("getComputedStyle(document.querySelector('main')).opacity") == "1"


@pytest.mark.long
def test_hash_that_does_not_fit_stops_the_page(visit: Visit, new_site: Capture, memory: Memory) -> None:
    page = replacing(memory.page, lambda page: page.replace(b'.js" integrity="sha384-', b'.js" integrity="sha384-A'))
    new_site.respond = tampering(memory.respond, page)
    nothing_runs(visit, new_site)


@pytest.mark.long
def test_changed_design_is_refused(visit: Visit, new_site: Capture, memory: Memory) -> None:
    page = replacing(memory.page, lambda page: page.replace(b"[3,1]", b"[4,0]").replace(b"[[3, 1]", b"[[4, 0]"))
    new_site.respond = tampering(memory.respond, page)
    visit.open(f"#{memory.design.digest}").stage("refused")
    assert new_site.posts() == []


@pytest.mark.long
def test_script_runs_where_the_header_is_dropped_and_only_the_log_tells(
    visit: Visit, new_site: Capture, memory: Memory
) -> None:
    """No browser can refuse this: the page is the server's. `manage.py verify_pages` finds page and header changed."""

    def change(request: Request, response: Response) -> Response:
        if request.target != memory.page:
            return response
        headers = tuple(one for one in without_encoding(response.headers) if one[0] != "Integrity-Policy")
        body = gzip.decompress(response.body).replace(b"</main>", b'<script src="/seen.js"></script></main>', 1)
        return Response(200, body, headers)

    with_script = tampering(memory.respond, change)
    new_site.respond = lambda request: SEEN if request.target == "/seen.js" else with_script(request)
    visit.open().stage("questions")
    visit.page.wait_for_load_state("networkidle")
    assert "/seen" in [request.target for request in new_site.requests]


def nothing_runs(visit: Visit, site: Capture) -> None:
    visit.open()
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.locator("[data-part=form]:disabled").count() == 1
    assert visit.page.evaluate("document.documentElement.dataset.now ?? null") is None
    assert "/seen" not in [request.target for request in site.requests]
    assert site.posts() == []
