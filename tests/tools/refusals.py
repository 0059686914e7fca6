"""What is said of a request that is refused."""

import pytest

from collector.errors import RequestRefused


def refuses(status: int, *, match: str | None = None) -> "pytest.RaisesExc[RequestRefused]":
    """Expect a refusal with this status."""
    return pytest.raises(RequestRefused, match=match, check=lambda refusal: refusal.status == status)
