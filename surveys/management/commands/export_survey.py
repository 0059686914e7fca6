from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from surveys.definition import definitions
from surveys.lifecycle import selectors
from surveys.management.base import STANDARD, SurveyCommand, find_survey, read_file


class Command(SurveyCommand):
    help = "Write the definition of a survey as a YAML file; import_survey reads it back."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--output", type=Path, help="file to write; standard output where it is left out, or -")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        definition = selectors.exported(find_survey(options["slug"]))
        text, output = definitions.dump(definition), options["output"]
        if output is None:
            return text, {**definition}
        with read_file(output) as file:
            file.write(text.encode())
        words = f"{options['slug']} is written to {'standard output' if output == STANDARD else output}."
        return words, {"slug": options["slug"], "output": str(output)}
