"""The respondent's page in front of a site from memory: no database behind, and one tab for all tests of a file.

What is looked at here is what the browser does. That the collector stores what is sent, and stores it once, is asked of
the running site by the tests beside this folder.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from playwright.sync_api import BrowserContext, Page
from pytest_django.plugin import DjangoDbBlocker

from collector.designs import Design
from collector.endpoint import parsing
from collector.errors import RequestRefused
from tests.browser.visit import Visit
from tests.factories import payloads
from tests.factories.surveys import open_document
from tests.tools.capture import Capture, Request, Response, capturing
from tests.tools.pages import responses_of

STORAGE = "cookies,indexeddb,local_storage,service_workers,cache_storage"
"""What a page can leave behind; the scripts may stay in the browser's cache."""


@dataclass
class Memory:
    """A site with one survey, which answers as the whole one does: page, scripts, and a receipt for each report."""

    page: str
    design: Design
    responses: dict[str, Response]
    stored: dict[str, bytes] = field(default_factory=dict)
    """Bodies of the reports that were taken, by their nonces."""

    def respond(self, request: Request) -> Response:
        if request.method == "POST" and request.target == f"{self.page}reports":
            return self._take(request.body)
        return self.responses.get(request.target, Response(404))

    def _take(self, body: bytes) -> Response:
        try:
            report = parsing.parse(body)
            parsing.check_against(report, self.design)
        except RequestRefused as refusal:
            return Response(refusal.status)
        new = report.nonce not in self.stored
        if self.stored.setdefault(report.nonce, body) != body or report.design != self.design.digest:
            return Response(409)
        receipt = json.dumps({"receipt": sha256(body).hexdigest()}).encode()
        headers = (("Content-Type", "application/json"), ("Cache-Control", "no-store"))
        return Response(201 if new else 200, receipt, headers)


Serve = Callable[[dict[str, Any]], tuple[Capture, Memory]]


@pytest.fixture(scope="session")
def serve(static_files: None, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Serve]:
    """Serves the survey of a frozen document, on the same port each time: the browser has its scripts already."""
    served: dict[str, tuple[Capture, Memory]] = {}
    with ExitStack() as stack:

        def served_once(document: dict[str, Any]) -> tuple[Capture, Memory]:
            digest = Design.of(document).digest
            if digest not in served:
                with django_db_blocker.unblock():
                    memory = memory_of(document)
                served[digest] = stack.enter_context(capturing(memory.respond)), memory
            capture, memory = served[digest]
            capture.forget().respond = memory.respond
            memory.stored.clear()
            return capture, memory

        yield served_once


def memory_of(document: dict[str, Any]) -> Memory:
    """The survey is opened in a transaction that is rolled back."""
    page = f"/s/{document['slug']}/"
    with transaction.atomic():
        open_document(document, User.objects.create_user("owner"))
        responses = responses_of(page, **{"Accept-Encoding": "gzip"})
        transaction.set_rollback(True)
    headers = (("Content-Type", "text/plain"), ("Cross-Origin-Opener-Policy", "same-origin"))  # as the site's own
    return Memory(page, Design.of(document), responses | {"/healthz": Response(200, b"ok", headers)})


@pytest.fixture
def document() -> dict[str, Any]:
    """The frozen design whose page is visited."""
    return payloads.document()


@pytest.fixture
def memory(serve: Serve, document: dict[str, Any]) -> Memory:
    return serve(document)[1]


@pytest.fixture
def site(serve: Serve, document: dict[str, Any]) -> Capture:
    return serve(document)[0]


@pytest.fixture
def restored(engine: str) -> bool:
    """Whether the browser's Back brings the page as it was left: Firefox keeps none that says no-store."""
    return engine != "firefox"


@pytest.fixture
def address(memory: Memory) -> str:
    return memory.page


@pytest.fixture(scope="module")
def tabs() -> Iterator[dict[BrowserContext, list[Page]]]:
    """The tab of a context for the next test, if the last one left it as it was."""
    yield (tabs := defaultdict[BrowserContext, list[Page]](list))
    for tab in chain.from_iterable(tabs.values()):
        tab.close()


@pytest.fixture
def visit(
    site: Capture,
    address: str,
    respondents_context: BrowserContext,
    engine: str,
    tabs: dict[BrowserContext, list[Page]],
) -> Iterator[Visit]:
    """A visit to the survey's page, not opened yet. A word in the console fails the test, unless it says `faults`."""
    kept = tabs[respondents_context] if engine == "chromium" else []
    visit = Visit(kept.pop() if kept else respondents_context.new_page(), site.url + address)
    visit.listen()
    yield visit
    faults = [*visit.faults]
    if engine == "chromium":
        kept += left(visit, site.url)
    assert faults == []


def left(visit: Visit, origin: str) -> list[Page]:
    """The visit's tab, empty and silent, if it can be used again; no other page and nothing on the device stays."""
    context = visit.page.context
    context.set_offline(False)
    again = [] if visit.changed or visit.page.is_closed() else [visit.page]
    for page in again:
        page.goto("about:blank")
    visit.fall_silent()
    for page in context.pages[1:]:
        if page not in again:
            page.close()
    session = context.new_cdp_session(context.pages[0])
    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": STORAGE})
    session.detach()
    return again
