from collections.abc import Iterator
from typing import Any

from estimator.base import wording
from surveys.lifecycle.budget import UNIT, OpeningRow, SurveyBudget, between, budget_of, budget_sentences, row_sentences
from surveys.management.base import SurveyCommand, find_survey


class Command(SurveyCommand):
    help = (
        "Show the privacy loss of a respondent who answered everything, wave by wave, and what the next wave would add."
    )

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        book = budget_of(find_survey(options["slug"]))
        facts = budget_sentences(book) | {"waves": [_with_plain_times(row) for row in book.lines]}
        return "\n".join(_sentences(book)), facts


def _sentences(book: SurveyBudget) -> Iterator[str]:
    for line in book.lines:
        spent = f"privacy loss (epsilon) {wording.epsilon(line.epsilon)}"
        total = f"{between(line.spent.total)} in total" if line.spent else "no responses"
        yield f"{line.opened.name}: {spent}, {total}; responses: {wording.count(line.opened.counted.stored)}"
    yield f"{UNIT}: privacy loss (epsilon) {between(book.total)} of at most {book.ceiling:.4f}"
    if book.ahead:
        yield book.ahead.in_words


def _with_plain_times(row: OpeningRow) -> dict[str, object]:
    opened_at, closed_at = row.opened.version.opened_at, row.opened.version.closed_at
    return row_sentences(row) | {"opened_at": opened_at.isoformat(), "closed_at": closed_at and closed_at.isoformat()}
