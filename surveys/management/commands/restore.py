from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tqdm import tqdm

from surveys.maintenance import backup
from surveys.maintenance.backup_checks import plain_file
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    help = "Restore a backup into this installation, which must be empty; see docs/how-to/backup-and-restore.md."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="backup file, name of a stored backup, or latest")
        parser.add_argument("--identity", type=Path, help="file with the private key for an encrypted backup")
        parser.add_argument(
            "--signed-by", default="", help="fingerprint of the installation that made it; default: this one"
        )
        parser.add_argument("--unsigned", action="store_true", help="accept a backup without a signature")
        parser.add_argument("--with-secret-key", action="store_true", help="restore the secret key, too")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        file: str = options["file"]
        with (
            plain_file(file, options["identity"]) as plain,
            tqdm(unit="B", unit_scale=True, disable=None, leave=False) as bar,
        ):
            facts = backup.restore(
                plain,
                signed_by=options["signed_by"],
                unsigned=options["unsigned"],
                with_secret_key=options["with_secret_key"],
                watch=bar.update,
            )
        sentence = f"{facts['surveys']} surveys, {facts['reports']} responses and {facts['runs']} runs restored."
        if facts["closed"]:
            sentence += (
                " Surveys with single-use links were restored closed, because links used since the backup are valid "
                "again: "
                f"{', '.join(facts['closed'])}. An owner can reopen each of them on its page."
            )
        return sentence, {"file": file, **facts}
