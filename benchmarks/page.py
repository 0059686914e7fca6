"""The respondent's page with 30 questions of every kind on a phone's screen, its processor slowed six times.

    python -m benchmarks.page [--slower 6] [--questions 30]

Each figure stands beside its limit: 2,500 ms from the start of the load until the questions can be answered, and
200 ms from a tap to the next paint (where browsers' makers draw the line for LCP and INP). The slowest tap counts.
On a machine that has other work most of a wait is for the processor; the page's own work is printed beside it.
"""

import argparse
import statistics
from collections.abc import Iterator
from typing import Any

READY = 2_500
TAP = 200

WATCH = """() => {
    window.taps = [];
    window.work = [0];
    new PerformanceObserver((list) => {
        const taps = list.getEntries().filter((entry) => entry.interactionId > 0);
        window.taps.push(...taps.map((entry) => entry.duration));
        window.work.push(...taps.map((entry) => entry.processingEnd - entry.processingStart));
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
    new MutationObserver((_, watcher) => {
        if (document.documentElement.dataset.now === "questions") {
            watcher.disconnect();
            window.ready = performance.now();
        }
    }).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-now"] });
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slower", type=int, default=6)
    parser.add_argument("--questions", type=int, default=30)
    options = parser.parse_args()
    # Only here: these need Django's settings.
    from tests.audit.standalone import standalone

    with standalone():
        from django.contrib.auth.models import User

        from tests.audit.collecting import running_site
        from tests.factories.surveys import open_document

        open_document(survey(options.questions), User.objects.create_user("bench"))
        with running_site() as url:
            for slower in (1, options.slower):
                print(f"{options.questions} questions, 360 x 640, processor slowed {slower} times")
                for name, milliseconds, limit in measured(f"{url}/s/kinds/", slower):
                    ratio = f"{milliseconds / limit:5.2f} x the limit of {limit:,} ms"
                    print(f"  {name:<46}{milliseconds:>8,.0f} ms   {ratio}")


def survey(questions: int) -> dict[str, Any]:
    """Questions of every kind in turn, with tables weak enough for so many."""
    from randomized_response import forced_response, k_ary, one_bit
    from tests.factories import kinds

    coin, five, ends = forced_response(truth="1/40"), k_ary(5, truth="1/40"), one_bit(41, truth="1/40")
    bits = {"name": "unary", "weights": [[41, 40], [40, 41]]}
    tables = {
        "smokes": _channel(coin.weights),
        "substance": bits,
        "habits": _channel(coin.weights),
        "mood": _channel(five.weights),
        "drinks": _channel(ends.weights),
    }
    kinds_of = [item | {"channel": tables[item["key"]]} for item in kinds.items() if item["key"] in tables]
    items = [kinds_of[n % len(kinds_of)] | {"key": f"q{n}"} for n in range(questions)]
    document = kinds.document(
        items=[{name: part for name, part in item.items() if name != "section"} for item in items]
    )
    del document["sections"]
    return document


def _channel(weights: Any) -> dict[str, Any]:
    return {"name": "custom", "weights": [list(row) for row in weights]}


def measured(address: str, slower: int) -> Iterator[tuple[str, float, int]]:
    """What was waited for: name, milliseconds, limit."""
    from playwright.sync_api import sync_playwright

    from tests.tools.browser import FLAGS, find_browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=[*FLAGS])
        context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
        page = context.new_page()
        page.add_init_script(f"({WATCH})()")
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        page.set_content("<label><input type=radio>A page with one choice</label>")
        page.evaluate(f"({WATCH})()")
        tap(page, page.locator("label"))
        yield "for comparison: a tap on a page of one choice", slowest(page), TAP
        page.goto(address)
        page.wait_for_selector("html[data-now=questions]")
        yield "from the start of the load to the questions", page.evaluate("window.ready"), READY
        answer(page)
        taps = page.evaluate("[...window.taps]")
        yield "tap or key while answering: median", statistics.median(taps), TAP
        yield "tap or key while answering: slowest", slowest(page), TAP
        yield "the page's own work in it: most", page.evaluate("Math.max(...window.work)"), TAP
        tap(page, page.locator("[data-part=review-button]"))
        page.wait_for_selector("html[data-now=review]")
        yield "Review", slowest(page), TAP
        tap(page, page.locator("[data-part=send-button]"))
        page.wait_for_selector("html[data-now=sent]")
        yield "Send", slowest(page), TAP
        browser.close()


def answer(page: Any) -> None:
    """Each question twice: every tap on a choice, then on another."""
    for question in page.locator("[data-part=question]").all():
        labels = question.locator("label.choice").all()
        if labels:
            tap(page, labels[0])
            tap(page, labels[1])
        else:
            tap(page, question.locator("input"))
            page.keyboard.type("12", delay=50)


def tap(page: Any, target: Any) -> None:
    """A tap on a page at rest: looking for the target is no part of what is measured."""
    middle = target.evaluate("""(one) => {
        one.scrollIntoView({ block: "center" });
        const { x, y, width, height } = one.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    }""")
    page.wait_for_timeout(150)
    page.touchscreen.tap(*middle)


def slowest(page: Any) -> float:
    """Milliseconds of the slowest interaction since the last call; 16 where all were below the browser's own grain."""
    page.wait_for_timeout(500)
    return float(page.evaluate("Math.max(16, ...window.taps.splice(0))"))


if __name__ == "__main__":
    main()
