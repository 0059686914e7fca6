"""What people do with the site once it is installed, and what the operator sees."""

import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import urllib3
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from playwright.sync_api import Error, Page, sync_playwright

from tests.browser.visit import Visit
from tests.install.machine import Machine, gateway
from tests.tools.browser import FLAGS, PATIENCE, find_browser
from tests.tools.mailbox import Mailbox

SITE = "survey.example.org"


@contextmanager
def mail_server(folder: Path, password: str) -> Iterator[Mailbox]:
    """A mail server on port 587 that takes mail after STARTTLS and a sign-in alone, with the site's certificate."""
    box = Mailbox()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "fullchain.pem", folder / "key.pem")

    def check(_server: Any, _session: Any, _envelope: Any, _mechanism: str, given: Any) -> AuthResult:
        return AuthResult(success=(given.login, given.password) == (b"study", password.encode()))

    controller = Controller(
        box, hostname=gateway(), port=587, tls_context=context, require_starttls=True,
        authenticator=check, auth_required=True,
    )  # fmt: skip
    controller.start()
    try:
        yield box
    finally:
        controller.stop()


@contextmanager
def browsing(machine: Machine) -> Iterator[Page]:
    """A browser for which the site's name leads to the machine."""
    args = [*FLAGS, f"--host-resolver-rules=MAP {SITE} {machine.address}"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=args)
        context = browser.new_context(ignore_https_errors=True)  # the certificate is looked at by `ask`
        context.set_default_timeout(PATIENCE)
        yield context.new_page()
        browser.close()


def go(page: Page, address: str) -> None:
    """Open the page; once more where another container's network came or went: browsers then drop requests."""
    try:
        page.goto(address)
    except Error as fault:
        if "ERR_NETWORK_CHANGED" not in fault.message:
            raise
        page.goto(address)


def sign_in(page: Page, name: str, password: str) -> str:
    """Sign in to the panel and open the page of operation; its text."""
    go(page, f"https://{SITE}/panel/")
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", password)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(re.compile(f"https://{SITE}/panel/(?!login)"))
    go(page, f"https://{SITE}/panel/operation/")
    return page.inner_text("main")


def answer(page: Page, link: str) -> dict[str, Any]:
    """Answer the survey of `payloads.definition` in a browser; the request that it sent, and the status."""
    sent: list[dict[str, Any]] = []
    page.on(
        "response",
        lambda seen: (
            seen.request.method == "POST"
            and sent.append({"url": seen.url, "body": seen.request.post_data, "status": seen.status})
        ),
    )
    Visit(page, link).open().stage("questions").answer("Yes", "Low").send().stage("sent")
    (report,) = sent
    return report


class Repeating:
    """Sends one report again and again from a thread, and notes what it is answered: 200 while it is known."""

    def __init__(self, machine: Machine, report: dict[str, Any], trusted: Path) -> None:
        self._machine, self._report, self._trusted = machine, report, trusted
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._send)
        self.answers: list[tuple[int, str | None]] = []
        """Statuses, and the header Retry-After."""

    def __enter__(self) -> "Repeating":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _send(self) -> None:
        path = self._report["url"].partition(SITE)[2]
        while not self._end.wait(0.1):
            answer = ask(self._machine, path, self._trusted, body=self._report["body"].encode())
            self.answers.append((answer.status, answer.headers.get("Retry-After")))


def ask(machine: Machine, path: str, trusted: Path, *, body: bytes | None = None) -> urllib3.BaseHTTPResponse:
    """Ask the site over https, with its certificate checked."""
    headers = {"Host": SITE} | ({"Content-Type": "application/json", "Origin": f"https://{SITE}"} if body else {})
    with urllib3.HTTPSConnectionPool(
        machine.address, server_hostname=SITE, assert_hostname=SITE, ca_certs=str(trusted), retries=False, timeout=30
    ) as pool:
        return pool.request("POST" if body else "GET", path, body=body, headers=headers)
