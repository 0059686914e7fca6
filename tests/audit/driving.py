"""A real Chromium that answers a survey many times, in front of a server that keeps every byte."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.audit.items import Audited, said
from tests.audit.recording import Submission, pair_up
from tests.audit.shelf import Shelf
from tests.browser.launching import launched
from tests.tools.browser import FLAGS, find_browser
from tests.tools.capture import Capture, Responder, capturing

SCRIPT = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
BATCH = 250
"""Submissions in one document; then the page is loaded anew."""


@dataclass(frozen=True)
class Run:
    """All that came of one run: the submissions, and what was seen beside them."""

    submissions: list[Submission]
    faults: list[str]
    """What the console said."""
    around: list[str]
    """Requests as they were seen from within the page: one text for each document."""
    left: int = 0
    """Databases, caches and workers that were made."""


Work = Callable[..., Any]


@contextmanager
def browsing(engine: str) -> Iterator[Work]:
    """A browser of this engine on a thread of its own: `work(function, ...)` calls the function there with it first.

    Playwright keeps an event loop in its thread, and another one may already run in the thread of the tests.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        playwright = thread.submit(sync_playwright().start).result()
        opened = ExitStack()
        browser = thread.submit(opened.enter_context, _launched(playwright, engine)).result()
        yield lambda function, *details, **named: thread.submit(function, browser, *details, **named).result()
        thread.submit(opened.close).result()
        thread.submit(playwright.stop).result()


chromium = partial(browsing, "chromium")


@contextmanager
def _launched(playwright: Playwright, engine: str) -> Iterator[Browser]:
    if engine != "chromium":
        with launched(playwright, engine) as browser:
            yield browser
        return
    browser = playwright.chromium.launch(executable_path=find_browser(), args=[*FLAGS])
    yield browser
    browser.close()


def version(browser: Browser) -> str:
    names = {"chromium": "Chromium", "firefox": "Firefox", "webkit": "WebKit"}
    return f"{names[browser.browser_type.name]} {browser.version}"


def plan(items: Sequence[Audited], submissions: int, seed: int) -> list[list[int]]:
    """True answers by their places: every answer of an item equally often, in random order, apart from other items.

    The random order makes every test of times valid on a busy machine: what slows the machine cannot know the answer.
    """
    source = np.random.default_rng(seed)
    columns = [source.permutation(np.arange(submissions) % len(one.answers)) for one in items]
    return np.column_stack(columns).tolist()


def drive(
    browser: Browser,
    shelf: Shelf,
    rows: list[list[int]],
    respond: Responder | None = None,
    *,
    restless: bool = False,
    returning: bool = False,
    slowed: int = 1,
) -> Run:
    """Submit every row of answers, one after the other.

    `restless` tries everything on the page before; `returning` is one device throughout, where a survey remembers;
    `slowed` says how many times slower the browser's processor is.
    """
    manner = {"restless": restless, "returning": returning}
    # WebKit's driver can run nothing before a page's scripts: there the page brings the script with it.
    brought = browser.browser_type.name == "webkit"
    shelf, batch_size = (shelf.with_script(SCRIPT), BATCH // 25) if brought else (shelf, BATCH)  # and is asked in time
    submissions: list[Submission] = []
    faults: list[str] = []
    around: list[str] = []
    left = 0
    with capturing(respond or shelf.respond) as capture, _page(browser, faults, slowed) as page:
        for start in range(0, len(rows), batch_size):
            batch = rows[start : start + batch_size]
            meant = [list(said(shelf.items, row)) for row in batch]
            seen = _answer(page, capture, shelf, [clicks(shelf.items, one) for one in meant], manner)
            sent = [shelf.sent(places(one), note["told"]) for one, note in zip(meant, seen["notes"], strict=True)]
            submissions += pair_up(sent, seen["notes"], capture.requests, clock_of(page))
            around.append(" ".join(seen["requests"]).replace(capture.url, ""))
            left += seen["left"]
    return Run(submissions, faults, around, left)


def visit(browser: Browser, address: str, items: Sequence[Audited], rows: list[list[int]], respond: Responder) -> Run:
    """The slow way, to compare with: every submission loads the page anew and lets two frames be painted."""
    submissions: list[Submission] = []
    faults: list[str] = []
    with capturing(respond) as capture, _page(browser, faults) as page:
        # The icon is fetched once, at a time of the browser's own; then it is in the cache.
        page.goto(capture.url + address, wait_until="networkidle")
        for row in rows:
            meant = list(said(items, row))
            page.goto(capture.url + address)
            page.wait_for_selector("html[data-now=questions]")
            capture.forget()
            note = page.evaluate("answers => audit.answer(answers, { paint: true })", clicks(items, meant))
            submissions += pair_up([places(meant)], [note], capture.requests, clock_of(page))
    return Run(submissions, faults, [])


def clicks(items: Sequence[Audited], meant: list[tuple[int, bool]]) -> list[Any]:
    """What is answered to each question on the page, in words; null where it is not asked."""
    return [one.words(place) if asked else None for one, (place, asked) in zip(items, meant, strict=True)]


def places(meant: list[tuple[int, bool]]) -> list[int]:
    """The answers whose rows are drawn from."""
    return [place for place, _ in meant]


def clock_of(page: Page) -> float:
    """Milliseconds from our monotonic clock to the page's; of ten readings the one that took least."""
    readings = []
    for _ in range(10):
        before = time.monotonic()
        there = page.evaluate("performance.timeOrigin + performance.now()")
        after = time.monotonic()
        readings.append((after - before, there - (before + after) * 500))
    return float(min(readings)[1])


def _answer(
    page: Page, capture: Capture, shelf: Shelf, rows: list[list[Any]], manner: dict[str, bool]
) -> dict[str, Any]:
    page.goto(capture.url + shelf.page)
    page.wait_for_load_state("networkidle")
    page.wait_for_selector(f"html[data-now={shelf.first}]")
    capture.forget()
    seen = page.evaluate("details => audit.run(...details)", [shelf.entry, rows, manner])
    page.locator("html").count()  # WebKit's driver hears the console only as it looks at the page
    return seen


@contextmanager
def _page(browser: Browser, faults: list[str], slowed: int = 1) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(60_000)
    if browser.browser_type.name != "webkit":
        context.add_init_script(SCRIPT)
    page = context.new_page()
    if browser.browser_type.name == "chromium":
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    yield page
    context.close()
