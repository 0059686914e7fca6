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
        facts["waves"] = [_without_times(one) for one in facts["waves"]]
        return "\n".join(_sentences(book)), facts


def _sentences(book: SurveyBudget) -> list[str]:
    said = []
    for line in book.lines:
        spent = f"epsilon {wording.epsilon(line.epsilon)}"
        total = f"{between(line.spent.total)} in all" if line.spent else "nobody answered"
        said.append(f"{line.opened.name}: {spent}, {total}; reports: {wording.count(line.opened.reports)}")
    said.append(f"{UNIT}: epsilon {between(book.total)} of at most {book.ceiling:.4f}")
    if book.ahead:
        said.append(book.ahead.in_words)
    return said


def _without_times(line: dict[str, Any]) -> dict[str, Any]:
    """The line with times in ISO 8601, for JSON."""
    times = {name: line[name] and line[name].isoformat() for name in ("opened_at", "closed_at")}
    return line | times
