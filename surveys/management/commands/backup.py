from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tqdm import tqdm

from surveys.maintenance import backup, scheduled_backups
from surveys.maintenance.signature import own_fingerprint
from surveys.management.base import SurveyCommand, usage_error


class Command(SurveyCommand):
    help = (
        "Write everything that is kept into one new file, for an empty place to be made from; without FILE encrypted, "
        "to where the installation stores its backups. See docs/how-to/backup-and-restore.md."
    )

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", help="a zip that is not there yet")
        parser.add_argument(
            "--with-secret-key", action="store_true", help="put the secret key in too: links that were mailed stay good"
        )

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        file: Path | None = options["file"]
        if file is None:
            return self._store(**options)
        with tqdm(total=backup.counted(), unit=" responses", disable=None, leave=False) as bar:
            facts = backup.back_up(file, with_secret_key=options["with_secret_key"], watch=bar.update)
        words = f"{file} holds {facts['surveys']} surveys, {facts['reports']} reports and {facts['runs']} runs."
        words += (
            f" It is signed by this installation, {facts['signed_by']}: note that, a restore elsewhere asks for it."
        )
        return words, {"file": str(file), **facts}

    @staticmethod
    def _store(**options: Any) -> tuple[str, dict[str, object]]:
        if options["with_secret_key"]:
            raise usage_error("--with-secret-key goes with a FILE: a stored backup never has the secret key.")
        made = scheduled_backups.make_now()
        signed_by = own_fingerprint()
        words = (
            f"{made.name} is stored in {made.place}: {made.size} bytes, encrypted. It is signed by this installation, "
            f"{signed_by}: note that, a restore elsewhere asks for it."
        )
        return words, {"file": made.name, "place": made.place, "bytes": made.size, "signed_by": signed_by}
