from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from surveys.management.base import STANDARD, SurveyCommand, find_survey, output_file
from surveys.planning.dossier import LANGUAGES, dossier
from surveys.planning.group_warnings import expected_reports


class Command(SurveyCommand):
    help = "Write the ethics dossier of a survey as a PDF."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--output", type=Path, required=True, help="file to write; - is standard output")
        parser.add_argument(
            "--language", default="", choices=list(LANGUAGES), help="default: the survey's main language"
        )
        parser.add_argument("--expect", default="", metavar="N", help="expected number of responses, for the precision")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey, output = find_survey(options["slug"]), options["output"]
        expected = expected_reports(survey, options["expect"])
        content = dossier(survey, expected=expected, today=timezone.now().date(), language=options["language"])
        with output_file(output) as file:
            file.write(content)
        words = f"The dossier of {survey.slug} is written to {'standard output' if output == STANDARD else output}."
        return words, {"slug": survey.slug, "output": str(output)}
