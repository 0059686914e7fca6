"""What every test of the estimator starts from: no broker."""

import pytest

from estimator.runs import services


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is woken when a run is asked for; the system tests use a real broker."""
    monkeypatch.setattr(services, "wake", lambda run_id: None)
