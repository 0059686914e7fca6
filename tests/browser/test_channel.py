"""What a fixed answer becomes, over nearly two hundred visits with a real browser and its real generator.

Exactness is proved by enumeration in tests/client; this test would see a page that reads the wrong row, skips a
question or draws from the wrong box: it takes one row for another of the same question at most once in 100 times. No
seed: a sound page fails it once in 160,000 runs at most (six exact tests at 1e-6).
"""

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import product

import numpy as np
import pytest
from scipy.stats import multinomial

from surveys.models import Version
from tests.browser.visit import Visit
from tests.tools.capture import Capture, Request, Response

VISITS = 60
ALPHA = 1e-6

ONE_VISIT = """async (choices) => {
    const part = (name) => document.querySelector(`[data-part=${name}]`);
    document.querySelectorAll("fieldset.question").forEach((question, i) => {
        question.querySelectorAll("label")[choices[i]].click();
    });
    part("review-button").click();
    part("send-button").click();
    while (document.documentElement.dataset.now !== "sent") {
        await new Promise((resolve) => { setTimeout(resolve, 2); });
    }
}"""


@pytest.fixture
def quick_site(site: Capture) -> Iterator[Capture]:
    """The site's page and scripts from memory, and a collector that confirms everything: only the browser is tested."""
    respond, kept = site.respond, {}

    def from_memory(request: Request) -> Response | None:
        if request.method == "POST":
            receipt = json.dumps({"receipt": sha256(request.body).hexdigest()}).encode()
            return Response(201, receipt, (("Content-Type", "application/json"), ("Cache-Control", "no-store")))
        if request.target not in kept:
            kept[request.target] = respond(request)
        return kept[request.target]

    site.respond = from_memory
    return site


ANSWERS = [(0, 0), (1, 2), (1, 1)]


def test_reports_follow_channel_and_have_one_shape(visit: Visit, quick_site: Capture, version: Version) -> None:
    shapes = Counter()
    for answers in ANSWERS:
        posts = submitted(visit, quick_site, answers)
        shapes.update(shape(post) for post in posts)
        symbols = [bytes.fromhex(json.loads(post.body)["report"]) for post in posts]
        assert len({json.loads(post.body)["nonce"] for post in posts}) == VISITS
        for place, item in enumerate(json.loads(version.design.document)["items"]):
            row = item["channel"]["weights"][answers[place]]
            assert p_value(Counter(symbol[place] for symbol in symbols), row) > ALPHA
    assert len(shapes) == 1, "one shape of request for every answer and every report"


def submitted(visit: Visit, site: Capture, answers: tuple[int, ...]) -> list[Request]:
    site.forget()
    for _ in range(VISITS):
        visit.open().stage("questions").page.evaluate(ONE_VISIT, [0, *answers])
    posts = site.posts()
    assert len(posts) == VISITS
    return posts


def shape(post: Request) -> tuple[object, ...]:
    """Everything of a request but the nonce and the report; the port changes with the run, not with the answer."""
    fields = json.loads(post.body)
    fixed = [(key, value) for key, value in fields.items() if key not in ("nonce", "report")]
    return (post.head, len(post.body), tuple(fields), tuple(fixed))


def p_value(counts: Counter[int], row: list[int]) -> float:
    """The exact multinomial test: the chance, by the row, of counts that are no likelier than these."""
    assert set(counts) <= {report for report, weight in enumerate(row) if weight}
    law = multinomial(VISITS, np.array(row) / sum(row))
    chances = law.pmf([each for each in product(range(VISITS + 1), repeat=len(row)) if sum(each) == VISITS])
    seen = law.pmf([counts[report] for report in range(len(row))])
    return float(chances[chances <= seen * (1 + 1e-9)].sum())
