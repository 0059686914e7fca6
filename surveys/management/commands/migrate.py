from typing import Any

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS

from collector.errors import Conflict
from surveys.lifecycle import page_log
from surveys.maintenance.schema_version import check_database


class Command(migrate.Command):
    """Django's `migrate`, unless a newer version has used the database, or its settings break a guarantee."""

    requires_system_checks = (Tags.database,)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            check_database()
        except Conflict as refusal:
            raise CommandError(str(refusal)) from None
        super().handle(*args, **options)
        if options["app_label"] is None and options["database"] == DEFAULT_DB_ALIAS and not options["plan"]:
            page_log.record_missing()
