"""Detection of a database made by a newer version of Candor, which this version must not touch."""

from django.core.management import get_commands
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from collector.errors import Conflict

OURS = ("collector", "estimator", "surveys")
NAMED = 3
"""Maximum number of migrations named in the message."""

HARMLESS = (
    *("check", "collectstatic", "compilemessages", "diffsettings", "findstatic", "help", "makemessages"),
    *("makemigrations", "showmigrations", "sqlmigrate", "test", "testserver", "version"),
)
"""Commands of other packages that do not change the database."""


def check_database() -> None:
    """Raise Conflict where migrations of ours were applied that this version does not have."""
    if unknown := unknown_migrations():
        more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
        raise Conflict(
            f"The database is of a newer version of Candor: it has {', '.join(unknown[:NAMED])}{more}, which this "
            "version does not know. Nothing was changed. Run the newer version, or restore a backup that this version "
            "made into an empty folder."
        )


def check_command(name: str) -> None:
    """Raise Conflict before a command of Django's or another package's works on such a database; ours look
    themselves, and say it in JSON where they are asked to."""
    if name not in HARMLESS and get_commands().get(name, "surveys") != "surveys":
        check_database()


def unknown_migrations() -> list[str]:
    """Applied migrations of our apps that are not among this version's files; empty if there is no database."""
    try:
        loader = MigrationLoader(connection)
    except DatabaseError:
        return []
    known = set(loader.disk_migrations) | {old for new in loader.disk_migrations.values() for old in new.replaces}
    return sorted(f"{app}.{name}" for app, name in set(loader.applied_migrations) - known if app in OURS)
