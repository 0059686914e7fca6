from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from surveys.exchange import translation_files
from surveys.lifecycle import selectors
from surveys.management.base import STANDARD, SurveyCommand, find_survey, output_file


class Command(SurveyCommand):
    help = "Write the texts of a survey as a file for translators; import_translations reads it back."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--output", type=Path, required=True, help="file to write; - for standard output")
        parser.add_argument("--format", choices=translation_files.FORMATS, default="csv", help="of the file; csv")
        parser.add_argument("--language", default="", help="of a PO file, needed where the survey has more than two")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        definition, output = selectors.definition_of(find_survey(options["slug"])), options["output"]
        content = translation_files.write(definition, options["format"], options["language"])
        with output_file(output) as file:
            file.write(content)
        words = f"The texts of {options['slug']} are written to {'standard output' if output == STANDARD else output}."
        return words, {"slug": options["slug"], "format": options["format"], "output": str(output)}
