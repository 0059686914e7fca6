"""A browser for the audits, and the shipped pages."""

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.audit.driving import Work, chromium
from tests.audit.shelf import Shelf, fill_shelf
from tests.audit.surveys import ONE_CHOICE_FIRST, YES_NO_FIRST


@pytest.fixture(scope="session")
def work() -> Iterator[Work]:
    """Calls a function with the browser, on the browser's thread."""
    with chromium() as work:
        yield work


@pytest.fixture(scope="session")
def shelves(static_files: None, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> tuple[Shelf, Shelf]:
    """Both audited surveys: yes/no at the odd places, and at the even ones."""
    with django_db_blocker.unblock():
        return fill_shelf(YES_NO_FIRST), fill_shelf(ONE_CHOICE_FIRST)
