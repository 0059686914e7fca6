"""How long a browser takes to derive the tickets of a survey that remembers, into docs/evidence/repeated-waves.md.

    python -m benchmarks.deriving [--slower 6]

All of it is done as the page loads, before there is an answer. The shipped modules run in a Chromium whose processor is
as fast as it is and slowed; of five runs the one in the middle counts.
"""

import argparse
import statistics
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks._pages import put
from tests.tools.browser import FLAGS, find_browser
from tests.tools.client import CLIENT

RUNS = 5
NAMES = {
    "fifty": "50 yes/no questions",
    "marks": "50 questions with a mark for each of five choices",
    "grid": "a number of 256 points",
    "thousand": "a number of 1,001 points, more than a design takes",
    "most": "four questions with a mark for each of 256 choices, the most that a design takes",
}
SCRIPT = """async (runs) => {
    const [{ derivedTickets }, { single, oneHot }, { checkedTable }] = await Promise.all(
        ["remembering", "encoding", "channel"].map((name) => import(`/${name}.js`)));
    const coins = checkedTable([[3, 1], [1, 3]]);
    const points = (count) => single({ tickets: 4, weights: Array(count).fill([3, 1]) });
    const items = (count, encoding) => Array.from({ length: count }, (_, i) => ({ text: `item ${i}`, encoding }));
    const surveys = {
        fifty: items(50, single(coins)), marks: items(50, oneHot(coins, 5)), grid: items(1, points(256)),
        thousand: items(1, points(1001)), most: items(4, oneHot(coins, 256)),
    };
    const found = {};
    for (const [name, survey] of Object.entries(surveys)) {
        found[name] = [];
        for (let run = 0; run < runs; run += 1) {
            const begun = performance.now();
            await derivedTickets(survey, "5a".repeat(32), crypto.subtle);
            found[name].push(performance.now() - begun);
        }
    }
    return found;
}"""


class Files(SimpleHTTPRequestHandler):
    """The client's folder, without a line for each request."""

    def log_message(self, *details: object) -> None:
        pass


def measured(folder: Path, slower: list[int]) -> list[dict[str, float]]:
    """Milliseconds by survey, for each slowness."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=[*FLAGS])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/remembering.js")
        session = page.context.new_cdp_session(page)
        for rate in slower:
            session.send("Emulation.setCPUThrottlingRate", {"rate": rate})
            found.append({name: statistics.median(runs) for name, runs in page.evaluate(SCRIPT, RUNS).items()})
        browser.close()
    server.shutdown()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slower", type=int, default=6)
    slower = parser.parse_args().slower
    fast, slow = measured(CLIENT, [1, slower])
    rows = [f"| {said} | {fast[name]:,.0f} ms | {slow[name]:,.0f} ms |" for name, said in NAMES.items()]
    head = [f"| survey | Chromium | slowed {slower} times |", "| --- | ---: | ---: |"]
    put("evidence/repeated-waves.md", "deriving.py", "\n".join([*head, *rows]))


if __name__ == "__main__":
    main()
