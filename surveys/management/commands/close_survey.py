from typing import Any

from surveys.lifecycle import selectors, services
from surveys.management.base import SurveyCommand, find_survey


class Command(SurveyCommand):
    help = "Take no more reports and make the final estimate."

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey = find_survey(options["slug"])
        run = services.close_survey(survey)
        count = selectors.report_count(survey)
        return f"{survey.slug} is closed with {count} reports.", {"slug": survey.slug, "reports": count, "run": run.key}
