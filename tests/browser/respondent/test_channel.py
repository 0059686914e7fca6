"""What a fixed answer becomes, over many visits with a real browser and its real generator.

Exactness is proved by enumeration in tests/client; this test would see a page that reads the wrong row, skips a
question, draws from the wrong box or sends the answer itself. No seed: a sound page fails it once in 160,000 runs at
most (six exact tests at 1e-6).

The gate makes 36 visits to a survey of three questions. The rows of the first two are far from one another: one is
taken for another less than once in a million times. The third is nearly a fair coin: 36 answers that are sent as they
are never pass for its reports. `make test-long` makes 180 visits to a usual one, and takes one row for another of the
same question at most once in 100 times.
"""

import json
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import multinomial

from tests.browser.respondent.conftest import Memory
from tests.browser.visit import Visit
from tests.factories import payloads
from tests.tools.capture import Capture, Request

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database

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


def far_apart() -> dict[str, Any]:
    """Two questions whose rows differ as much as a page allows, and one whose rows are nearly alike."""
    document = payloads.document()
    first, second = document["items"]
    first["channel"] = {"name": "custom", "weights": [[49, 1], [1, 49]]}
    second["channel"] = {"name": "custom", "weights": [[48, 1, 1], [1, 48, 1], [1, 1, 48]]}
    third = first | {"key": "fair", "channel": {"name": "custom", "weights": [[11, 10], [10, 11]]}}
    return document | {"items": [first, second, third]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("document", "answers", "visits"),
    [
        pytest.param(far_apart(), [(0, 0, 1), (1, 2, 1), (1, 1, 1)], 12, id="far apart"),
        pytest.param(payloads.document(), [(0, 0), (1, 2), (1, 1)], 60, id="usual"),
    ],
)
def test_reports_follow_channel_and_have_one_shape(
    visit: Visit, site: Capture, memory: Memory, answers: list[tuple[int, ...]], visits: int
) -> None:
    posts = {given: submitted(visit, site, given, visits) for given in answers}
    everything = [post for some in posts.values() for post in some]
    assert len({json.loads(post.body)["nonce"] for post in everything}) == visits * len(answers)
    assert len({shape(post) for post in everything}) == 1, "one shape of request for every answer and every report"
    for place, item in enumerate(memory.design.document["items"]):
        for answer, row in enumerate(item["channel"]["weights"]):
            sent = [symbol_of(post, place) for given, some in posts.items() for post in some if given[place] == answer]
            assert p_value(Counter(sent), row) > ALPHA


def submitted(visit: Visit, site: Capture, answers: tuple[int, ...], visits: int) -> list[Request]:
    site.forget()
    for _ in range(visits):
        visit.open().stage("questions").page.evaluate(ONE_VISIT, [0, *answers])
    posts = site.posts()
    assert len(posts) == visits
    return posts


def symbol_of(post: Request, place: int) -> int:
    return bytes.fromhex(json.loads(post.body)["report"])[place]


def shape(post: Request) -> tuple[object, ...]:
    """Everything of a request but the nonce and the report; the port changes with the run, not with the answer."""
    fields = json.loads(post.body)
    fixed = [(key, value) for key, value in fields.items() if key not in ("nonce", "report")]
    return (post.head, len(post.body), tuple(fields), tuple(fixed))


def p_value(counts: Counter[int], row: list[int]) -> float:
    """The exact multinomial test: the chance, by the row, of counts that are no likelier than these."""
    assert set(counts) <= {report for report, weight in enumerate(row) if weight}
    visits = counts.total()
    law = multinomial(visits, np.array(row) / sum(row))
    chances = law.pmf([each for each in product(range(visits + 1), repeat=len(row)) if sum(each) == visits])
    seen = law.pmf([counts[report] for report in range(len(row))])
    return float(chances[chances <= seen * (1 + 1e-9)].sum())
