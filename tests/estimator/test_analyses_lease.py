"""An analysis that takes long stays with the worker that computes it."""

import time
from typing import Any

import numpy as np
import pytest

from collector.designs.services import freeze_design
from estimator.analyses import services, snapshots
from estimator.base import jobs, lease
from estimator.models import Analysis
from tests.factories import payloads, three_groups


@pytest.mark.django_db(transaction=True)
def test_analysis_long_computation_renews_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many reports there are: the lease is never further ahead than a worker writes it, and is renewed."""
    monkeypatch.setattr(services, "wake", lambda analysis_id: None)
    monkeypatch.setattr(lease, "BETWEEN_BEATS", 0.02)
    monkeypatch.setattr(services, "COUNTED_IN_A_SECOND", 0.001)
    design = freeze_design(payloads.document(strata=three_groups.groups()))
    three_groups.answer(design, np.random.default_rng(3))
    honest, leases = snapshots.take, list[Any]()

    def slow(*given: Any) -> Any:
        deadline = time.monotonic() + 20
        while len(leases) < 3 and time.monotonic() < deadline:
            leases.extend({Analysis.objects.get().lease_until} - set(leases))
            assert jobs.resume(Analysis, lambda analysis_id: None) == []
        return honest(*given)

    monkeypatch.setattr(snapshots, "take", slow)
    asked = services.request("comparison", {"quantity": "cheated:1", "against": "pairs"}, [design])
    assert services.execute(asked.pk).state == "done"
    assert len(leases) == 3
