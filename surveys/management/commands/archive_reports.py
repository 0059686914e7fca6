from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from collector.errors import Conflict
from estimator.base.extras import missing_package
from surveys.maintenance import archives
from surveys.management.base import SurveyCommand, find_survey, usage_error
from surveys.models import Survey, Version


class Command(SurveyCommand):
    help = (
        "Move the responses of a closed survey from the database to a Parquet file, or back; without a survey, those "
        "of all that are due by CANDOR_ARCHIVE_AFTER. The state of the survey does not change. See "
        "docs/how-to/backup-and-restore.md."
    )

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?", help="link name of the survey; default: all that are due")
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--back", action="store_true", help="restore archived responses to the database")
        act.add_argument("--check", action="store_true", help="check archived responses against their records")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        if missing := missing_package("pyarrow", "formats"):
            raise Conflict(missing)
        survey = find_survey(options["slug"]) if options["slug"] else None
        if options["back"]:
            if survey is None:
                raise usage_error("Name the survey whose archived responses are to be restored.")
            return _each(survey, archives.put_back, "put back into the database")
        if options["check"]:
            return _each(survey, archives.check, "as they were archived")
        return _archive(survey)


def _each(survey: Survey | None, work: Any, words: str) -> tuple[str, dict[str, object]]:
    versions = list(archives.archived_versions(survey))
    if survey is not None and not versions:
        raise Conflict(f"No reports of {survey.slug} are archived.")
    reports = sum(work(version) for version in versions)
    return f"{reports:,} reports of {_count(len(versions))} are {words}.", {
        "versions": len(versions),
        "reports": reports,
    }


def _archive(survey: Survey | None) -> tuple[str, dict[str, object]]:
    if survey is None:
        versions = archives.due(timezone.now())
    else:
        versions = list(
            Version.objects.filter(survey=survey, closed_at__isnull=False, purged_at=None)
            .exclude(design__archive__state="archived")
            .select_related("survey")
            .order_by("pk")
        )
        if not versions:
            raise Conflict(f"{survey.slug} has no closed version whose reports are in the database.")
    made = [archives.archive(version) for version in versions]
    reports, size = sum(one.reports for one in made), sum(one.size for one in made)
    words = f"{reports:,} reports of {_count(len(made))} are archived: {size:,} bytes in {archives.place()}."
    return words, {"versions": len(made), "reports": reports, "bytes": size, "place": archives.place()}


def _count(versions: int) -> str:
    return f"{versions} version{'' if versions == 1 else 's'}"
