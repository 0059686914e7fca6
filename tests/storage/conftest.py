"""What tests of storage share."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.storage.attacking import UNHURRIED


@pytest.fixture
def unhurried(transactional_db: None) -> Iterator[None]:
    """Where rows lie does not depend on how soon they are on disk."""
    with connection.cursor() as cursor:
        cursor.execute(UNHURRIED[connection.vendor][0])
    yield
    with connection.cursor() as cursor:
        cursor.execute(UNHURRIED[connection.vendor][1])
