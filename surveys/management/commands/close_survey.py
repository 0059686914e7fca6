from argparse import ArgumentParser
from typing import Any

from surveys.lifecycle import closing, selectors, services
from surveys.management.base import SurveyCommand, find_survey
from surveys.models import Survey
from surveys.times import moment


class Command(SurveyCommand):
    help = "Accept no more responses, and make the final estimate an hour later; until then it can be undone."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        when = parser.add_mutually_exclusive_group()
        when.add_argument("--now", action="store_true", help="permanently at once, even where it could still be undone")
        when.add_argument("--undo", action="store_true", help="accept responses again, within the hour after closing")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey = find_survey(options["slug"])
        if options["undo"]:
            closing.undo_closing(survey)
            return f"{survey.slug} accepts responses again.", _facts(survey)
        if options["now"]:
            run = services.close_survey(survey)
            facts = _facts(survey) | {"run": run.key}
            return f"{survey.slug} is closed permanently with {facts['reports']} responses.", facts
        final_at = closing.begin_closing(survey)
        facts = _facts(survey) | {"final_at": final_at.isoformat()}
        return f"{survey.slug} is closed. It can be undone until {moment(final_at)}.", facts


def _facts(survey: Survey) -> dict[str, object]:
    return {
        "slug": survey.slug,
        "state": survey.state,
        "reports": selectors.report_count(survey),
        "run": None,
        "final_at": None,
    }
