"""From the sign-in link to an open survey in a browser without scripts: the 8 questions of the editor's journey.

Every text is in two languages, as it would be copied from a document; no key and no link's name is typed.
"""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page
from sesame.utils import get_token

from surveys.definition.mechanisms import KINDS
from surveys.lifecycle import selectors
from surveys.models import Survey
from tests.browser.panel import DESKTOP
from tests.tools.browser import PATIENCE

Texts = dict[str, str]

QUESTIONS: list[tuple[str, str, Texts]] = [
    ("yes_no", "Have you ever cheated in an exam?", {}),
    ("yes_no", "Have you ever paid for a text?", {}),
    ("yes_no", "Do you know somebody who sells texts?", {}),
    ("one_choice", "Which drug did you try first?", {"choices": "None\nCannabis\nEcstasy\nAnother one"}),
    ("one_choice", "Where do you study most?", {"choices": "At home\nIn the library\nElsewhere"}),
    ("several_choices", "Which of these did you take this year?", {"choices": "Coffee tablets\nRitalin\nModafinil"}),
    ("scale", "How well do you feel?", {"choices": "Very badly\nBadly\nSo-so\nWell\nVery well"}),
    ("number", "How many exams did you fail?", {"minimum": "0", "maximum": "10", "step": "1"}),
]
"""Kind, wording, and the other fields that it needs."""


@pytest.fixture
def page(browser: Browser, running_site: str) -> Iterator[Page]:
    context = browser.new_context(base_url=running_site, viewport=DESKTOP, java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def fill_question(page: Page, place: int, kind: str, wording: str, others: Texts) -> None:
    """The fields of the new question, and its texts in German as well."""
    page.locator(f"#id_items-{place}-kind").select_option(kind)
    for name, value in {"wording": wording, **others}.items():
        page.locator(f"[name=items-{place}-{name}]").fill(value)
        if name in ("wording", "choices"):
            german = "\n".join(f"{line} (auf Deutsch)" for line in value.splitlines())
            page.locator(f"[name=items-{place}-{name}_de]").fill(german)


@pytest.mark.long
def test_survey_in_two_languages_is_opened_without_script(page: Page, alice: User) -> None:
    page.goto("/panel/sign-in/")
    page.get_by_label("Sign-in link, or the part after its #").fill(get_token(alice))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("main").get_by_role("link", name="New survey").click()
    page.get_by_role("link", name="Use the plain form, without JavaScript").click()
    page.locator("#id_title").fill("Students and drugs")
    page.get_by_role("checkbox", name="Deutsch").check()
    for place, question in enumerate(QUESTIONS):
        page.get_by_role("button", name="Add a question").click()
        fill_question(page, place, *question)
    page.locator("[name=title_de]").fill("Studierende und Drogen")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="Plan the questions").click()
    page.get_by_role("button", name="Fit to budget").click()
    page.get_by_role("link", name="Open …").click()
    page.get_by_role("button", name="Open version 1").click()
    page.locator(".candor-mark.candor-open").first.wait_for()
    survey = Survey.objects.get()
    definition = selectors.definition_of(survey)
    kinds = [kind for kind, *_ in QUESTIONS]
    assert (survey.slug, survey.state) == ("students-and-drugs", Survey.State.OPEN)
    assert definition["languages"] == ["en", "de"]
    assert [item["kind"] for item in definition["items"]] == kinds
    assert set(kinds) == set(KINDS)
    assert definition["items"][0]["key"] == "have_you_ever_cheated_in_an_exam"
    assert definition["items"][3]["choices"][1] == {"en": "Cannabis", "de": "Cannabis (auf Deutsch)"}
