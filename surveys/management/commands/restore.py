from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tqdm import tqdm

from surveys.maintenance import backup
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    help = "Put everything of a backup into this installation, which must be empty; see docs/keeping.md."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="what manage.py backup has written")
        parser.add_argument(
            "--signed-by", default="", help="fingerprint of the installation that made it; else this one"
        )
        parser.add_argument("--unsigned", action="store_true", help="take one without a signature")
        parser.add_argument("--with-secret-key", action="store_true", help="take over the secret key too")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        file: Path = options["file"]
        with tqdm(unit="B", unit_scale=True, disable=None, leave=False) as bar:
            facts = backup.restore(
                file,
                signed_by=options["signed_by"],
                unsigned=options["unsigned"],
                with_secret_key=options["with_secret_key"],
                watch=bar.update,
            )
        sentence = f"{facts['surveys']} surveys, {facts['reports']} reports and {facts['runs']} runs are restored."
        if facts["closed"]:
            sentence += (
                " Surveys by invitation came back closed, as invitations used since the backup are good again: "
                f"{', '.join(facts['closed'])}. An owner can reopen each on its page."
            )
        return sentence, {"file": str(file), **facts}
