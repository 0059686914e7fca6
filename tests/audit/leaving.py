"""A server that takes no report, and a person who leaves its page and comes back: it must see one body only.

Who answered again at each load would give one draw after the other away: of 25 reports with two coins the majority is
the true answer 99.7 times in 100.
"""

import os
import signal
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from tests.audit.shelf import Shelf
from tests.tools.browser import FLAGS, find_browser
from tests.tools.capture import DROP, Capture, Request, Response, capturing

REFUSALS = (400, 403, 404, 405, 408, 409, 410, 411, 413, 415, 418, 422, 425, 429, 451, 500, 502, 503, 507)

ANSWERS: tuple[Response | None, ...] = (
    *(Response(status, b'{"error":{"field":"report","message":"no"}}') for status in REFUSALS),
    Response(429, b'{"error":{"field":"Candor-Work","message":"no","bits":99}}'),
    Response(302, b"", (("Location", "/elsewhere"),)),
    Response(200, b"<html>Welcome to the hotel"),
    Response(201, b'{"receipt":"0000"}'),
    Response(204),
    Response(404, b"", (("Clear-Site-Data", '"*"'),)),
    DROP,
)
"""All that the collector answers to a report that it does not take, and what else a server can think of."""

ANSWER = """() => {
    document.querySelectorAll("[data-part=question]").forEach((question) => question.querySelector("input").click());
    ["review-button", "send-button"].forEach((name) => document.querySelector(`[data-part=${name}]`).click());
}"""

Leave = Callable[[Page, str], Page]


def reload(page: Page, url: str) -> Page:
    page.reload()
    return page


def back(page: Page, url: str) -> Page:
    page.goto("about:blank")
    page.go_back()
    return page


def close(page: Page, url: str) -> Page:
    context = page.context
    page.close(run_before_unload=True)
    return _opened(context, url)


def second_tab(page: Page, url: str) -> Page:
    """Two tabs at once; then the first is closed."""
    other = _opened(page.context, url)
    page.close(run_before_unload=True)
    return other


WAYS: dict[str, Leave] = {"reload": reload, "back": back, "close": close, "second tab": second_tab}


def bodies_by(browser: Browser, shelf: Shelf, answers: Sequence[Response | None], way: str) -> set[bytes]:
    """What a server saw of one browser that left so after each of its answers, until there are two."""
    with capturing(shelf.respond) as capture:
        context = browser.new_context()
        url = capture.url + shelf.page
        page = _opened(context, url)
        for answer in answers:
            capture.respond = _answering(shelf, answer)
            _sent(page)
            if len(_bodies(capture)) > 1:
                break
            page = WAYS[way](page, url)
        context.close()
        return _bodies(capture)


def bodies_killed(browser: Browser, shelf: Shelf, answers: Sequence[Response | None], restoring: bool) -> set[bytes]:
    """What it saw of a browser that was killed as its report arrived, and was started again on the same folder.

    `restoring`: it brings its tabs back by itself.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, capturing(shelf.respond) as capture:
        url = capture.url + shelf.page
        for number, answer in enumerate(answers):
            capture.respond = _answering(shelf, answer)
            more = ["--restore-last-session"] if restoring and number > 0 else []
            launch = browser.browser_type.launch_persistent_context
            context = launch(folder, executable_path=find_browser(), args=[*FLAGS, *more])
            _sent(next((page for page in context.pages if page.url == url), None) or _opened(context, url))
            _kill(folder)
        return _bodies(capture)


def _answering(shelf: Shelf, answer: Response | None) -> Callable[[Request], Response | None]:
    return lambda request: answer if request.method == "POST" else shelf.respond(request)


def _opened(context: BrowserContext, url: str) -> Page:
    page = context.new_page()
    page.goto(url)
    return page


def _sent(page: Page) -> Page:
    """Wait until the page has an answer to its report; who is asked the questions answers them."""
    page.wait_for_selector("html[data-now]")
    if page.locator("html[data-now=questions]").count():
        page.evaluate(ANSWER)
    page.wait_for_selector("[data-part=hurry-button]:visible")
    return page


def _bodies(capture: Capture) -> set[bytes]:
    return {post.body for post in capture.posts()}


def _kill(folder: str) -> None:
    """Every process of the browser that works in this folder, at once."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if folder.encode() in (process / "cmdline").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            continue
