"""What tests of the collector share."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


@pytest.fixture
def and_back(transactional_db: None) -> Iterator[None]:
    """For tests that migrate back, also those that are refused on the way: the next one finds every table."""
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    yield
    MigrationExecutor(connection).migrate(leaves)
