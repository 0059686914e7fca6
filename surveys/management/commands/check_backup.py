from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from surveys.errors import BackupError
from surveys.maintenance import backup_checks, backup_store
from surveys.maintenance.signature import own_fingerprint, read_fingerprint
from surveys.management.base import SurveyCommand, usage_error


class Command(SurveyCommand):
    help = (
        "Test a stored backup: restore it elsewhere, compare it and delete the copy; see "
        "docs/how-to/backup-and-restore.md."
    )

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", nargs="?", default=backup_store.LATEST, help="name of a stored backup; default: the newest"
        )
        parser.add_argument("--identity", type=Path, help="file with the private key; default: CANDOR_BACKUP_IDENTITY")
        parser.add_argument(
            "--signed-by", default="", help="fingerprint of the installation that made it; default: this one"
        )
        parser.add_argument(
            "--here", action="store_true", help="restore into this installation, which must be empty, and keep it"
        )

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        identity = options["identity"]
        if identity is None:
            if not settings.CANDOR_BACKUP_IDENTITY:
                raise usage_error("Name the file with the private key, with --identity FILE.")
            identity = Path(settings.CANDOR_BACKUP_IDENTITY)
        name, signed_by = options["name"], options["signed_by"]
        if name == backup_store.LATEST:
            name = backup_store.newest(read_fingerprint(signed_by) if signed_by else own_fingerprint())
        if options["here"]:
            facts = backup_checks.check_here(name, identity, signed_by=signed_by)
        else:
            facts = self._check(name, identity.resolve(), signed_by)
        words = (
            f"{name} restores: {facts['surveys']} surveys, {facts['reports']} reports and {facts['runs']} runs are "
            "those that its manifest says, and all totals those of the reports."
        )
        return words, {"file": name, **facts}

    @staticmethod
    def _check(name: str, identity: Path, signed_by: str) -> dict[str, object]:
        stored = backup_store.NAME.fullmatch(name) is not None
        try:
            facts = backup_checks.check(name, identity, signed_by=signed_by)
        except BackupError as error:
            if stored:
                backup_checks.record(name, str(error))
            raise
        if stored:
            backup_checks.record(name, "")
        return facts
