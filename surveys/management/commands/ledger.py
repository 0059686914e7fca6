from collections.abc import Iterator
from typing import Any

from estimator.base import wording
from surveys.lifecycle.budget import UNIT, OpeningRow, SurveyBudget, between, budget_of, budget_sentences, row_sentences
from surveys.management.base import SurveyCommand, find_survey


class Command(SurveyCommand):
    help = (
        "What a person who answered everything may have spent in a survey, wave by wave, and what the next would add."
    )

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        book = budget_of(find_survey(options["slug"]))
        facts = budget_sentences(book) | {"waves": [_with_plain_times(row) for row in book.lines]}
        return "\n".join(_sentences(book)), facts


def _sentences(book: SurveyBudget) -> Iterator[str]:
    for line in book.lines:
        spent = f"epsilon {wording.epsilon(line.epsilon)}"
        total = f"{between(line.spent.total)} in all" if line.spent else "nobody answered"
        yield f"{line.opened.name}: {spent}, {total}; responses: {wording.count(line.opened.counted.stored)}"
    yield f"{UNIT}: epsilon {between(book.total)} of at most {book.ceiling:.4f}"
    if book.ahead:
        yield book.ahead.in_words


def _with_plain_times(row: OpeningRow) -> dict[str, object]:
    opened_at, closed_at = row.opened.version.opened_at, row.opened.version.closed_at
    return row_sentences(row) | {"opened_at": opened_at.isoformat(), "closed_at": closed_at and closed_at.isoformat()}
