"""One visit to the respondent's page, and a site whose answers change or fail on their way."""

import gzip
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from playwright.sync_api import BrowserContext, Dialog, Error, Locator, Page

from tests.tools.browser import PATIENCE
from tests.tools.capture import Capture, Request, Responder, Response

KEPT = """async () => Object.fromEntries(await Promise.all((await indexedDB.databases()).map(({ name }) =>
    new Promise((resolve, reject) => {
        const opened = indexedDB.open(name);
        opened.onerror = () => reject(opened.error);
        opened.onsuccess = () => {
            const found = opened.result.transaction("report").objectStore("report").get("body");
            found.onsuccess = () => { opened.result.close(); resolve([name, found.result]); };
        };
    }))))"""
"""What the device keeps of reports that were not accepted yet: bodies by the names of their databases."""


@dataclass
class Visit:
    """One visit to the respondent's page."""

    page: Page
    url: str
    faults: list[str] = field(default_factory=list)
    """What the console said: nothing, in a sound page."""
    excused: str = "(nothing)"
    """What the console may go on saying, where a test makes the server fail for as long as it lasts."""
    changed: bool = False
    """Whether the tab has a script of the test, so that no other test can use it."""
    leaves: bool = True
    """Whether it leaves where the page asks."""
    asked: list[str] = field(default_factory=list)
    """The kinds of dialogs that the browser showed."""
    listening: list[tuple[str, Callable[..., None]]] = field(default_factory=list)

    def listen(self) -> None:
        self.listening += [
            ("console", lambda message: self.hear(f"{message.type}: {message.text}")),
            ("pageerror", lambda error: self.hear(f"error: {error}")),
            ("dialog", self.reply_to),
        ]
        for event, listener in self.listening:
            self.page.on(event, listener)

    def fall_silent(self) -> None:
        """Stop listening."""
        for event, listener in self.listening:
            self.page.remove_listener(event, listener)

    def before_load(self, script: str) -> Self:
        """Have the browser run a script before any of the page's, at every load."""
        self.changed = True
        self.page.add_init_script(script)
        return self

    def reply_to(self, dialog: Dialog) -> None:
        """Answer a dialog of the browser's."""
        self.asked.append(dialog.type)
        if self.leaves:
            dialog.accept()
        else:
            dialog.dismiss()

    def hear(self, said: str) -> None:
        """Note a word of the console."""
        if self.excused not in said:
            self.faults.append(said)

    def open(self, fragment: str = "") -> Self:
        self.page.goto(self.url + fragment)
        return self

    def open_arm(self, arm: str) -> Self:
        """Open pages until one draws this of two arms, as half of all do: 40 miss it once in 10^12 times."""
        for _ in range(40):
            if self.open().stage("questions").page.locator("html").get_attribute("data-arm") == arm:
                return self
        raise AssertionError(f"no page drew {arm}")

    def to_front(self) -> Self:
        """Switch to this tab: a browser lets one in the background wait."""
        self.page.bring_to_front()
        return self

    def stage(self, name: str) -> Self:
        """Wait until the page is in this stage of its life."""
        self.page.wait_for_selector(f"html[data-now={name}]")
        return self

    def question(self, number: int) -> Locator:
        """The question of that number; 0 is the strata question."""
        return self.page.locator(f"#question-{number}" if number else "#group")

    def choose(self, number: int, label: str) -> Self:
        question = self.question(number)
        if question.locator("select").count():
            question.locator("select").select_option(label=label)
        else:
            question.locator("label").get_by_text(label, exact=True).click()
        return self

    def answer(self, *labels: str, group: str = "First year") -> Self:
        self.choose(0, group)
        for number, label in enumerate(labels, start=1):
            self.choose(number, label)
        return self

    def write(self, number: int, text: str) -> Self:
        """Write a number into the question of that number."""
        self.question(number).locator("input").fill(text)
        return self

    def error(self, number: int) -> str:
        return self.question(number).locator("[data-part=error]").inner_text()

    def practise(self, label: str) -> Self:
        self.page.locator("[data-part=practice-choices]").get_by_text(label, exact=True).click()
        return self

    def reply(self, label: str) -> Self:
        """Reply to the check question."""
        self.page.locator("[data-part=check-question]").get_by_text(label, exact=True).click()
        return self

    def press(self, name: str) -> Self:
        self.page.get_by_role("button", name=name, exact=True).click()
        return self

    def press_part(self, name: str) -> Self:
        """Press a button by its place in the page, in whatever language it speaks."""
        self.page.locator(f"[data-part={name}]").click()
        return self

    def send(self) -> Self:
        return self.press("Review your answers").press("Send")

    def unfold(self, name: str) -> Self:
        """Open the fold of that heading."""
        self.page.locator("summary:visible", has_text=name).click()
        return self

    def said(self, part: str) -> str:
        return self.page.locator(f"[data-part={part}]").inner_text()

    def says(self, part: str, words: str) -> Self:
        """Wait until that part of the page shows these words."""
        self.page.locator(f"[data-part={part}]:visible", has_text=words).wait_for()
        return self

    def back(self) -> Self:
        """Press the browser's Back. It takes effect after the call: a page that is left cannot answer one."""
        self.page.evaluate("setTimeout(() => history.back())")
        return self

    def left_for(self, path: str) -> Self:
        """Wait until the browser is at another page. Of one from the back-forward cache not every driver tells that it
        was reached, so the page is asked."""
        deadline = time.monotonic() + PATIENCE / 1000
        while True:
            with suppress(Error):  # of a page that is just being left
                if self.page.evaluate("location.pathname") == path:
                    return self
            assert time.monotonic() < deadline, self.page.url
            time.sleep(0.05)

    def online(self) -> Self:
        """The browser says that it is online again."""
        self.page.evaluate("window.dispatchEvent(new Event('online'))")
        return self

    def checked(self) -> int:
        return self.page.locator("input:checked").count()


def without_encoding(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in headers if name.lower() != "content-encoding")


def replacing(address: str, change: Callable[[bytes], bytes]) -> Callable[[Request, Response], Response]:
    """Change the body of the page at `address`."""

    def changed(request: Request, response: Response) -> Response:
        if request.target != address:
            return response
        before = gzip.decompress(response.body)
        body = change(before)
        assert body != before, "the change must hit something"
        return Response(response.status, body, without_encoding(response.headers))

    return changed


STORED = """async () => ({
    local: localStorage.length, session: sessionStorage.length, cookies: document.cookie,
    databases: (await indexedDB.databases()).length, caches: (await caches.keys()).length,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    state: history.state, hash: location.hash, search: location.search, title: document.title,
})"""


def came_back(visit: Visit, site: Capture) -> None:
    """Leave for another page and come back; a page from the back-forward cache has no second load to wait for."""
    visit.page.goto(f"{site.url}/healthz")
    visit.back()
    visit.page.wait_for_url(visit.url, wait_until="commit")
    visit.faults.clear()  # the other page has no icon


def new_visit(site: Capture, address: str, context: BrowserContext) -> Visit:
    page = context.new_page()
    visit = Visit(page, site.url + address)
    visit.listen()
    return visit


def new_tab(visit: Visit, page: Page | None = None) -> Visit:
    """Another tab of the same browser, at the same address and not opened yet."""
    other = Visit(page or visit.page.context.new_page(), visit.url, visit.faults, visit.excused)
    other.listen()
    return other


def targets(site: Capture) -> list[str]:
    """What was asked of the site, but for the icon: browsers fetch it after the load, at a time of their own."""
    return [request.target for request in site.requests if "/icon." not in request.target]


def tampering(respond: Responder, change: Callable[[Request, Response], Response]) -> Responder:
    """The site's answers, changed on their way."""

    def changed(request: Request) -> Response | None:
        response = respond(request)
        return None if response is None else change(request, response)

    return changed


def failing(respond: Responder, *answers: Response | None) -> Responder:
    """Posts get these answers first; None drops the connection. Then the site answers."""
    left = list(answers)

    def first_fail(request: Request) -> Response | None:
        if request.method == "POST" and left:
            return left.pop(0)
        return respond(request)

    return first_fail
