"""The retention of a survey's reports."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext


def in_words(days: int | None) -> str:
    """A sentence on the retention: deletion this many days after closing, or never."""
    if days is None:
        return _("Responses are kept indefinitely.")
    text = ngettext(
        "Responses are deleted %(count)s day after closing; totals and estimates are kept.",
        "Responses are deleted %(count)s days after closing; totals and estimates are kept.",
        days,
    )
    return text % {"count": days}
