"""The page in other languages, in a real browser: answering to the end, and a switch that tells nobody anything."""

import gettext
import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser

from bin import catalog
from collector.models import WaitingReport
from surveys.accounts.teams import home_team
from surveys.definition.languages import PLURALS
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.browser.accessibility import CLEAN, faults, on_every_screen
from tests.browser.states import UNFOLD
from tests.browser.visit import Visit, targets
from tests.factories import translations
from tests.factories.translations import text
from tests.tools.capture import DROP, Capture, Request

OTHERS = {"de": "Deutsch", "es": "Español", "fr": "Français", "ar": "العربية"}

others = pytest.mark.parametrize(
    "code", ["de", "ar", *(pytest.param(code, marks=pytest.mark.long) for code in ("es", "fr"))]
)
"""The gate takes the longest words and the other direction."""


@pytest.fixture
def version(alice: User) -> Version:
    """The campus survey in every language."""
    return open_survey(write_survey(translations.definition(*translations.CODES), team=home_team(alice)))


def in_language(visit: Visit, code: str) -> Visit:
    visit.url += f"{code}/"
    return visit


def answer(visit: Visit, code: str) -> Visit:
    return visit.answer(text("Yes", code), text("Low", code), group=text("First year", code))


def send(visit: Visit) -> Visit:
    visit.page.locator("[data-part=review-button]").click()
    visit.stage("review").page.locator("[data-part=send-button]").click()
    return visit.stage("sent")


@pytest.mark.long
@others
def test_report_has_one_address_and_shape_in_any_language(visit: Visit, site: Capture, code: str) -> None:
    send(answer(in_language(visit, code).open(f"#{site_digest()}").stage("questions"), code))
    (post,) = site.posts()
    fields = json.loads(post.body)
    assert post.target == "/s/campus/reports"
    assert (list(fields), len(post.body)) == (["design", "nonce", "stratum", "report"], 151)
    assert fields["stratum"] == "y1"
    report = WaitingReport.objects.get()
    assert (report.stratum, bytes(report.report).hex()) == (0, fields["report"])


@pytest.mark.long
def test_language_switch_stands_beside_consent(alice: User, visit: Visit, site: Capture) -> None:
    statement = {code: f"{code}: I am at least 18 years old." for code in translations.CODES}
    definition = translations.definition(*translations.CODES, slug="adults", consent_statements=[statement])
    open_survey(write_survey(definition, team=home_team(alice)))
    visit.url = visit.url.replace("/campus/", "/adults/")
    visit.open().stage("consent").page.get_by_role("link", name=OTHERS["de"]).click()
    assert visit.stage("consent").page.get_by_text(statement["de"], exact=True).is_visible()


@pytest.mark.long
@others
def test_language_switch_keeps_fragment(visit: Visit, code: str) -> None:
    page = visit.open(f"#{site_digest()}").stage("questions").page
    page.get_by_role("link", name=OTHERS[code]).click()
    page.wait_for_url(f"{visit.url}{code}/#{site_digest()}")
    visit.stage("questions")
    assert page.evaluate("document.documentElement.lang") == code
    assert text("How do you feel?", code) in page.locator("main").inner_text()


def test_language_switch_request_is_the_same_for_any_ticks(visit: Visit, site: Capture) -> None:
    """Everything that reaches the server from the first tick to the last byte of the other page's load."""
    ticks: list[Callable[[], object]] = [
        lambda: None,
        lambda: visit.answer("Yes", "Low"),
        lambda: visit.answer("No", "Well", group="Later"),
        lambda: visit.choose(1, "Yes").choose(1, "No"),
    ]
    seen = []
    for tick in ticks:
        visit.page.goto("about:blank")
        visit.open(f"#{site_digest()}").stage("questions")
        links = visit.page.locator("nav a").evaluate_all("all => all.map(a => a.href)")
        site.forget()
        tick()
        assert visit.page.locator("nav a").evaluate_all("all => all.map(a => a.href)") == links
        visit.page.get_by_role("link", name="Deutsch").click()
        visit.page.wait_for_url("**/de/#*")
        visit.stage("questions")
        assert visit.checked() == 0
        seen.append(sorted((request.head, request.body) for request in site.requests if page_request(request)))
    assert len(seen[0]) == 1
    assert all(each == seen[0] for each in seen)
    assert site.posts() == []


def test_ticks_are_gone_after_language_switch_and_back(visit: Visit) -> None:
    page = answer(visit.open().stage("questions"), "en").page
    page.get_by_role("link", name="Deutsch").click()
    page.wait_for_url("**/de/")
    visit.stage("questions")
    visit.back()
    page.wait_for_url(visit.url, wait_until="commit")
    visit.stage("questions")
    assert visit.checked() == 0


@pytest.mark.long
def test_language_switch_is_hidden_after_the_questions(visit: Visit) -> None:
    page = answer(visit.open().stage("questions"), "en").page
    assert page.locator("nav").is_visible()
    visit.press("Review your answers").stage("review")
    assert page.locator("nav").is_hidden()
    visit.press("Send").stage("sent")
    assert page.locator("nav").is_hidden()


def test_check_section_names_page_and_design_addresses(visit: Visit, site: Capture) -> None:
    page = in_language(visit, "de").open().stage("questions").page
    said = page.locator("[data-part=check-design], [data-part=check-page]").all_text_contents()
    assert said == [
        f"curl -s {site.url}/s/campus/design.json | sha256sum",
        f"curl -s {site.url}/s/campus/de/ | sha256sum",
    ]
    assert targets(site)[0] == "/s/campus/de/"


@pytest.mark.long
def test_pending_report_is_sent_from_any_language(visit: Visit, site: Capture) -> None:
    """Else a person who changes the language while the server is away would answer twice."""
    visit.excused = "Failed to load resource"
    respond = site.respond
    site.respond = lambda request: DROP if request.method == "POST" else respond(request)
    page = answer(visit.open().stage("questions"), "en").page
    visit.press("Review your answers").press("Send").stage("sending")
    site.wait_for_posts(1)  # before the browser keeps the report, leaving the page gives it up
    site.respond = respond
    page.goto(f"{visit.url}ar/")
    visit.stage("sent")
    assert len({post.body for post in site.posts()}) == 1
    assert WaitingReport.objects.count() == 1


@pytest.mark.long
@pytest.mark.parametrize("code", ["ar", "de"])  # from right to left; longest words
def test_axe_other_languages_and_width(visit: Visit, code: str) -> None:
    page = in_language(visit, code).open().stage("questions").page
    page.evaluate(UNFOLD)
    visit.question(2).locator(".icon-array").last.wait_for()
    page.locator("[data-part=practice-choices] label").last.click()
    page.locator("[data-part=check-question] label").first.click()
    page.locator("[data-part=review-button]").click()
    assert dict(on_every_screen(page)) == CLEAN
    page.set_viewport_size({"width": 320, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    send(answer(visit, code)).page.evaluate(UNFOLD)
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.long
@others
def test_axe_coin_page_in_every_language(visit: Visit, code: str) -> None:
    visit.url += f"{code}/coin/"
    page = visit.open().page
    page.set_viewport_size({"width": 320, "height": 800})
    page.evaluate(UNFOLD)
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_arabic_sentence_keeps_its_word_order(visit: Visit) -> None:
    """The parts of "{own}, {rest}, {third}" follow each other from right to left, each a sentence of its own."""
    page = in_language(visit, "ar").open().stage("questions").page
    page.set_viewport_size({"width": 1280, "height": 800})
    line = page.evaluate(
        """() => {
            const text = document.querySelector("[data-part=tickets-said]").firstChild;
            const at = (word) => {
                const range = document.createRange();
                range.setStart(text, text.data.indexOf(word));
                range.setEnd(text, text.data.indexOf(word) + word.length);
                return range.getBoundingClientRect();
            };
            return ["إجابتك", "دائمًا"].map(at).map(({ x, y }) => ({ x, y }));
        }"""
    )
    (own, rest) = line
    assert (own["y"], -own["x"]) < (rest["y"], -rest["x"]), "further down, or on the same line further to the left"


@pytest.mark.parametrize("code", translations.CODES)
def test_plural_forms_equal_gettext(browser: Browser, code: str) -> None:
    """The template has a line for each name that the browser may look for, with the form that gettext has for it."""
    numbers = [*range(201), 1000, 10**6, 2 * 10**6, 2**32]
    page = browser.new_page()
    script = "([code, numbers]) => numbers.map((number) => new Intl.PluralRules(code).select(number))"
    names = page.evaluate(script, [code, numbers])
    page.close()
    assert set(names) == set(PLURALS[code])
    rule = (
        "n != 1" if code == "en" else catalog.catalog(code).metadata["Plural-Forms"].partition("plural=")[2].strip("; ")
    )
    form = gettext.c2py(rule)
    examples = {name: form(number) for name, number in PLURALS[code].items()}
    assert sorted(examples.values()) == list(range(len(examples)))
    for number, name in zip(numbers, names, strict=True):
        assert form(number) == examples[name], number


def page_request(request: Request) -> bool:
    """Not a file or an icon, which a browser may have kept."""
    return not request.target.startswith("/static/")


def site_digest() -> str:
    return Version.objects.get().design_id
