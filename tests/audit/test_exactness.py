"""The shipped client, enumerated: no sampling, no false alarm."""

from tests.audit import exactness
from tests.tools.client import CLIENT


def test_client_enumeration_equals_channel() -> None:
    assert exactness.differences(CLIENT) == []
