"""What pytest does for its tests, for a command: settings, collected static files, an empty database."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


def prepare() -> None:
    """Settings and models, for a process that reads no database."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()


@contextmanager
def standalone() -> Iterator[None]:
    prepare()
    from django.core.management import call_command
    from django.test.utils import setup_databases, setup_test_environment, teardown_databases

    setup_test_environment()
    call_command("collectstatic", interactive=False, verbosity=0)
    databases = setup_databases(verbosity=0, interactive=False)
    yield
    teardown_databases(databases, verbosity=0)
