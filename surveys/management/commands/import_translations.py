from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from surveys.exchange.files import LARGEST_FILE
from surveys.lifecycle.translations import take_translations
from surveys.management.base import SurveyCommand, find_survey, read_content


class Command(SurveyCommand):
    help = "Import a translators' file into a draft and list what was left out."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("file", type=Path, help="CSV, XLSX or PO; - for standard input")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey, file = find_survey(options["slug"]), options["file"]
        found = take_translations(survey, read_content(file, LARGEST_FILE), filename=file.name)
        for place, reason in found.left_out():
            self.stderr.write(f"left out: {place}: {reason}")
        count = len(found.texts)
        words = "1 text" if count == 1 else f"{count:,} texts"
        return f"{words} imported into {survey.slug}.", {"slug": survey.slug, **found.to_dict()}
