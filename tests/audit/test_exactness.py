"""The shipped client, enumerated: no sampling, no false alarm."""

import pytest

from tests.audit import exactness
from tests.tools.client import CLIENT


@pytest.mark.parametrize("short", [True, pytest.param(False, marks=pytest.mark.long)], ids=["short", "full"])
def test_client_enumeration_equals_channel(*, short: bool) -> None:
    assert exactness.differences(CLIENT, short=short) == []
