from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from surveys.maintenance import rolling_back
from surveys.maintenance.backup_checks import plain_file
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    requires_migrations_checks = False  # its notice of migrations to apply is what this command makes true
    help = (
        "Give the database the tables of the older version that made this backup, and keep the data that is here now; "
        "see docs/how-to/deploy.md. Stop all processes before."
    )

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="backup of the older version: a file or the name of a stored backup")
        parser.add_argument("--identity", type=Path, help="file with the private key for an encrypted backup")
        parser.add_argument(
            "--signed-by", default="", help="fingerprint of the installation that made it; default: this one"
        )
        parser.add_argument("--unsigned", action="store_true", help="accept a backup without a signature")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        with plain_file(options["file"], options["identity"]) as plain:
            reversed_ones = rolling_back.roll_back(
                plain,
                signed_by=options["signed_by"],
                unsigned=options["unsigned"],
                watch=lambda name: self.stderr.write(f"Reversed {name}."),
            )
        sentence = (
            f"{len(reversed_ones)} migrations are reversed. Start the older version."
            if reversed_ones
            else "No migration is newer than the backup. The older version can be started directly."
        )
        return sentence, {"reversed": reversed_ones}
