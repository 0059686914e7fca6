from argparse import ArgumentParser
from typing import Any

from surveys.management.base import SurveyCommand, find_survey
from surveys.opening.services import split_survey


class Command(SurveyCommand):
    help = (
        "Spread the responses of an open survey that has none yet over parts, each on a node of a cluster; stop web "
        "processes, workers and beat first. See docs/how-to/citus.md."
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("parts", type=int, help="number of parts")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey, parts = find_survey(options["slug"]), options["parts"]
        split_survey(survey, parts)
        return f"{survey.slug} is split into {parts} parts.", {"slug": survey.slug, "parts": parts}
