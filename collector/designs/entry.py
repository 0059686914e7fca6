"""What comes before the first question of a frozen design, and is never sent: consent statements and screening."""

from collections.abc import Collection

from collector.designs.checks import exact_keys, listed, require, text, whole
from collector.errors import Path

MOST_STATEMENTS = 20
MOST_SCREENING_CHOICES = 20


def check_statements(value: object, languages: Collection[str]) -> None:
    """Validate the statements that a respondent ticks, each, before the first question."""
    path = ("consent_statements",)
    statements = listed(value, path)
    count = len(statements)
    require(1 <= count <= MOST_STATEMENTS, path, f"must be 1 to {MOST_STATEMENTS} texts if present; got {count}")
    for number, statement in enumerate(statements):
        text(statement, (*path, number), languages)


def check_screening(value: object, languages: Collection[str]) -> None:
    """Validate the screening question: its choices, those that end the survey, and the text of the end page."""
    path: Path = ("screening",)
    screening = exact_keys(value, {"wording", "choices", "ends", "text"}, path)
    for name in ("wording", "text"):
        text(screening[name], (*path, name), languages)
    choices = listed(screening["choices"], (*path, "choices"))
    count = len(choices)
    fits = 2 <= count <= MOST_SCREENING_CHOICES
    require(fits, (*path, "choices"), f"must be a list of 2 to {MOST_SCREENING_CHOICES} texts; got {count}")
    for number, choice in enumerate(choices):
        text(choice, (*path, "choices", number), languages)
    place = (*path, "ends")
    ends = [whole(end, place, low=0, high=count - 1) for end in listed(screening["ends"], place)]
    proper = 1 <= len(ends) < count and ends == sorted(set(ends))
    require(proper, place, f"must be some of 0 to {count - 1}, in ascending order and not all of them; got {ends}")
