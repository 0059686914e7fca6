"""From the sign-in link to the first estimate of one's own survey: every click is counted, and listed in the docs."""

import re
from collections.abc import Iterator
from urllib.request import Request, urlopen

import numpy as np
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Locator, Page
from sesame.utils import get_token

from collector.designs.selectors import get_design
from estimator import tasks
from estimator.base import jobs
from estimator.runs import services as estimator
from surveys.models import Survey
from surveys.planning.rehearsals import services as rehearsals
from surveys.planning.rehearsals import simulation
from surveys.planning.rehearsals.population import population
from tests.browser.accessibility import IN_THE_DARK
from tests.browser.panel import DESKTOP, PHONE
from tests.tools.browser import IMAGES, PATIENCE

MOST_CLICKS = 25
MOST_CLICKS_FROM_TEMPLATE = 15
TALL = {"width": 1280, "height": 1400}
QUESTIONS = {
    "copied": "Have you ever handed in work that somebody else had written?",
    "sold": "Have you ever sold work of yours to another student?",
    "tablets": "Have you taken tablets to study longer?",
}
HELP = "0800 000 000"
DOCUMENT = settings.ROOT / "docs" / "tutorials" / "first-survey.md"


class Hand:
    """Somebody at the panel: presses what can be seen, and types into what was pressed. Each press is a click."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks: list[tuple[str, str]] = []

    def press(self, what: Locator, name: str, typed: str = "") -> None:
        what.click()
        if typed:
            self.page.keyboard.press("ControlOrMeta+a")
            self.page.keyboard.type(typed)
        self.clicks.append((name, typed))

    def step(self, name: str) -> None:
        """A step in the bar above every page of a survey."""
        bar = self.page.get_by_role("navigation", name="Steps")
        self.press(bar.get_by_role("link", name=re.compile(f"^{name}")), f"the step {name}")

    def table(self) -> str:
        lines = [f"| {n} | {name} | {typed} |" for n, (name, typed) in enumerate(self.clicks, start=1)]
        return "\n".join(["| click | on | typed |", "|---|---|---|", *lines])

    def picture(self, name: str) -> None:
        """For the documentation, on a desktop in the light and on a phone in the dark."""
        if not IMAGES:
            return
        for device, size, scheme in (("desktop", TALL, "light"), ("phone-dark", PHONE, "dark")):
            self.page.set_viewport_size(size)  # type: ignore[arg-type]
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            self.page.evaluate(IN_THE_DARK, scheme == "dark")
            self.page.evaluate("scrollTo(0, 0)")
            self.page.screenshot(path=f"{IMAGES}/panel-{device}-{name}.png")
        self.page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
        self.page.emulate_media(color_scheme="light")
        self.page.evaluate(IN_THE_DARK, False)


@pytest.fixture
def page(browser: Browser, running_site: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page whose console must stay silent. No broker: `work` does what the worker does."""
    monkeypatch.setattr(jobs, "wake", lambda task, job_id: None)
    context = browser.new_context(base_url=running_site, viewport=DESKTOP)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    page, faults = context.new_page(), list[str]()
    page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    yield page
    context.close()
    assert faults == []


def work() -> None:
    """One look of the worker at what waits."""
    for one in Survey.objects.get().rehearsals.all():
        rehearsals.execute(one.pk, seconds=60)
    tasks.fold_waiting()
    for run in estimator.estimate_changed():
        estimator.execute(run.pk)


def answer(site: str, survey: Survey, people: int) -> None:
    """So many respondents send what a browser of theirs would send, to the address that it is sent to."""
    design, generator = get_design(survey.versions.get().design_id), np.random.default_rng(2026)
    shares = {"copied": [0.6, 0.3, 0.1], "sold": [0.8, 0.1, 0.1], "tablets": [0.7, 0.2, 0.1]}
    next_word = simulation._words(generator)
    for number, one in enumerate(population(design, {"respondents": people, "shares": shares}).draw(generator)):
        body = simulation.report_body(design, one, next_word, nonce=f"{number:032x}")
        headers = {"Content-Type": "application/json", "Origin": site}
        assert urlopen(Request(f"{site}/s/{survey.slug}/reports", body, headers)).status == 201


def write(hand: Hand, page: Page) -> None:
    """A survey of three questions, in an empty form."""
    hand.press(page.get_by_role("link", name="New survey").last, "New survey")
    hand.press(
        page.get_by_role("link", name="Use the plain form, without JavaScript"),
        "Use the plain form, without JavaScript",
    )
    hand.press(page.get_by_label("Title", exact=False).first, "Title", "Study and honesty")
    for number, (key, wording) in enumerate(QUESTIONS.items()):
        if number:
            hand.press(page.get_by_text("Add a question"), "Add a question")
        rows = page.locator("#items-data > .form-group:not(.empty-form):visible").nth(number)
        hand.press(rows.get_by_label("Key").first, f"Key of question {number + 1}", key)
        hand.press(rows.get_by_label("Question", exact=True).first, f"Question {number + 1}", wording)
    hand.press(page.get_by_role("button", name="Save", exact=True), "Save")
    page.get_by_text("Ready to open.").wait_for()


def plan_and_rehearse(hand: Hand, page: Page) -> None:
    hand.step("Plan")
    hand.press(page.get_by_label("Truth probability", exact=True), "Truth probability", "3/5")
    page.locator("[data-status]", has_text="60").wait_for()
    hand.picture("2-plan")
    hand.press(page.get_by_role("button", name="Use in the draft"), "Use in the draft")
    page.get_by_text("copied now has truth probability 3/5").wait_for()
    hand.step("Rehearse")
    hand.press(page.get_by_role("button", name="Rehearse it"), "Rehearse it")
    page.get_by_role("progressbar", name="Rehearsing").wait_for()
    work()
    page.get_by_text(re.compile(r"of \d+ intervals contained the true value")).wait_for()
    hand.picture("4-rehearsed")


def fill_in(hand: Hand, page: Page) -> None:
    """What the template leaves to its author: a press on its line marks it, and typing replaces it."""
    left = page.locator(".editor-problems li button", has_text="has a placeholder to fill in")
    while left.count():
        line = left.first
        words = line.locator("b").inner_text()
        before = page.locator(".editor-problems").inner_text()
        line.click()
        field = page.locator("textarea:focus")
        rest = re.sub(r"\[\[.*?\]\]", HELP, field.input_value(), count=1)
        page.keyboard.insert_text(HELP)
        hand.clicks.append((f"{words} in the list of what is missing", HELP))
        assert field.input_value() == rest
        page.wait_for_function(
            "(before) => document.querySelector('.editor-problems').innerText !== before", arg=before
        )


@pytest.mark.long
def test_template_to_first_simulated_estimate_counts_clicks(page: Page, alice: User) -> None:
    page.goto(f"/panel/sign-in/#{get_token(alice)}")
    hand = Hand(page)
    hand.press(page.get_by_role("button", name="Sign in"), "Sign in")
    hand.press(page.get_by_role("link", name="New survey").last, "New survey")
    hand.press(page.get_by_role("link", name="Browse templates"), "Browse templates")
    hand.press(page.get_by_role("button", name="Use this template: Violence by a partner"), "Use this template")
    hand.press(page.get_by_role("link", name="Edit the draft").first, "Edit the draft")
    page.get_by_role("heading", name="Before it can be opened").wait_for()
    fill_in(hand, page)
    page.get_by_text("Ready to open").wait_for()
    hand.step("Rehearse")
    hand.press(page.get_by_role("button", name="Rehearse it"), "Rehearse it")
    page.get_by_role("progressbar", name="Rehearsing").wait_for()
    work()
    page.get_by_text(re.compile(r"of \d+ intervals contained the true value")).wait_for()
    page.get_by_role("link", name="Review and open …").wait_for()
    assert len(hand.clicks) <= MOST_CLICKS_FROM_TEMPLATE
    assert hand.table() in DOCUMENT.read_text(encoding="utf-8"), (
        f"docs/tutorials/first-survey.md must say:\n{hand.table()}"
    )


@pytest.mark.long
def test_sign_in_to_first_estimate_counts_clicks(page: Page, running_site: str, alice: User) -> None:
    page.goto(f"/panel/sign-in/#{get_token(alice)}")
    hand = Hand(page)
    hand.press(page.get_by_role("button", name="Sign in"), "Sign in")
    write(hand, page)
    plan_and_rehearse(hand, page)
    hand.step("Open")
    hand.press(page.get_by_role("button", name="Open version 1"), "Open version 1")
    page.get_by_label("Link for respondents").wait_for()
    hand.picture("6-share")
    hand.step("Watch")
    page.get_by_role("heading", name="Not enough responses yet").wait_for()
    answer(running_site, Survey.objects.get(), 60)
    work()
    quotes = page.locator(".quote")
    quotes.first.wait_for()
    hand.picture("7-watch")
    assert quotes.count() == 3 * len(QUESTIONS), "a sentence for no, yes and prefer not to say"
    assert "50 respondents" in quotes.first.inner_text(), "of an open survey, the last ten wait"
    assert len(hand.clicks) <= MOST_CLICKS
    assert hand.table() in DOCUMENT.read_text(encoding="utf-8"), (
        f"docs/tutorials/first-survey.md must say:\n{hand.table()}"
    )
