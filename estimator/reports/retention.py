"""How long the reports of a survey are kept. The floor above knows; it says so as it starts."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext


@dataclass
class _Known:
    days_of: Callable[[str], int | None]


_known = _Known(days_of=lambda slug: None)


def told_by(days_of: Callable[[str], int | None]) -> None:
    """Ask this function from now on: of a survey's slug the days after closing, None for good."""
    _known.days_of = days_of


def in_words(slug: str) -> str:
    """How long the reports of a survey are kept."""
    days = _known.days_of(slug)
    if days is None:
        return _("Reports are kept for good.")
    text = ngettext(
        "Reports are deleted %(count)s day after closing; totals and estimates stay.",
        "Reports are deleted %(count)s days after closing; totals and estimates stay.",
        days,
    )
    return text % {"count": days}
