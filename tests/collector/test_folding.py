"""Folding: every report is counted once, whatever happens on the way."""

import secrets

import numpy as np
import pytest

from collector import folding, selectors
from collector.designs import Design
from collector.models import Report
from collector.services import receive
from tests import payloads

pytestmark = pytest.mark.django_db


def send(design: Design, count: int, seed: int = 1) -> None:
    generator = np.random.default_rng(seed)
    Report.objects.bulk_create(
        Report(
            nonce=secrets.token_hex(16),
            design_id=design.digest,
            stratum=int(generator.integers(2)),
            report=bytes([int(generator.integers(2)), int(generator.integers(3))]),
        )
        for _ in range(count)
    )


def same(left: selectors.Totals, right: selectors.Totals) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


def test_totals_by_position_symbol_and_stratum(design: Design) -> None:
    for stratum, report in (("y1", "0100"), ("y1", "0102"), ("y2", "0002")):
        receive(payloads.body(design, stratum=stratum, report=report), slug="campus")
    assert folding.fold(design.digest) == 3
    first, second = selectors.totals(design.digest)
    assert first.tolist() == [[0, 2], [1, 0]]
    assert second.tolist() == [[1, 0, 1], [0, 0, 1]]


def test_totals_equal_a_recount_over_many_chunks(design: Design) -> None:
    send(design, 1_003)
    assert folding.fold(design.digest, chunk=100) == 1_003
    assert same(selectors.totals(design.digest), selectors.recount(design.digest))
    assert selectors.totals(design.digest)[0].sum() == 1_003


def test_a_second_fold_counts_only_what_is_new(design: Design) -> None:
    send(design, 50)
    folding.fold(design.digest)
    assert folding.fold(design.digest) == 0
    send(design, 7, seed=2)
    assert folding.fold(design.digest) == 7
    assert same(selectors.totals(design.digest), selectors.recount(design.digest))


def test_designs_that_wait(design: Design) -> None:
    assert selectors.waiting_designs() == []
    send(design, 1)
    assert selectors.waiting_designs() == [design.digest]
    folding.fold(design.digest)
    assert selectors.waiting_designs() == []


@pytest.mark.parametrize("step", ["_add", "_mark"])
def test_a_fold_that_dies_half_way_leaves_all_or_nothing(
    design: Design, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The transaction is cut off after claiming and after counting; the next fold counts everything once."""
    send(design, 20)
    original = getattr(folding, step)

    def die(*arguments: object) -> None:
        original(*arguments)
        raise SystemExit("killed")

    monkeypatch.setattr(folding, step, die)
    with pytest.raises(SystemExit):
        folding.fold(design.digest)
    assert selectors.totals(design.digest)[0].sum() == 0
    assert set(Report.objects.values_list("folding", flat=True)) == {Report.Folding.WAITING}
    monkeypatch.undo()
    assert folding.fold(design.digest) == 20
    assert same(selectors.totals(design.digest), selectors.recount(design.digest))
