"""What axe-core says of a page. It comes inside a pinned wheel, so no test asks another host for it."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.browser.panel import fits
from tests.browser.states import UNFOLD

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# The panel's theme looks at the scheme as a page loads and never again; its class is set as it would set it.
IN_THE_DARK = "dark => document.documentElement.classList.toggle('dark', dark)"

# axe measures boxes and colours as they are at one moment: a font that comes later, or a transition, changes both.
STANDING_STILL = """async () => {
    await document.fonts.ready;
    const finite = document.getAnimations().filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime));
    finite.forEach((one) => one.finish());
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}"""

COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that look at colours."""

SIZES = ["target-size", "scrollable-region-focusable"]
"""Rules on structure that depend on a screen's width, of elements that every screen shows."""

EVERYWHERE = "document"
"""Where axe looks, as a script."""

SCREENS = [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]


class Excused(NamedTuple):
    """A fault in markup that is not ours: one rule on elements whose markup has `pattern`, and why it stays."""

    rule: str
    pattern: str
    reason: str


def faults(
    page: Page,
    *,
    excused: Iterable[Excused] = (),
    without: Iterable[str] = (),
    only: Iterable[str] = (),
    within: str = EVERYWHERE,
) -> list[str]:
    """Every violation, and every contrast of HTML text that axe could not compute.

    Rules in `without` are not run, and where `only` names some, no others. `within` is a script: where axe looks.
    """
    rules = {"target-size": {"enabled": True}} | {rule: {"enabled": False} for rule in without}
    every = {"runOnly": TAGS, "rules": rules}
    named = {"runOnly": {"type": "rule", "values": list(only)}}
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(AXE.replace("WITHIN", within), named if only else every)
    seen = list(_lines(found["violations"]))
    if not excused:
        seen += [line for line in _lines(found["incomplete"]) if re.match(r"color-contrast: (?!<text)", line)]
    return [line for line in seen if not any(_covers(excuse, line) for excuse in excused)]


# What passes is not described, and what a page loads is not fetched once more.
AXE = """async (options) => {
    const within = WITHIN;
    if (within.length === 0) return { violations: [], incomplete: [] };
    const lean = { resultTypes: ["violations", "incomplete"], preload: false };
    const { violations, incomplete } = await axe.run(within, { ...options, ...lean });
    return { violations, incomplete };
}"""

STYLE = ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "fontSize", "fontWeight", "textShadow"]
"""What decides, in an element and in all around it, whether a text can be read."""

UNCHECKED = """(() => {
    const checked = window.checkedColours ??= new Set();
    const looks = new Map([[null, ""]]);
    return [...document.querySelectorAll("*")].filter((one) => {
        const style = getComputedStyle(one);
        const off = [one.ariaHidden, one.ariaDisabled, one.disabled, one.control?.disabled];
        const look = [looks.get(one.parentElement), one.tagName, ...STYLE.map((name) => style[name]), ...off].join();
        looks.set(one, look);
        const text = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
        if (!(text || one.matches("input, select, textarea")) || !one.checkVisibility()) return false;
        const amid = one.matches("a") && one.closest(BLOCK)?.textContent.trim() !== one.textContent.trim();
        return !checked.has(look + amid) && checked.add(look + amid);
    });
})()""".replace("STYLE", str(STYLE)).replace("BLOCK", '"p, li, td, th, dd, dt, figcaption, div, section, main, body"')
"""Texts that look like none that was checked on this page before; a link amid a text is another than one by itself."""

UNSEEN = """(() => {
    const seen = window.seenElements ??= new Set();
    return [...document.querySelectorAll("body *")].filter((one) => {
        return one.checkVisibility() && !seen.has(one) && seen.add(one);
    });
})()"""
"""Elements that no narrower screen has shown."""

# The style of 1.4.12 Text Spacing. A sheet made by script is not touched by the page's policy.
SPACED = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
        * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
        p { margin-bottom: 2em !important }`);
    document.adoptedStyleSheets = [sheet];
}"""

CLIPPED = """() => [...document.querySelectorAll("main *")].filter((element) =>
    element.checkVisibility() && !element.closest(".out-of-sight, .candor-out, svg") &&
    !element.matches(".table-frame") && element.textContent.trim() !== "" &&
    getComputedStyle(element).overflow !== "visible" &&
    (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)
).map((element) => element.outerHTML.slice(0, 80))"""
"""Elements that hide a piece of their text."""

texts = pytest.mark.parametrize(
    "within", [UNCHECKED, pytest.param(EVERYWHERE, marks=pytest.mark.long)], ids=["", "all"]
)
"""Colours cost most of the time: of texts that look alike the gate checks one, wherever it was seen first."""


def texts_of(states: Mapping[str, object], gate: Collection[str]) -> pytest.MarkDecorator:
    """The same for every state, as `reach` and `within`; the gate reaches only those that it names."""
    assert set(gate) <= set(states)
    few = [pytest.param(states[name], UNCHECKED, id=name) for name in states if name in gate]
    every = [pytest.param(states[name], EVERYWHERE, id=f"{name}-all", marks=pytest.mark.long) for name in states]
    return pytest.mark.parametrize(("reach", "within"), few + every)


def on_every_screen(
    page: Page, *, excused: Iterable[Excused] = (), within: str = UNCHECKED
) -> Iterator[tuple[str, list[str]]]:
    """The faults on a phone and a desktop, light and dark; in the dark of a screen nothing differs but colours.

    Unless it is to look everywhere, it asks for the structure of what a desktop shows and a phone does not.
    """
    page.wait_for_load_state()  # a link may just have been followed
    for width, scheme in SCREENS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.evaluate(IN_THE_DARK, scheme == "dark")
        page.evaluate(STANDING_STILL)
        found = [] if scheme == "dark" else _structure(page, excused, again=width != SCREENS[0][0], within=within)
        found += faults(page, excused=excused, only=COLOURS, within=within) + faint_picture_texts(page)
        yield f"{width} {scheme}", found if fits(page) else [*found, "it has to be scrolled sideways"]


def _structure(page: Page, excused: Iterable[Excused], *, again: bool, within: str) -> list[str]:
    if again and within != EVERYWHERE:
        more = faults(page, excused=excused, only=SIZES)
        return more + faults(page, excused=excused, without=[*COLOURS, *SIZES], within=UNSEEN)
    page.evaluate(f"{UNSEEN}.length")
    return faults(page, excused=excused, without=COLOURS)


def faint_picture_texts(page: Page) -> list[str]:
    """Texts in pictures with a contrast below 4.5; axe does not look behind the text of an SVG."""
    return [f"picture text: {text}" for text in page.evaluate(FAINT)]


FAINT = """() => {
    const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const channels = (colour) => {
        pixel.clearRect(0, 0, 1, 1);
        pixel.fillStyle = colour;
        pixel.fillRect(0, 0, 1, 1);
        return [...pixel.getImageData(0, 0, 1, 1).data].map((channel) => channel / 255);
    };
    const linear = (channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
    const light = (colour) => {
        const [red, green, blue] = channels(colour).map(linear);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element) => {
        const colour = getComputedStyle(element).backgroundColor;
        return channels(colour)[3] === 1 ? colour : behind(element.parentElement);
    };
    return [...document.querySelectorAll("svg text")].filter((text) => {
        const [low, high] = [light(getComputedStyle(text).fill), light(behind(text))].sort((a, b) => a - b);
        return text.checkVisibility() && (high + 0.05) / (low + 0.05) < 4.5;
    }).map((text) => text.textContent);
}"""


def _lines(checks: list[dict[str, Any]]) -> Iterator[str]:
    return (f"{check['id']}: {node['html'][:160]}" for check in checks for node in check["nodes"])


def _covers(excuse: Excused, line: str) -> bool:
    return line.startswith(f"{excuse.rule}: ") and re.search(excuse.pattern, line) is not None


CLEAN = {f"{size} {scheme}": [] for size, scheme in SCREENS}
THEME = (
    Excused("landmark-one-main", "<html", "the theme's list and form have no main landmark; the survey's own page has"),
    Excused("region", "", "the theme puts its header, list and form outside of landmarks; a recommendation, not WCAG"),
    Excused("landmark-unique", "simplebar", "the theme's scroll areas share one name"),
    Excused("empty-table-header", "<th", "the theme's column for deleting a row has no head"),
)
"""What the panel's theme (django-unfold) does in markup of its own. All four rules are recommendations of axe."""


def found(page: Page, path: str, within: str = UNCHECKED) -> dict[str, list[str]]:
    answer = page.goto(path)
    assert answer is not None
    assert answer.ok, "a page that says what went wrong is accessible too"
    page.evaluate(UNFOLD)
    return dict(on_every_screen(page, excused=THEME, within=within))
