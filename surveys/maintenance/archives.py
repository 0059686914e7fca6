"""Archived reports of closed surveys: moved on a schedule or by command, and what the operator sees of them."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from collector.errors import Conflict
from collector.models import ReportArchive
from collector.reports import archives, archiving, selectors
from estimator.base.extras import missing_package
from estimator.base.stores import fault_of, is_folder
from surveys.accounts.audit_log import record_event
from surveys.models import Survey, Version

FEWEST = 1_000
"""Reports from which on a survey is archived by itself: of fewer, a file saves nothing."""

logger = logging.getLogger(__name__)


def run_due() -> None:
    """Go on with moves that were cut off, and archive what is due; what fails is tried again."""
    waiting = archiving.unfinished()
    versions = due(timezone.now())
    if not waiting and not versions:
        return
    if missing := missing_package("pyarrow", "formats"):
        logger.warning("responses are not archived: %s", missing)
        return
    for digest in waiting:
        _try(partial(archiving.finish, digest), digest)
    for version in versions:
        _try(partial(archive, version), version.design_id)


def due(now: datetime) -> list[Version]:
    """Versions closed for CANDOR_ARCHIVE_AFTER days whose reports are rows; none without that setting."""
    if not settings.CANDOR_ARCHIVE_AFTER:
        return []
    closed = Version.objects.filter(closed_at__lte=now - timedelta(days=settings.CANDOR_ARCHIVE_AFTER), purged_at=None)
    ready = closed.filter(
        design__rewritten_on__isnull=False,
        design__restored_on=None,
        design__purged_on=None,
        design__archive=None,
    )
    found = list(ready.select_related("survey").order_by("pk"))
    counts = selectors.report_counts([version.design_id for version in found])
    return [version for version in found if counts[version.design_id].folded >= FEWEST]


def archive(version: Version) -> ReportArchive:
    """Archive the reports of a closed version. Raises as `archiving.archive` does."""
    made = archiving.archive(version.design_id)
    detail = f"version {version.number}: {made.reports:,} responses in a file of {made.size:,} bytes"
    record_event(None, "archived the responses", survey=version.survey, detail=detail)
    return made


def put_back(version: Version) -> int:
    """Put the archived reports of a version back into the database. Raises as `archiving.put_back` does."""
    count = archiving.put_back(version.design_id)
    detail = f"version {version.number}: {count:,} responses"
    record_event(None, "restored the responses", survey=version.survey, detail=detail)
    return count


def check(version: Version) -> int:
    """Compare every byte and report of a version's archive with what was recorded, and the totals; returns how many.

    Raises Conflict and OSError.
    """
    found = archives.find(version.design_id)
    if found is None:
        raise Conflict(f"The responses of {version} are not archived.")
    archiving.check(found)
    return found.reports


def archived_versions(survey: Survey | None = None) -> QuerySet[Version]:
    """The versions whose reports are in files, of one survey or of all."""
    found = Version.objects.filter(design__archive__state__in=ReportArchive.READ).select_related("survey")
    return (found if survey is None else found.filter(survey=survey)).order_by("pk")


def state_counts() -> dict[str, int]:
    """The number of archives in each state; all but `archived` ones are being moved, or wait for the next look."""
    return dict(ReportArchive.objects.order_by("state").values_list("state").annotate(Count("pk")))


def size_in_bytes() -> int:
    """The size of all files with archived reports."""
    return int(ReportArchive.objects.aggregate(size=Sum("size"))["size"] or 0)


def summary() -> str:
    """What is archived, in words."""
    held = ReportArchive.objects.filter(state__in=ReportArchive.READ)
    files, reports, size = held.aggregate(files=Count("pk"), reports=Sum("reports"), size=Sum("size")).values()
    moving = len(archiving.unfinished())
    waits = f"; {moving:,} being moved, or cut off" if moving else ""
    if not files:
        return f"none{waits}"
    return f"{reports:,} in {files:,} file{'' if files == 1 else 's'}, {size / 1e6:,.1f} MB in {place()}{waits}"


def place() -> str:
    """Where archives are, without a key or a password."""
    store: Any = storages[archives.STORE]
    if is_folder(store):
        return str(settings.CANDOR_ARCHIVES)
    return f"s3://{store.bucket_name}/{store.location}".rstrip("/")


def _try(work: Callable[[], object], digest: str) -> None:
    try:
        work()
    except archives.Busy:
        return  # another worker is at it
    except Conflict as reason:
        logger.warning("the responses of %s are not moved: %s", digest, reason)
    except OSError as error:
        logger.warning("the responses of %s are not moved: %s", digest, fault_of(error))
