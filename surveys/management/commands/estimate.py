from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from estimator.runs import services
from surveys.lifecycle import selectors
from surveys.management.base import SurveyCommand, find_survey, show_progress, usage_error


class Command(SurveyCommand):
    help = "Count waiting responses and estimate the open version now."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--confidence", type=float, default=0.95, help="level of the intervals, between 0 and 1")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        version = selectors.latest_version(find_survey(options["slug"]))
        if version is None:
            raise CommandError(f"{options['slug']} has never been opened; there is nothing to estimate.")
        if not 0 < options["confidence"] < 1:
            raise usage_error(f"--confidence must be greater than 0 and less than 1; got {options['confidence']}.")
        with show_progress("Estimating") as watch:
            run = services.run_now(version.design_id, confidence=options["confidence"], watch=watch)
        facts = {"slug": options["slug"], "run": run.key, "state": run.state, "reports": run.reports}
        return f"Run {run.key} is {run.state}: {run.reports} reports.", facts
