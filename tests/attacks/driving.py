"""A visit of a browser to a site that attacks, and whether the change took effect; and the honest visits beside it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as BrowserError
from tqdm import trange

from tests.attacks.changes import ADDED, SEEN, WHOM, WORDS, Attack
from tests.attacks.site import PAGE, Site
from tests.tools.capture import Capture, Request, Response, capturing

PATIENCE = 5.0
"""Seconds until a page that has not begun is taken for one that does not."""
AT_REST = ("questions", "refused")


@dataclass
class Server:
    """The site with an attack on it."""

    site: Site
    attack: Attack | None
    hers: str = ""
    """What the browser of the attacked person says of itself."""
    changed: set[str] = field(default_factory=set)
    """The addresses that were served changed."""

    def __post_init__(self) -> None:
        self.served = self.attack.change.make(self.site) if self.attack else {}

    def respond(self, request: Request) -> Response:
        honest = self.site.responses.get(request.target, Response(404))
        if self.attack is None or not WHOM[self.attack.whom](request, self.hers):
            return honest
        if request.target in self.served:
            self.changed.add(request.target)
        return self.served.get(request.target) or ADDED.get(request.target, honest)


@contextmanager
def attacking(site: Site, attack: Attack | None, hers: str = "") -> Iterator[tuple[Capture, Server]]:
    """The site with this attack, on a port of its own: no browser has anything from it yet."""
    server = Server(site, attack, hers)
    with capturing(server.respond) as capture:
        yield capture, server


def says_of_itself(browser: Browser, site: Site) -> dict[str, str]:
    """The headers of a request that this browser sends for a page."""
    with attacking(site, None) as (capture, _):
        context = browser.new_context()
        context.new_page().goto(capture.url + PAGE)
        context.close()
        return dict(capture.requests[0].headers)


def takes_effect(browser: Browser, site: Site, attack: Attack, hers: str) -> bool | None:
    """Whether what was changed takes effect in this browser; None where it was not served to it."""
    with attacking(site, attack, hers) as (capture, server):
        context = browser.new_context(locale=attack.locale)
        page = context.new_page()
        try:
            page.goto(f"{capture.url}{PAGE}#{site.digest}")
            _at_rest(page)
            found = _seen(page, capture, attack)
        finally:
            context.close()
        return found if server.changed else None


def _at_rest(page: Page) -> str:
    """Wait until the page has begun or refused, or for as long as one that never will is given; its stage."""
    end = time.monotonic() + PATIENCE
    stage = ""
    while stage not in AT_REST and time.monotonic() < end:
        time.sleep(0.05)
        try:
            stage = page.evaluate("document.documentElement.dataset.now ?? ''")
        except BrowserError:  # it went to another page
            continue
        if not stage and page.evaluate("document.body?.innerText ?? ''").startswith(WORDS):
            return "other"
    return str(stage)


def _seen(page: Page, capture: Capture, attack: Attack) -> bool:
    targets = [request.target for request in capture.requests]
    match attack.change.effect:
        case "script":
            return SEEN in targets
        case "frame":
            return "/other/" in targets
        case "words":
            return WORDS in page.evaluate("document.body.innerText")
        case "style":
            return bool(page.evaluate("getComputedStyle(document.querySelector('main')).opacity") == "0.5")
        case "picture":
            return bool(page.evaluate("document.querySelector('img').naturalWidth") == 2)
        case "answerable":
            return bool(page.evaluate("document.documentElement.dataset.now") == "questions")
        case "none":
            return True


def honest_loads(browser: Browser, site: Site, number: int) -> list[str]:
    """What went wrong in so many loads of the page by a browser that has nothing of it: nothing, in a sound one."""
    faults = []
    with attacking(site, None) as (capture, _):
        for first in trange(0, number, 100, desc="honest loads, by the hundred", disable=number < 100):
            context = browser.new_context()
            page = context.new_page()
            page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
            for _ in range(first, min(first + 100, number)):
                page.goto("about:blank")
                page.goto(f"{capture.url}{PAGE}#{site.digest}")
                if (stage := _at_rest(page)) != "questions":
                    faults.append(f"the page stayed at {stage!r}")
            context.close()
            capture.forget()
    return faults
