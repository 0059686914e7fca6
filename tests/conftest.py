"""What every test may rely on: collected static files, a fixed cast, one valid survey."""

import gc
from collections.abc import Generator, Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.color import Style
from django.core.management.commands import flush
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3.base import DatabaseOperations
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from hypothesis import settings as examples
from whitenoise import WhiteNoise

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.models import FrozenDesign
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.tools.browser import ENGINES
from tests.tools.mailbox import Mailbox, mail_server
from tests.tools.prepared import copy_database, copy_static_files, restore_database

# The same examples each time: a gate that fails by chance says nothing of what was changed. `make test-long` draws new
# ones, by hypothesis's own profile.
examples.register_profile("gate", derandomize=True, deadline=None)
examples.load_profile("gate")

SLOW = {"audit", "browser", "chaos", "citus", "collector", "fuzz", "storage", "system"}
"""Folders with files that take long. They are handed out first: the gate ends when its last file does."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine", choices=ENGINES, default=ENGINES[0], help="the engine of the browsers that tests/browser drives"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays to the end: Python's collector of garbage need not look at it again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)  # after pytest-django, which brings the tests of a file into their order
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: SLOW.isdisjoint(item.path.relative_to(item.config.rootpath).parts))


@pytest.fixture(scope="session", autouse=True)
def static_files() -> Iterator[None]:
    """Pages name their scripts by hash, so the files have to be collected before any page is made.

    WhiteNoise reads about each of them when a `Client` asks for its first page: a tenth of a second, spent once here.
    """
    if not Path(settings.STATIC_ROOT).exists():
        copy_static_files(Path(settings.STATIC_ROOT))
    found: dict[tuple[str, str], dict[str, Any]] = {}

    def look(self: WhiteNoise, root: str, prefix: str) -> None:
        if (root, prefix) not in found:
            original(self, root, prefix)
            found[root, prefix] = dict(self.files)
        self.files |= found[root, prefix]

    original = WhiteNoise.update_files_dictionary
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoise, "update_files_dictionary", look)
        yield


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool, django_db_modify_db_settings: None) -> bool:
    """On SQLite the database is there, with nothing left to migrate; it goes with its folder."""
    if connection.vendor != "sqlite":
        return django_db_keepdb
    copy_database(Path(connection.settings_dict["TEST"]["NAME"]))
    return True


CONSTANT = {"django_content_type", "auth_permission"}
"""Tables that say which models there are; to make their rows anew took nine tenths of emptying the others."""


@pytest.fixture(scope="session", autouse=True)
def _constant_tables_stay() -> Iterator[None]:
    """A test on the real database ends by emptying its tables, but for these."""

    def statements(style: Style, connection: BaseDatabaseWrapper, **options: bool) -> list[str]:
        tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
        return connection.ops.sql_flush(style, sorted(set(tables) - CONSTANT), **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "sql_flush", statements)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *args, **options: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _log_can_go() -> Iterator[None]:
    """Nothing can be deleted from the log; between tests on the real database its triggers are lifted and laid anew."""

    def statements(self: DatabaseOperations, *args: Any, **kwargs: Any) -> list[str]:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'log_%'")
            triggers = dict(cursor.fetchall())
        return [*(f"DROP TRIGGER {name}" for name in triggers), *original(self, *args, **kwargs), *triggers.values()]

    original = DatabaseOperations.sql_flush
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", statements)
        yield


OURS = {"collector", "estimator", "surveys"}


@cache
def migrations() -> int:
    """How many migrations of ours there are."""
    return sum(app in OURS for app, _ in MigrationLoader(None).disk_migrations)


@pytest.fixture(autouse=True)
def _open_designs_can_go(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test on the real database ends by emptying its tables; the trigger keeps open designs, so close them first."""
    marker = request.node.get_closest_marker("django_db")
    real = bool(marker and marker.kwargs.get("transaction")) or {"transactional_db", "live_server"} & set(
        request.fixturenames
    )
    if real:
        request.getfixturevalue("transactional_db")
    yield
    if real:
        FrozenDesign.objects.filter(closed_on=None).update(closed_on=date(2026, 1, 1))
        applied = MigrationRecorder(connection).migration_qs.filter(app__in=OURS).count()
        assert applied == migrations(), "this test left the tables of an earlier version to those that follow"


@pytest.fixture
def alice(db: None) -> User:
    """Owns the surveys."""
    return User.objects.create_user("alice", password="a long passphrase", is_staff=True, is_superuser=False)


@pytest.fixture
def bob(db: None) -> User:
    """A researcher with surveys of his own; must see nothing of alice's."""
    return User.objects.create_user("bob", password="a long passphrase", is_staff=True, is_superuser=False)


@pytest.fixture
def design(db: None) -> Design:
    """An open design: two coins, then one choice of three; two strata."""
    return freeze_design(payloads.document())


@pytest.fixture
def survey(alice: User) -> Survey:
    """alice's draft."""
    return write_survey(payloads.definition(), team=home_team(alice))


@pytest.fixture
def version(survey: Survey) -> Version:
    """alice's survey, open."""
    return open_survey(survey)


@pytest.fixture
def invited(alice: User) -> Survey:
    """alice's survey by invitation, open."""
    survey = write_survey(payloads.definition(invitations="secret"), team=home_team(alice))
    open_survey(survey)
    survey.refresh_from_db()
    return survey


@pytest.fixture
def box(settings: Any) -> Iterator[Mailbox]:
    with mail_server(settings) as box:
        yield box


@pytest.fixture
def and_back(transactional_db: None) -> Iterator[None]:
    """For tests that migrate back, also those that are refused on the way: the next one finds every table."""
    yield
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        restore_database(connection.connection)
    else:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
