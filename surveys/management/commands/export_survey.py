from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from surveys.definition import definitions
from surveys.exchange import formats as exchange
from surveys.lifecycle import selectors
from surveys.management.base import STANDARD, SurveyCommand, find_survey, output_file, usage_error


class Command(SurveyCommand):
    help = "Write the definition of a survey as a YAML file or for another tool; import_survey reads it back."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--output", type=Path, help="file to write; default or -: standard output")
        parser.add_argument("--format", choices=["yaml", *exchange.EXPORTS], default="yaml", help="of the file; yaml")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        definition = selectors.exported(find_survey(options["slug"]))
        text, output, form = definitions.dump(definition), options["output"], options["format"]
        if output is None and form == "yaml":
            return text, {**definition}
        if output is None:
            raise usage_error(f"--output must name a file for --format {form}; - is standard output.")
        content = text.encode() if form == "yaml" else exchange.export(definition, form)
        with output_file(output) as file:
            file.write(content)
        words = f"{options['slug']} is written to {'standard output' if output == STANDARD else output}."
        return words, {"slug": options["slug"], "output": str(output)}
