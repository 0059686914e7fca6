from argparse import ArgumentParser
from typing import Any

from surveys.lifecycle import closing, selectors, services
from surveys.management.base import SurveyCommand, find_survey
from surveys.models import Survey


class Command(SurveyCommand):
    help = "Close a survey. Closing can be undone for an hour; then the final estimate is computed."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        when = parser.add_mutually_exclusive_group()
        when.add_argument("--now", action="store_true", help="close permanently, without an hour to undo it")
        when.add_argument("--undo", action="store_true", help="undo the closing within an hour")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey = find_survey(options["slug"])
        if options["undo"]:
            closing.undo_closing(survey)
            return f"{survey.slug} accepts responses again.", _facts(survey)
        if options["now"]:
            run = services.close_survey(survey)
            facts = _facts(survey) | {"run": run.key}
            return f"{survey.slug} is permanently closed with {facts['reports']} responses.", facts
        final_at = closing.begin_closing(survey)
        facts = _facts(survey) | {"final_at": final_at.isoformat()}
        return f"{survey.slug} is closed. You can undo this until {selectors.moment(final_at)}.", facts


def _facts(survey: Survey) -> dict[str, object]:
    return {
        "slug": survey.slug,
        "state": survey.state,
        "reports": selectors.report_count(survey),
        "run": None,
        "final_at": None,
    }
