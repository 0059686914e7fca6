"""Reports that are to go are gone: from the tables, from the files, and from whatever would need them."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from collector.database import settings
from collector.designs import Design
from collector.designs.selectors import get_design
from collector.designs.services import close_design, freeze_design
from collector.endpoint import receiving
from collector.errors import Conflict
from collector.models import FrozenDesign, Report
from collector.reports import purging, rewriting, selectors
from estimator.analyses import services as analyses
from estimator.analyses.quantities import AnalysisError
from estimator.runs.services import run_now
from surveys.lifecycle.services import close_survey
from surveys.maintenance import retention
from surveys.models import AuditEntry, Survey, Version
from tests.factories import payloads, runs
from tests.factories.reports import store_report
from tests.storage.attacking import database_files
from tests.tools.backups import empty_database

CANARIES = [bytes.fromhex(f"c0ffee{number:02x}" + "5ca1ab1e" * 3) for number in range(40)]


def closed_for(version: Version, days: float) -> None:
    close_survey(version.survey)
    Version.objects.filter(pk=version.pk).update(closed_at=timezone.now() - timedelta(days=days))


def filled(version: Version) -> Design:
    design = get_design(version.design_id)
    runs.fill(design)
    form = f"design={design.digest}&stratum=y2&item-1=1&item-2=0&nonce={'5' * 32}"
    receiving.receive_form(form.encode(), slug="campus")
    return design


def gone(design: Design) -> bool:
    return not Report.objects.filter(design__digest=design.digest).exists()


@pytest.mark.django_db
def test_purge_due_deletes_reports_and_keeps_totals(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriting, "rewrite", lambda **given: None)
    design = filled(version)
    retention.set_retention(version.survey, 30)
    closed_for(version, 29.9)
    before = run_now(design.digest)
    retention.purge_due()
    assert Report.objects.count() == 91
    Version.objects.update(closed_at=timezone.now() - timedelta(days=30.1))
    retention.purge_due()
    assert gone(design)
    after = run_now(design.digest)
    assert (after.reports, after.coin_reports, after.input_digest) == (91, 1, before.input_digest)
    estimates = [list(run.estimates.values_list("position", "choice", "low", "high")) for run in (before, after)]
    assert estimates[0] == estimates[1]
    assert selectors.report_count(design.digest) == 91
    assert FrozenDesign.objects.get().purged_on == timezone.now().date()
    (entry,) = AuditEntry.objects.filter(act="deleted the responses")
    assert entry.detail == "version 1; its totals, runs and estimates stay"
    retention.purge_due()
    assert AuditEntry.objects.filter(act="deleted the responses").count() == 1


@pytest.mark.django_db
def test_purge_due_without_retention_keeps_reports(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    Survey.objects.update(purge_after=None)
    monkeypatch.setattr(rewriting, "rewrite", lambda **given: None)
    design = filled(version)
    closed_for(version, 4_000)
    retention.purge_due()
    assert not gone(design)


@pytest.mark.django_db
def test_purged_reports_are_named_where_needed(version: Version) -> None:
    design = filled(version)
    asked = {"rows": "cheated", "columns": "mood", "group": ""}
    table = analyses.execute(analyses.request("cross-table", asked, [design]).pk)
    close_survey(version.survey)
    purging.purge(design.digest)
    words = r"^The responses of this survey were deleted on .*, as its owner had decided\. Their totals are kept"
    with pytest.raises(Conflict, match=words):
        selectors.recount(design.digest)
    with pytest.raises(AnalysisError, match=words):
        analyses.repeat(table)
    with pytest.raises(AnalysisError, match=words):
        analyses.request("cross-table", asked, [design])
    assert analyses.request("comparison", {"quantity": "cheated:1", "against": "pairs"}, [design])


@pytest.mark.django_db
def test_purge_open_design_raises(design: Design) -> None:
    with pytest.raises(ValueError, match="must be one that is closed for good"):
        purging.purge(design.digest)


@pytest.mark.django_db
def test_purge_interrupted_goes_on(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    design = filled(version)
    close_survey(version.survey)
    real = purging._delete_chunk

    def die(number: int, chunk: int) -> int:
        real(number, chunk)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(purging, "_delete_chunk", die)
        with pytest.raises(KeyboardInterrupt):
            purging.purge(design.digest, chunk=40)
    assert Report.objects.count() == 51
    with pytest.raises(Conflict):
        selectors.recount(design.digest)
    assert selectors.coin_report_count(design.digest) == 1
    assert purging.purge(design.digest, chunk=40) == 51
    assert gone(design)


@pytest.mark.django_db(transaction=True)
def test_purged_report_is_in_no_database_file() -> None:
    """The bytes are looked for in every file but PostgreSQL's own log, see docs/reference/stored-data.md."""
    before = settings.faults(connection)
    design = freeze_design(payloads.document())
    for nonce in CANARIES:
        store_report(payloads.body(design, nonce=nonce.hex()))
    close_design(design.digest)
    rewriting.rewrite_closed()
    assert holding(database_files()), "they are there before"
    assert purging.purge(design.digest) == len(CANARIES)
    assert rewriting.rewrite_closed()
    assert holding(database_files()) == []
    assert settings.faults(connection) == before, "rewriting leaves the settings as they were"
    empty_database()


def holding(searched: list[Path]) -> list[str]:
    """Names of the files that hold one of the canaries; one that is gone meanwhile holds none."""
    found = []
    for path in searched:
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            continue
        found += [path.name for nonce in CANARIES if nonce in content or nonce.hex().encode() in content]
    return found
