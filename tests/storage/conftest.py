"""What tests of storage share."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from collector.designs.selectors import get_design
from collector.endpoint import receiving
from collector.reports import rewriting
from surveys.lifecycle.services import close_survey
from surveys.models import Version
from tests.factories import runs
from tests.storage.attacking import UNHURRIED


@pytest.fixture
def unhurried(transactional_db: None) -> Iterator[None]:
    """Where rows lie does not depend on how soon they are on disk."""
    with connection.cursor() as cursor:
        cursor.execute(UNHURRIED[connection.vendor][0])
    yield
    with connection.cursor() as cursor:
        cursor.execute(UNHURRIED[connection.vendor][1])


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """Where archived reports go, which nothing has made yet."""
    settings.CANDOR_ARCHIVES = tmp_path / "archives"
    return tmp_path / "archives"


@pytest.fixture
def closed(version: Version) -> Version:
    """A closed survey with 90 reports and one by coin, rewritten in the order of nonces."""
    design = get_design(version.design_id)
    runs.fill(design)
    form = f"design={design.digest}&stratum=y2&item-1=1&item-2=0&nonce={'5' * 32}"
    receiving.receive_form(form.encode(), slug="campus")
    close_survey(version.survey)
    assert rewriting.rewrite_closed()
    version.refresh_from_db()
    return version
