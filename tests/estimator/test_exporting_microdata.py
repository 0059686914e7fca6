"""Reports one by one: what is in the rows, in which order, and who is refused."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray
from scipy.stats import spearmanr

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports import purging
from collector.reports import selectors as store
from estimator.base.cells import ExportError
from estimator.exports import microdata
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.runs.results import NOTHING_KNOWN
from tests.factories import payloads, simulation
from tests.factories.runs import run_of
from tests.tools.gate import few

pytestmark = pytest.mark.django_db
OPTIONS = 11


def put(design: Design, reports: NDArray[np.uint8], nonces: list[bytes] | None = None) -> None:
    """Store reports, in this order and with these nonces, alternating between the groups."""
    strata = np.arange(len(reports)) % len(design.strata)
    simulation.store(design, simulation.People(strata, {}), reports)
    if nonces:
        number = FrozenDesign.objects.get(digest=design.digest).number
        WaitingReport.objects.all().delete()
        WaitingReport.objects.bulk_create(
            WaitingReport(nonce=nonce, design_id=number, stratum=stratum, report=report.tobytes())
            for nonce, stratum, report in zip(nonces, strata.tolist(), reports, strict=True)
        )


def drawn(count: int) -> NDArray[np.uint8]:
    return np.random.default_rng(4).integers(0, [2, 3], size=(count, 2)).astype(np.uint8)


def table(run: Run) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(FORMATS["reports-csv"].whole(run)), keep_default_na=False)


def test_microdata_rows_are_the_reports_of_the_run(design: Design) -> None:
    reports = drawn(301)
    put(design, reports)
    run = run_of(design)
    rows = table(run)
    assert list(rows) == ["stratum", "randomised_cheated", "randomised_mood"]
    sent = Counter((design.strata[n % 2], *map(int, one)) for n, one in enumerate(reports))
    assert Counter(rows.itertuples(index=False, name=None)) == sent
    parquet = pq.read_table(io.BytesIO(FORMATS["reports-parquet"].whole(run)))
    assert parquet.to_pandas().astype({"stratum": str}).values.tolist() == rows.values.tolist()
    about = parquet.schema.field("randomised_mood").metadata
    assert about[b"label"] == b"Randomised, not the true answer: How do you feel?"
    assert json.loads(about[b"labels"]) == {"0": "Well", "1": "So-so", "2": "Low"}
    assert parquet.schema.metadata[b"note"] == b"Randomised, not the true answer"
    assert parquet.schema.metadata[b"design"] == design.canonical


def test_microdata_order_is_independent_of_arrival_and_nonce(settings: pytest.FixtureRequest) -> None:
    """Nonces here go up as reports come, so one rank is both. Spearman's rho of 2,000 unrelated ranks is above
    4 / sqrt(N) once in 16,000; keys and nonces are fixed, so that it is the same in every run (BAR D4)."""
    document = payloads.document(strata={"wording": {"en": ""}, "groups": []})
    document["items"] = [_options(document["items"][0])]
    design, size = freeze_design(document), 2_000
    reports = (np.arange(size)[:, None] >> np.arange(OPTIONS) & 1).astype(np.uint8)
    put(design, reports, [number.to_bytes(16) for number in range(size)])
    run = run_of(design)
    orders = []
    for secret in ("one installation", "another one"):
        settings.SECRET_KEY = secret  # type: ignore[attr-defined]
        rows = table(run).drop(columns="stratum").to_numpy()
        orders.append(rows @ (1 << np.arange(OPTIONS)))
        assert sorted(orders[-1]) == list(range(size))
    places = [np.argsort(order) for order in orders]
    for first, second in ((orders[0], np.arange(size)), (orders[1], np.arange(size)), tuple(places)):
        assert abs(spearmanr(first, second).statistic) < 4 / np.sqrt(size)


def test_microdata_sorted_in_files_is_the_same_as_in_memory(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    put(design, drawn(700))
    run, at_once = run_of(design), {}
    for name in ("reports-csv", "reports-parquet", "reports-sav"):
        at_once[name] = FORMATS[name].whole(run)
    monkeypatch.setattr(microdata, "SORTED", 100)
    with microdata.read(run, lambda done: None) as found:
        sizes = [len(strata) for strata, _ in found.chunks(lambda done: None)]
    assert len(sizes) == 8
    assert sum(sizes) == 700
    assert FORMATS["reports-csv"].whole(run) == at_once["reports-csv"]
    assert FORMATS["reports-sav"].whole(run) == at_once["reports-sav"]
    rows = [
        pq.read_table(io.BytesIO(one)) for one in (FORMATS["reports-parquet"].whole(run), at_once["reports-parquet"])
    ]
    assert rows[0].equals(rows[1])


def test_microdata_files_have_no_name(design: Design, settings: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Whoever lists the folder sees nothing while they are written, and nothing stays if the process dies."""
    settings.DATA = tmp_path  # type: ignore[attr-defined]
    put(design, drawn(200))
    with microdata.read(run_of(design), lambda done: None) as found:
        opened = [str(one.readlink()) for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
        assert [path for path in opened if path.startswith(f"{tmp_path}/") and path.endswith(" (deleted)")]
        assert not list(tmp_path.iterdir())
        assert len(found) == 200


def _options(item: dict) -> dict:
    texts = [{"en": f"Option {number}"} for number in range(OPTIONS)]
    return item | {"kind": "several_choices", "encoding": "each_option", "choices": texts}


def test_microdata_has_no_nonce_time_or_mode(design: Design) -> None:
    put(design, drawn(120))
    run = run_of(design)
    columns = pq.read_table(io.BytesIO(FORMATS["reports-parquet"].whole(run))).schema.names
    assert columns == list(table(run)) == ["stratum", "randomised_cheated", "randomised_mood"]
    nonces = [bytes(nonce) for nonce in Report.objects.values_list("nonce", flat=True)]
    for name in ("reports-csv", "reports-parquet"):
        content = FORMATS[name].whole(run)
        assert not [nonce for nonce in nonces if nonce in content or nonce.hex().encode() in content]


def _few(design: Design) -> Run:
    put(design, drawn(99))
    return run_of(design)


def _open(design: Design) -> Run:
    put(design, drawn(200))
    return run_of(design, final=False)


def _purged(design: Design) -> Run:
    put(design, drawn(200))
    run = run_of(design)
    purging.purge(design.digest)
    return run


def _older(design: Design) -> Run:
    put(design, drawn(150))
    run = run_of(design)
    put(design, drawn(200))
    run_of(design)
    return run


def _changed(design: Design) -> Run:
    put(design, drawn(150))
    run = run_of(design)
    run.tallies[0][0][0] += 1
    run.tallies[0][0][1] -= 1
    run.save()
    return run


@pytest.mark.parametrize(
    ("made", "words"),
    few(
        [
            (_few, "from 100 responses on; this run counted 99"),
            (_open, "once the closing of the survey is final"),
            (_purged, "were deleted on"),
            (_older, "counted 150 responses and 350 are stored"),
            (_changed, "responses that this run counted"),
        ]
    ),
)
@pytest.mark.parametrize("name", [name for name, one in FORMATS.items() if one.microdata])
def test_microdata_rejected_run_writes_nothing(
    design: Design, made: Callable[[Design], Run], words: str, name: str
) -> None:
    run, out = made(design), io.BytesIO()
    with pytest.raises(ExportError, match=words):
        FORMATS[name].write(run, NOTHING_KNOWN, out, lambda done: None)
    assert out.getvalue() == b""
    if made is not _changed:
        with pytest.raises(ExportError, match=words):
            FORMATS[name].check(run)


@pytest.mark.parametrize(("left", "words"), [(0, "were deleted on"), (80, "responses that this run counted")])
def test_microdata_export_reports_purged_meanwhile_raises(
    design: Design, monkeypatch: pytest.MonkeyPatch, left: int, words: str
) -> None:
    """A purge that begins after the look beforehand, and rows that are missing without one."""
    put(design, drawn(120))
    run, whole = run_of(design), store.hashed_reports

    def fewer(digest: str, key: bytes) -> Iterator[Any]:
        for arrays in whole(digest, key):
            yield tuple(array[:left] for array in arrays)
        if not left:
            FrozenDesign.objects.update(purged_on=date(2026, 1, 2))
            store.require_reports(digest)

    monkeypatch.setattr(store, "hashed_reports", fewer)
    with pytest.raises(ExportError, match=words):
        FORMATS["reports-csv"].whole(run)


def test_microdata_export_shows_progress_and_can_stop(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(microdata, "CHUNK", 50)
    put(design, drawn(200))
    run, told = run_of(design), []
    whole = io.BytesIO()
    FORMATS["reports-csv"].write(run, NOTHING_KNOWN, whole, told.append)
    assert told == sorted(told)
    assert (len(told), told[-1]) == (5, 1.0)

    class Stopped(Exception):
        pass

    def stop(done: float) -> None:
        if done > 0.6:
            raise Stopped

    for name in ("reports-csv", "reports-parquet"):
        with pytest.raises(Stopped):
            FORMATS[name].write(run, NOTHING_KNOWN, io.BytesIO(), stop)
