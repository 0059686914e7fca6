"""Retention of responses: unlimited, or a number of days after their survey was closed."""

import logging
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, override

from collector.errors import Conflict, InputError
from collector.reports import purging, rewriting
from estimator.base.languages import filled
from estimator.base.stores import fault_of
from estimator.exports import services
from estimator.models import Analysis, Estimate, Run
from estimator.reports.retention import in_words
from surveys.accounts.audit_log import record_event
from surveys.models import FetchCode, SigningSecret, Survey, Version

LONGEST = 3_650
"""Maximum retention in days."""

COMPACTED = [model._meta.db_table for model in (Run, Estimate, Analysis, SigningSecret, FetchCode)]
"""Tables compacted after deletion: two runs a minute apart reveal that minute's responses, a deleted key would
go on signing tokens, and the codes of those who fetched one lie in the order in which they did."""

logger = logging.getLogger(__name__)


def days_of(written: str) -> int | None:
    """The days that somebody wrote, None for nothing. Raises InputError."""
    if not written:
        return None
    days = int(written) if written.isascii() and written.isdigit() and len(written) <= len(str(LONGEST)) else 0
    if not 1 <= days <= LONGEST:
        words = gettext(
            "The days must be a whole number from 1 to {longest}, or empty to keep the responses indefinitely."
        )
        raise InputError("days", filled(words, longest=LONGEST))
    return days


@transaction.atomic
def set_retention(survey: Survey, days: int | None, *, by: User | None = None) -> None:
    """Set the survey's responses to be purged 1 to LONGEST days after closing; None: never."""
    Survey.objects.filter(pk=survey.pk).update(purge_after=days)
    for digest in survey.versions.values_list("design", flat=True):
        services.delete_reports(digest)
    with override("en"):
        record_event(by, "changed the retention", survey=survey, detail=in_words(days))


def purge_due() -> None:
    """Purge what is due, and erase the order of arrival from what was closed or purged; failures are retried."""
    for version in due(timezone.now()):
        try:
            purge(version)
        except Conflict as reason:
            logger.warning("the responses of %s are not deleted yet: %s", version.design_id, reason)
        except OSError as error:  # the store of archives is away
            logger.warning("the responses of %s are not deleted yet: %s", version.design_id, fault_of(error))
    try:
        rewriting.rewrite_closed(compacted=COMPACTED)
    except Conflict as reason:
        logger.warning("%s", reason)


def due(now: datetime) -> list[Version]:
    """Versions closed for good whose responses have reached the end of their retention."""
    kept = Version.objects.filter(closed_at__isnull=False, purged_at=None, survey__purge_after__isnull=False)
    closed = kept.filter(design__final_on__isnull=False)
    return [one for one in closed.select_related("survey").order_by("pk") if _ends(one) <= now]


def purge(version: Version) -> None:
    """Purge the responses of a closed version. Its totals, runs and estimates remain."""
    purging.purge(version.design_id)
    services.delete_microdata(version.design_id)
    with transaction.atomic():
        if Version.objects.filter(pk=version.pk, purged_at=None).update(purged_at=timezone.now()):
            detail = f"version {version.number}; its totals, runs and estimates stay"
            record_event(None, "deleted the responses", survey=version.survey, detail=detail)


def _ends(version: Version) -> datetime:
    assert version.closed_at is not None
    assert version.survey.purge_after is not None
    return version.closed_at + timedelta(days=version.survey.purge_after)
