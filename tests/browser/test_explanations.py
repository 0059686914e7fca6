"""The words never drift from the numbers: what the page explains is read off real tables and computed a second time.

Fifty designs at random, drawn from fixed seeds, so that a failure comes back. A text of the explaining part that is not
the expected one to the last character fails, and so does a digit that stands where no text was expected.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from collector.designs import Design
from surveys.rendering.pages import render_page
from tests.browser import chance
from tests.browser.accessibility import CLEAN, on_every_screen
from tests.browser.expected_texts import Told, opening, sentences_of, sums
from tests.browser.practised import check_practice
from tests.browser.states import UNFOLD
from tests.factories import kinds
from tests.tools.browser import PATIENCE

FIRST = (0, 1, 2, 3, 4, 6, 15, 24, 33, 35, 40)
"""Seeds that have every manner between them, also of a first question."""

OTHERS = [seed for seed in range(50) if seed not in FIRST]

AT_ONCE = 10
"""Seeds for one running site: to start one takes longer than to read a page."""

CHECKED = (
    "tickets-said",
    "tickets-drawn",
    "leaves",
    "odds",
    "sum-one",
    "sum-all",
    "experts",
    "tables",
    "question-odds",
)

WRONG = [
    ("about {own} send “{answer}”. Of 100", "about {cross} send “{answer}”. Of 100"),
    ("send a set with “{answer}” too.", "send a set with “{other}” too."),
    ("Of {tickets} tickets, {count} put your choice in", "Of {tickets} tickets, {size} put your choice in"),
    ("with at most {most} ticked", "with at most {choices} ticked"),
    ("within ± {middleReach} of it", "within ± {endReach} of it"),
    ("about {own} send {from} or more.", "about {own} send {middle} or more."),
    ("The nearer your number is to {answer}", "The nearer your number is to {other}"),
    ("(epsilon) is {epsilon}", "(epsilon) is 6.9"),
    ("the factor is at most {odds}.", "the factor is at most {count}."),
    ("{share} send “{sent}”", "{share} send “{sent}” of 10"),
    ("This is question {number}.", "This is question 2."),
    ("Nothing for sure: the ticket may have chosen it", "Nothing for sure: 1 ticket may have chosen it"),
    ("In the box, {own} of {tickets} tickets send", "In the box, {tickets} of {own} tickets send"),
    ("The odds</summary>", "The odds, 3 of 4</summary>"),
]
"""Texts of the page, and what they might be by mistake."""

READ = """(names) => {
    const read = (root) => {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
        const texts = [];
        while (walker.nextNode()) {
            const text = (walker.currentNode.getAttribute?.("aria-label") ?? walker.currentNode.data ?? "").trim();
            if (text !== "") texts.push(text);
        }
        return texts;
    };
    const draw = (picture) => {
        const count = (name) => picture.querySelectorAll(name).length;
        const bars = [...picture.querySelectorAll(".bar")];
        if (picture.matches(".icon-array")) return { people: count(".person-sends"), of: count("path") };
        const share = picture.querySelector(".share-own");
        if (share) return { share: Number(share.getAttribute("width")) };
        const kinds = [".ticket-own", ".ticket-other", ".ticket-always"];
        if (picture.matches(".tickets")) return { tickets: kinds.map(count) };
        return {
            bars: bars.map((bar) => Number(bar.getAttribute("height"))),
            own: bars.findIndex((bar) => bar.matches(".bar-own")),
            floor: new Set(bars.map((bar) => Number(bar.getAttribute("y")) + Number(bar.getAttribute("height")))).size,
        };
    };
    const places = (name) => [...document.querySelectorAll(`[data-part=${name}]`)];
    const all = Object.fromEntries(names.map((name) => [name, places(name).map((place) => ({
        texts: read(place),
        pictures: [...place.querySelectorAll("svg")].map(draw),
    }))]));
    const explaining = [...document.querySelectorAll(".opening, [data-part=practice]")];
    const stray = explaining.flatMap(read).filter((text) => /\\d/.test(text));
    return { ...all, stray };
}"""
"""Every text and every picture of the explaining parts, and every text with a digit anywhere in them."""


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[BrowserContext]:
    """One context for all pages: scripts are fetched once."""
    context = browser.new_context(viewport={"width": 360, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


def opened(reader: BrowserContext, site: str, document: dict[str, Any], change: tuple[str, str] = ("", "")) -> Page:
    """The page of a design; `change` replaces one of its texts."""
    page = reader.pages[0] if reader.pages else reader.new_page()
    body = render_page(Design.of(document)).decode()
    assert change[0] in body
    address = f"{site}/s/{document['slug']}/"
    page.route(
        address, lambda route: route.fulfill(body=body.replace(*change), content_type="text/html; charset=utf-8")
    )
    page.goto(address)
    page.wait_for_selector("html[data-now=questions]")
    page.unroute(address)
    return page


def unfolded(page: Page) -> Page:
    """With every fold open, and what they hold in its place."""
    page.evaluate(UNFOLD)
    page.wait_for_function("[...document.querySelectorAll('[data-part=question-odds]')].every((one) => one.firstChild)")
    page.locator("[data-part=practice-lines] li").first.wait_for(state="attached")
    return page


def without_sections(items: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """A design of these questions, all of them asked on one screen."""
    dropped = ("section", "asked_if", "unasked")
    free = [{name: value for name, value in item.items() if name not in dropped} for item in items]
    document = kinds.document(items=free, **changes)
    document.pop("sections")
    return document


def told_of(document: dict[str, Any]) -> list[Told]:
    sentences = sentences_of(render_page(Design.of(document)))
    return [Told(item, sentences) for item in document["items"]]


def expected_texts(items: list[Told]) -> dict[str, list[list[str]]]:
    first = items[0]
    return {
        "tickets-said": [[opening(items)]],
        "tickets-drawn": [first.box(brief=True)],
        "leaves": [[first.say("leaves")]],
        "odds": [first.odds()],
        **{name: [[text]] for name, text in sums(items).items()},
        "tables": [[text for number, told in enumerate(items, 1) for text in told.table(number)]],
        "question-odds": [told.fold() for told in items],
    }


def expected_pictures(items: list[Told]) -> dict[str, list[list[dict[str, Any]]]]:
    first = items[0]
    return {
        "tickets-drawn": [first.drawn(brief=True)],
        "odds": [first.arrays()],
        "question-odds": [told.drawn(brief=False) + told.arrays() for told in items],
    }


def check_picture(drawn: dict[str, Any], expected: dict[str, Any]) -> None:
    """The number of people and of tickets, the width of a share, the height of every bar."""
    if "people" in expected:
        assert drawn == {"people": expected["people"], "of": 100}
    elif "share" in expected:
        assert drawn == {"share": pytest.approx(float(400 * expected["share"]), abs=0.501)}
    elif "bars" in expected:
        assert drawn["bars"] == pytest.approx([82 * height for height in expected["bars"]], abs=0.006)
        assert drawn["own"] == (-1 if expected["own"] is None else expected["own"])
    else:
        assert drawn == expected


def check_page(read: dict[str, Any], items: list[Told]) -> None:
    texts = {name: [place["texts"] for place in read[name]] for name in CHECKED}
    assert texts == expected_texts(items)
    pictures = expected_pictures(items)
    for name in CHECKED:
        for place, expected in zip(read[name], pictures.get(name, [[]] * len(read[name])), strict=True):
            for drawn, one in zip(place["pictures"], expected, strict=True):
                check_picture(drawn, one)


def check_design(
    reader: BrowserContext, site: str, document: dict[str, Any], change: tuple[str, str] = ("", "")
) -> None:
    items = told_of(document)
    page = unfolded(opened(reader, site, document, change))
    read = page.evaluate(READ, list(CHECKED))
    check_page(read, items)
    known = {text for name in CHECKED for place in read[name] for text in place["texts"]}
    known |= check_practice(page, items[0])
    assert [text for text in read["stray"] if text not in known] == [], "a digit that nobody has checked"


@pytest.mark.long
@pytest.mark.parametrize("seeds", [FIRST, *(OTHERS[at : at + AT_ONCE] for at in range(0, len(OTHERS), AT_ONCE))])
def test_explanations_equal_channels_of_random_designs(
    reader: BrowserContext, running_site: str, seeds: Sequence[int]
) -> None:
    for seed in seeds:
        try:
            check_design(reader, running_site, chance.design(seed))
        except AssertionError as problem:
            problem.add_note(f"design of seed {seed}")
            raise


def test_random_designs_have_every_kind_of_explanation() -> None:
    seen = {told.manner for seed in FIRST for told in told_of(chance.design(seed))}
    firsts = {told_of(chance.design(seed))[0].manner for seed in FIRST}
    assert seen == firsts == {"two", "choice", "differ", "list", "set", "ticks", "near", "spread", "end", "values"}


@pytest.mark.long
def test_explanation_check_finds_wrong_numbers(reader: BrowserContext, running_site: str) -> None:
    """A test of the test: each change of one sentence of the page is found."""
    document = kinds.document()
    check_design(reader, running_site, document)
    for change in WRONG:
        with pytest.raises(AssertionError):
            check_design(reader, running_site, document, change)


@pytest.mark.long
def test_promise_has_at_most_sixty_words_for_every_kind(reader: BrowserContext, running_site: str) -> None:
    """Whatever kind of question comes first; an answer counts as one word, however its author words it."""
    for item in kinds.items():
        others = [other for other in kinds.items() if other["key"] != item["key"]][:1]
        document = without_sections([item, *others], consent={"en": "Leave when you like."})
        said = opened(reader, running_site, document).locator(".promise").inner_text()
        words = re.sub("“[^”]*”", "“…”", said).split()
        assert len(words) <= 60, (item["key"], said)


@pytest.mark.long
def test_axe_every_explanation(reader: BrowserContext, running_site: str) -> None:
    document = without_sections(kinds.items())
    page = unfolded(opened(reader, running_site, document))
    assert dict(on_every_screen(page)) == CLEAN
