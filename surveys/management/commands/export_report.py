from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from estimator.exporting.formats import FORMATS
from estimator.models import Run
from estimator.selectors import last_done
from surveys import selectors
from surveys.commands import SurveyCommand, find_survey


class Command(SurveyCommand):
    help = "Write the newest estimates of a survey as a file."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--format", choices=FORMATS, default="csv")
        parser.add_argument("--output", type=Path, required=True)

    def act(self, **options: Any) -> tuple[str, dict[str, Any]]:
        run = _newest_run(options["slug"])
        options["output"].write_bytes(FORMATS[options["format"]].whole(run))
        facts = {"slug": options["slug"], "run": run.key, "output": str(options["output"])}
        return f"Run {run.key} of {options['slug']} is written to {options['output']}.", facts


def _newest_run(slug: str) -> Run:
    version = selectors.latest_version(find_survey(slug))
    run = last_done(version.design_id) if version else None
    if run is None:
        raise CommandError(f"{slug} has no estimates yet; manage.py estimate {slug} makes them.")
    return run
