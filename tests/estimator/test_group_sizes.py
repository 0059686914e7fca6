"""The sizes of groups are drawn once, by OpenDP, with the epsilon that its accounting says; and why no more is told."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from django.db import connection

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from collector.reports import purging
from collector.reports import selectors as store
from estimator.analyses import services as analyses
from estimator.analyses.quantities import AnalysisError
from estimator.models import GroupSize, Run
from estimator.runs import group_sizes
from estimator.runs import services as estimator
from tests.factories import payloads, three_groups
from tests.factories.runs import fill, run_of

DRAWS = 4_000
HALF = Fraction(1, 2)


@pytest.fixture
def design(db: None) -> Design:
    return freeze_design(payloads.document(participation={"epsilon": "0.5"}))


def sizes(design: Design) -> list[int]:
    return list(GroupSize.objects.filter(design=design.digest).order_by("stratum").values_list("count", flat=True))


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(3, 10), HALF, Fraction(1), Fraction(7, 3), Fraction(8)])
def test_group_size_opendp_accounting_matches_epsilon(epsilon: Fraction) -> None:
    """And for no less than a millionth below it: the noise is not larger than it has to be."""
    accounted = Fraction(group_sizes.mechanism(epsilon).map(group_sizes.SENSITIVITY))
    assert epsilon * Fraction(999_999, 1_000_000) <= accounted <= epsilon


def test_group_size_noise_is_discrete_laplace() -> None:
    """P(0) = tanh(epsilon / 2), and its mean and absolute mean: OpenDP takes no seed, so the bounds are of five
    standard errors each, and the test fails by chance less than once in 500,000 times."""
    noise = np.array([group_sizes.mechanism(HALF)(1_000) - 1_000 for _ in range(DRAWS)])
    a = np.exp(-0.5)
    variance = 2 * a / (1 - a) ** 2
    none, size = (1 - a) / (1 + a), 2 * a / (1 - a**2)
    assert abs((noise == 0).mean() - none) < 5 * np.sqrt(none * (1 - none) / DRAWS)
    assert abs(noise.mean()) < 5 * np.sqrt(variance / DRAWS)
    assert abs(np.abs(noise).mean() - size) < 5 * np.sqrt((variance - size**2) / DRAWS)


def test_group_size_is_drawn_once(design: Design) -> None:
    fill(design)
    close_design(design.digest)
    first = run_of(design)
    drawn, totals = sizes(design), store.totals(design.digest)
    assert len(drawn) == 2
    for _ in range(1000):
        group_sizes.release(design, totals)
    assert list(group_sizes.released(first, design)) == [max(0, size) for size in drawn]
    run_of(design)
    assert sizes(design) == drawn
    purging.purge(design.digest)
    run_of(design)
    assert sizes(design) == drawn, "the reports are gone, the numbers stay"


def test_group_size_open_design_is_not_drawn(design: Design) -> None:
    fill(design)
    run = run_of(design, final=False)
    assert run.anytime
    assert sizes(design) == []
    close_design(design.digest)
    final = run_of(design)
    assert len(group_sizes.released(final, design)) == 2
    assert list(group_sizes.released(run, design)) == [], "a run from before closing says the same for good"


def test_group_size_failed_run_keeps_no_draw(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """The draw is in the transaction of the run: what nobody sees is not kept."""
    fill(design)
    close_design(design.digest)
    run = estimator.request_run(design.digest)

    def fail(*_rows: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("estimator.models.Estimate.objects.bulk_create", fail)
    with pytest.raises(RuntimeError):
        estimator.execute(run.pk)
    assert sizes(design) == []


def test_group_size_negative_is_released_as_zero(design: Design) -> None:
    run = run_of(design)
    GroupSize.objects.filter(design=design.digest, stratum=0).update(count=-3)
    assert group_sizes.released(run, design)[0] == 0


def test_group_size_other_design_is_not_drawn(db: None) -> None:
    other = freeze_design(payloads.document())
    fill(other)
    assert list(group_sizes.released(run_of(other), other)) == []
    assert not GroupSize.objects.exists()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("comparison", {"quantity": "cheated:1", "against": "pairs"}),
        ("weighting", {"item": "cheated", "share-y1": "20", "share-y2": "20", "share-y3": "60"}),
        ("regression", {"outcome": "cheated", "reference": "y1"}),
        ("cross-table", {"rows": "cheated", "columns": "mood", "group": "y1"}),
    ],
)
def test_analysis_protected_group_sizes_is_rejected(db: None, kind: str, said: dict[str, str]) -> None:
    protected = freeze_design(payloads.document(strata=three_groups.groups(), participation={"epsilon": "0.5"}))
    with pytest.raises(AnalysisError, match="publishes group sizes only with noise"):
        analyses.request(kind, said, [protected])


@pytest.mark.django_db(transaction=True)
def test_group_size_parallel_runs_keep_one_draw() -> None:
    design = freeze_design(payloads.document(participation={"epsilon": "0.1"}))
    fill(design)
    close_design(design.digest)
    runs = [estimator.request_run(design.digest) for _ in range(2)]

    def work(run: Run) -> list[int]:
        try:
            done = estimator.execute(run.pk)
            return list(group_sizes.released(done, design))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(work, runs)
    assert first == second
    assert GroupSize.objects.count() == 2


def consistent(shares: np.ndarray, whole: np.ndarray, n: int, digits: int) -> Iterator[int]:
    """Sizes of the first of two groups that fit rounded shares of both groups and exact counts of all."""
    for size in range(1, n):
        mixed = size * shares[0] + (n - size) * shares[1]
        if np.all(np.abs(mixed - whole) <= n * 0.5 * 10.0**-digits + 1e-9):
            yield size


def test_rounded_group_estimates_reveal_group_sizes() -> None:
    """Why nothing is estimated by group: the whole is the groups mixed by their sizes, so shares of 40 questions that
    are rounded to whole percents leave the attacker few sizes of a thousand. Seeded."""
    generator = np.random.default_rng(3)
    true = 237
    counts = np.array([generator.binomial(m, generator.uniform(0.25, 0.75, 40)) for m in (true, 1000 - true)])
    shares = np.round(counts / np.array([[true], [1000 - true]]), 2)
    found = list(consistent(shares, counts.sum(axis=0), 1000, 2))
    assert true in found
    assert len(found) <= 12
