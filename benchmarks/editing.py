"""The survey editor in Chromium, with 60 questions of 40 options in 5 languages: its first view, a key, the preview.

    python -m benchmarks.editing [--slower 4]

Each figure stands beside its limit: 1,000 ms from the start of the load until a question can be edited, 100 ms from a
key to the next paint, 300 ms from the last key until the preview shows it. Keys are pressed in the wording, where they
add options, behind a question that was just added, while the preview is loaded whole, and in the translations. Once on
the machine as it is, once with the browser's processor slowed. Other work on the machine lengthens all of them.
"""

import argparse
import os
import re
import statistics
from collections.abc import Callable, Iterator
from typing import Any

FIRST_VIEW, KEY, PREVIEW = 1_000, 100, 300
QUESTIONS, OPTIONS, LANGUAGES = 60, 40, ["en", "de", "es", "fr", "ar"]
TYPED = " in the last year"
TURNS = 5

WATCH = """() => {
    if (window !== top) {
        return;
    }
    window.keys = [];
    new PerformanceObserver((list) => {
        const keys = list.getEntries().filter((entry) => entry.name === "keydown" || entry.name === "input");
        window.keys.push(...keys.map((entry) => entry.duration));
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
    new MutationObserver((_, watcher) => {
        if (document.querySelector(".editor-middle textarea, .editor-middle input")) {
            watcher.disconnect();
            requestAnimationFrame(() => setTimeout(() => (window.ready = performance.now())));
        }
    }).observe(document, { subtree: true, childList: true });
}"""

SHOWN = """(words) => new Promise((done) => {
    const since = performance.now();
    const look = () => {
        const shown = document.querySelector(".editor-screen iframe:not([data-coming])")?.contentDocument;
        const there = shown?.getElementById("question-1")?.textContent.includes(words);
        there ? done(performance.now() - since) : requestAnimationFrame(look);
    };
    look();
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slower", type=int, default=4)
    options = parser.parse_args()
    # Only here: these need Django's settings.
    from tests.audit.standalone import standalone

    with standalone():
        from django.contrib.auth.models import User

        from surveys.accounts.teams import home_team
        from surveys.definition.definitions import complete
        from surveys.lifecycle.services import write_survey
        from tests.tools.running import running_site

        author = User.objects.create_superuser("bench")
        write_survey(complete(definition()), team=home_team(author))
        with running_site() as url:
            for slower in (1, options.slower):
                print(f"{QUESTIONS} questions of {OPTIONS} options, processor slowed {slower} times")
                for name, milliseconds, limit in measured(url, author, slower):
                    ratio = f"{milliseconds / limit:5.2f} x the limit of {limit:,} ms"
                    print(f"  {name:<46}{milliseconds:>8,.0f} ms   {ratio}", flush=True)


def definition() -> dict[str, Any]:
    """A draft with every text in every language."""
    items = [
        {
            "key": f"q{number}",
            "kind": "one_choice",
            "wording": in_all(f"Which of these has happened to you, part {number}?"),
            "choices": [in_all(f"Option {place} of a long list") for place in range(OPTIONS)],
            "channel": {"name": "k_ary", "truth": f"1/{400 + number}"},
        }
        for number in range(QUESTIONS)
    ]
    return {"slug": "long", "title": in_all("A long draft"), "languages": LANGUAGES, "items": items}


def in_all(text: str) -> dict[str, str]:
    return {code: f"{text} ({code})" if code != "en" else text for code in LANGUAGES}


def measured(url: str, author: Any, slower: int) -> Iterator[tuple[str, float, int]]:
    """What was waited for: name, milliseconds, limit."""
    from playwright.sync_api import sync_playwright

    from tests.browser.panel import sign_in
    from tests.tools.browser import FLAGS, find_browser

    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright has an event loop in this thread
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=[*FLAGS])
        page = browser.new_context(base_url=url, viewport={"width": 1440, "height": 900}).new_page()
        page.add_init_script(f"({WATCH})()")
        sign_in(page, author)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        views = []
        for _ in range(TURNS):
            page.goto("/panel/survey/long/edit/")
            views.append(ready(page))
        yield "from the start of the load to the first view", statistics.median(views), FIRST_VIEW
        yield from edited(page, slower)
        browser.close()


def edited(page: Any, slower: int) -> Iterator[tuple[str, float, int]]:
    """The same of what is typed: in a question, behind a new one, and in the table of translations."""
    page.get_by_role("button", name="part 0?").first.click()
    page.locator(".editor-middle textarea").first.click()
    page.keyboard.press("End")
    page.wait_for_timeout(1_000)
    shown, added = list[float](), list[float]()
    keys = pressed(page, lambda: shown.extend(words_shown(page, slower)))
    options = pressed(page, lambda: added.extend(options_shown(page, slower)))
    yield "a key in the wording to the next paint: median", statistics.median(keys), KEY
    yield "a key in the wording to the next paint: slowest", max(keys), KEY
    yield "a key that adds an option, or in it: median", statistics.median(options), KEY
    yield "a key that adds an option, or in it: slowest", max(options), KEY
    yield "a key behind a new question: slowest", max(pressed(page, lambda: question_added(page))), KEY
    yield "a key in the translations: slowest", max(pressed(page, lambda: translated(page))), KEY
    yield "from the last key to the preview: median", statistics.median(shown), PREVIEW
    yield "from the last key to the preview: slowest", max(shown), PREVIEW
    yield "from a new option to the preview: median", statistics.median(added), PREVIEW
    yield "from a new option to the preview: slowest", max(added), PREVIEW


def pressed(page: Any, act: Callable[[], object]) -> list[float]:
    """Milliseconds from each key to the next paint while something is done; the browser keeps none below 16."""
    page.evaluate("window.keys.length = 0")
    act()
    page.wait_for_timeout(500)
    return [16.0, *page.evaluate("window.keys")]


def words_shown(page: Any, slower: int) -> list[float]:
    """Milliseconds from the last key of some words in the wording until the preview shows them, each turn."""
    shown = []
    for turn in range(TURNS):
        words = f"{TYPED}, {slower}.{turn}"
        page.keyboard.type(words, delay=80)
        shown.append(page.evaluate(f"({SHOWN})", words))
        page.wait_for_timeout(1_500)
    return shown


def options_shown(page: Any, slower: int) -> list[float]:
    """The same of a new option."""
    shown = []
    for turn in range(TURNS):
        page.get_by_label(re.compile("^Option [0-9]+$")).last.press("Enter")
        page.wait_for_timeout(1_500)
        words = f"Another one, {slower}.{turn}"
        page.keyboard.insert_text(words)
        shown.append(page.evaluate(f"({SHOWN})", words))
    return shown


def question_added(page: Any) -> None:
    """Add a question and write it at once, with which the preview is loaded whole."""
    page.get_by_role("button", name="+ Add question").click()
    page.locator(".editor-kind", has_text="One choice").first.click()
    for words in ("Have you ever", " been asked this,", " and by whom?"):
        page.keyboard.type(words, delay=80)
        page.wait_for_timeout(600)


def translated(page: Any) -> None:
    page.get_by_role("button", name="Translate", exact=True).click()
    page.locator(".editor-texts textarea").nth(5).click()
    page.wait_for_timeout(1_000)
    page.keyboard.type("In other words", delay=80)


def ready(page: Any) -> float:
    """Milliseconds from the start of the load to the first view."""
    while not (found := page.evaluate("window.ready")):
        page.wait_for_timeout(50)
    return float(found)


if __name__ == "__main__":
    main()
