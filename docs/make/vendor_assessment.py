"""What a university's IT department asks of a vendor (HECVAT), answered once for the product, in our words.

vendor_assessment.txt has a row for each question: its part, the question, yes or no, and the answer, which names tests
and pages.
"""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from docs.make.markdown import evidence, page, table

ROWS = Path(__file__).with_suffix(".txt")
SHORT = ("yes", "in part", "no", "–")

ABOUT = """\
Universities ask vendors by the Higher Education Community Vendor Assessment Toolkit (HECVAT). Candor is no vendor's service: an institution runs it on its own machines. These are the answers that the product can give, by the
parts of that form and in short words; "–" stands where the institution answers. Each names what it rests on, and a test fails where that is gone.
"""


@dataclass(frozen=True)
class Answer:
    """A question and what is answered to it."""

    part: str
    question: str
    short: str
    said: str


def answers() -> list[Answer]:
    return [Answer(*line.split("|")) for line in ROWS.read_text(encoding="utf-8").splitlines()]


def text() -> str:
    parts = []
    for part, found in groupby(answers(), key=lambda one: one.part):
        rows = [(one.question, one.short, evidence(one.said)) for one in found]
        parts += [f"## {part}", table(("Question", "", "Answer"), rows)]
    return page("Answers for IT departments", "For IT departments that assess it before use.", ABOUT, *parts)
