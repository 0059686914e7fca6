"""Times as the panel's readers see them: in the zone of their browser, in the order of their language."""

from datetime import UTC, date, datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _


def moment(time: datetime) -> str:
    """A day and a time with its zone, like "3 November 2026, 14:05 CET"."""
    local = timezone.localtime(time)
    return f"{date_format(local, _('j F Y, H:i'))} {zone(local)}"


def day(time: date) -> str:
    """A day, like "3 November 2026"; of a time the reader's day."""
    return date_format(timezone.localtime(time) if isinstance(time, datetime) else time, _("j F Y"))


def zone(time: datetime | None = None) -> str:
    """The name of the reader's zone, as it is at a time (now): "CET", or "UTC-03" where it has no letters."""
    name = timezone.localtime(time).tzname() or "UTC"
    return name if name[0].isalpha() else f"UTC{name}"


def moment_for_log(time: datetime) -> str:
    """The same in English and in UTC, whoever reads it: for the log and the audit log."""
    return f"{time.astimezone(UTC):%-d %B %Y, %H:%M} UTC"
