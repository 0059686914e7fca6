"""What comes before the first question of a frozen design, and is never sent: consent statements and screening."""

from collections.abc import Collection

from django.utils.translation import gettext

from collector.designs.checks import exact_keys, listed, require, text, whole
from collector.errors import Path

MOST_STATEMENTS = 20
MOST_SCREENING_CHOICES = 20


def check_statements(value: object, languages: Collection[str]) -> None:
    """Validate the statements that a respondent ticks, each, before the first question."""
    path = ("consent_statements",)
    statements = listed(value, path)
    count = len(statements)
    require(
        1 <= count <= MOST_STATEMENTS,
        path,
        gettext("must be 1 to {most} texts; got {count}").format(most=MOST_STATEMENTS, count=count),
    )
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
    require(
        fits,
        (*path, "choices"),
        gettext("must be a list of 2 to {most} texts; got {count}").format(most=MOST_SCREENING_CHOICES, count=count),
    )
    for number, choice in enumerate(choices):
        text(choice, (*path, "choices", number), languages)
    place = (*path, "ends")
    ends = [whole(end, place, low=0, high=count - 1) for end in listed(screening["ends"], place)]
    proper = 1 <= len(ends) < count and ends == sorted(set(ends))
    require(
        proper,
        place,
        gettext("must be some, but not all, of 0 to {last}, in order; got {ends}").format(last=count - 1, ends=ends),
    )
