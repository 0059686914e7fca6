"""What every test of the estimator starts from: no broker; and a closed survey with background questions."""

import pytest

from collector.designs import Design
from collector.designs.services import close_design
from estimator.analyses import services as analyses
from estimator.runs import services
from tests.factories import background


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is woken when a run is asked for; the system tests use a real broker."""
    monkeypatch.setattr(services, "wake", lambda run_id: None)


@pytest.fixture
def answered(db: None, monkeypatch: pytest.MonkeyPatch) -> Design:
    """2,000 responses to a closed survey on region, age and gender; no worker is woken for analyses."""
    monkeypatch.setattr(analyses, "wake", lambda analysis_id: None)
    made = background.answered()
    close_design(made.digest)
    return made
