#!/usr/bin/env python
"""Django's command line for Candor."""

import sys

import django
from django.core.checks import Tags
from django.core.management import BaseCommand, execute_from_command_line

from config.startup import load_settings


def require_known_database(name: str) -> None:
    """End with a sentence where the command would work on a database of a newer version."""
    from collector.errors import Conflict
    from surveys.maintenance.schema_version import check_command  # only now: it needs the models

    try:
        check_command(name)
    except Conflict as refusal:
        sys.exit(str(refusal))


if __name__ == "__main__":
    load_settings()
    # Checking all would load every page. `check` does, with which an installation starts; other commands check the
    # database where they name it, as `migrate` does.
    BaseCommand.requires_system_checks = (Tags.database,)
    if sys.argv[1:]:
        django.setup()
        require_known_database(sys.argv[1])
    execute_from_command_line(sys.argv)
