from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from surveys import definitions, selectors
from surveys.commands import SurveyCommand, find_survey


class Command(SurveyCommand):
    help = "Write the definition of a survey as a YAML file; import_survey reads it back."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--output", type=Path, help="file to write; standard output where it is left out")

    def act(self, **options: Any) -> tuple[str, dict[str, Any]]:
        definition = selectors.definition_of(find_survey(options["slug"]))
        text, output = definitions.dump(definition), options["output"]
        if output is None:
            return text, definition
        output.write_text(text, encoding="utf-8")
        return f"{options['slug']} is written to {output}.", {"slug": options["slug"], "output": str(output)}
