from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tqdm import tqdm

from surveys.maintenance import backup
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    help = "Write everything that is kept into one new file, for an empty place to be made from; see docs/keeping.md."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a zip that is not there yet")
        parser.add_argument(
            "--with-secret-key", action="store_true", help="put the secret key in too: links that were mailed stay good"
        )

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        file: Path = options["file"]
        with tqdm(total=backup.counted(), unit=" reports", disable=None, leave=False) as bar:
            facts = backup.back_up(file, with_secret_key=options["with_secret_key"], watch=bar.update)
        words = f"{file} holds {facts['surveys']} surveys, {facts['reports']} reports and {facts['runs']} runs."
        words += (
            f" It is signed by this installation, {facts['signed_by']}: note that, a restore elsewhere asks for it."
        )
        return words, {"file": str(file), **facts}
