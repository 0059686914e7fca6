"""The way back to the version that made a backup: its tables, with the data that is here now."""

from collections.abc import Callable
from functools import partial
from typing import IO

from django.db import DatabaseError, connection
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from surveys.errors import BackupError
from surveys.maintenance.archive import ArchiveReader
from surveys.maintenance.backup import require_signer

Plan = list[tuple[Migration, bool]]


def roll_back(
    source: IO[bytes], *, signed_by: str = "", unsigned: bool = False, watch: Callable[[str], None] = lambda name: None
) -> list[str]:
    """Reverse all migrations that the version which made a backup did not have; returns their names, the last first.

    Nothing of the backup is read but its manifest, and no row is restored. Processes of this version have to be
    stopped before: their tables go.

    Parameters
    ----------
    source
        The backup, unencrypted.
    signed_by
        The fingerprint of the installation that signed it; empty for this one.
    unsigned
        Take one without a signature.
    watch
        Told the name of each migration that was reversed.

    Raises
    ------
    BackupError
        Where a newer version made the backup or a migration cannot be reversed: nothing was changed then. Where the
        data forbids to reverse one: those before it in the list were reversed, and `migrate` applies them again.
    """
    archive = ArchiveReader(source, require_signer=partial(require_signer, signed_by=signed_by, unsigned=unsigned))
    executor = MigrationExecutor(connection)
    plan = _plan(executor, archive.facts["migrations"])
    done: list[str] = []

    def note(action: str, migration: Migration | None = None, fake: bool | None = False, /) -> None:
        if action == "unapply_success" and migration is not None:
            done.append(str(migration))
            watch(str(migration))

    executor.progress_callback = note
    try:
        executor.migrate([], plan=plan)
    except DatabaseError as error:
        stopped = str(plan[len(done)][0])
        raise BackupError(
            f"{stopped} cannot be reversed: {error} {len(done)} later migrations were reversed; manage.py migrate "
            "applies them again, and restoring the backup in an empty place is the way back that is left."
        ) from error
    return done


def _plan(executor: MigrationExecutor, made: dict[str, str]) -> Plan:
    """The migrations to reverse, the last one first; raises BackupError where one is unknown or has no way back."""
    known = executor.loader.disk_migrations
    if newer := sorted(f"{app}.{name}" for app, name in made.items() if (app, name) not in known):
        raise BackupError(f"A newer version of Candor made the backup: this one does not know {', '.join(newer)}.")
    targets = [(app, made.get(app)) for app in sorted({app for app, _ in executor.loader.applied_migrations})]
    plan: Plan = executor.migration_plan([target for target in targets if target[0] in executor.loader.migrated_apps])
    if ahead := sorted(str(migration) for migration, backwards in plan if not backwards):
        raise BackupError(f"The database is older than the backup: it lacks {', '.join(ahead)}. Nothing was changed.")
    for migration, _ in plan:
        if not all(operation.reversible for operation in migration.operations):
            raise BackupError(
                f"{migration} cannot be reversed. Nothing was changed; restore the backup in an empty place with the "
                "version that made it."
            )
    return plan
