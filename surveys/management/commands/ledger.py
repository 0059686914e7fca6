from collections.abc import Iterator
from itertools import product
from typing import Any

from estimator.base import wording
from surveys.lifecycle.budget import UNIT, SurveyBudget, between, budget_of, budget_sentences
from surveys.management.base import SurveyCommand, find_survey


class Command(SurveyCommand):
    help = (
        "What a person who answered everything may have spent in a survey, wave by wave, and what the next would add."
    )

    def act(self, **options: Any) -> tuple[str, dict[str, Any]]:
        book = budget_of(find_survey(options["slug"]))
        facts = budget_sentences(book)
        for one, name in product(facts["waves"], ("opened_at", "closed_at")):
            one[name] = one[name] and one[name].isoformat()
        return "\n".join(_sentences(book)), facts


def _sentences(book: SurveyBudget) -> Iterator[str]:
    for line in book.lines:
        spent = f"epsilon {wording.epsilon(line.epsilon)}"
        total = f"{between(line.spent.total)} in all" if line.spent else "nobody answered"
        yield f"{line.opened.name}: {spent}, {total}; reports: {wording.count(line.opened.reports)}"
    yield f"{UNIT}: epsilon {between(book.total)} of at most {book.ceiling:.4f}"
    if book.ahead:
        yield book.ahead.in_words
