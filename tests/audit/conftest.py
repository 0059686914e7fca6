"""A browser for the audits, and the shipped pages."""

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.audit.driving import Work, chromium
from tests.audit.shelf import Shelf, Shelves, fill_shelf
from tests.audit.surveys import (
    ARMS,
    EVERY_PLACE,
    ON_THE_DEVICE,
    ONE_CHOICE_FIRST,
    REMEMBERED,
    TOLD_OPENLY,
    YES_NO_FIRST,
)

QUICK = (YES_NO_FIRST, ONE_CHOICE_FIRST, EVERY_PLACE[0], EVERY_PLACE[3], ON_THE_DEVICE, REMEMBERED, TOLD_OPENLY, ARMS)


@pytest.fixture(scope="session")
def work() -> Iterator[Work]:
    """Calls a function with the browser, on the browser's thread."""
    with chromium() as work:
        yield work


class LazyShelves(Shelves):
    """Filled one by one, as they are asked for."""

    def __init__(self, blocker: DjangoDbBlocker) -> None:
        super().__init__()
        self._blocker = blocker

    def __missing__(self, slug: str) -> Shelf:
        with self._blocker.unblock():
            self[slug] = fill_shelf(next(definition for definition in QUICK if definition["slug"] == slug))
        return self[slug]


@pytest.fixture(scope="session")
def shelves(static_files: None, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Shelves:
    """The surveys of the quick audit by name."""
    return LazyShelves(django_db_blocker)
