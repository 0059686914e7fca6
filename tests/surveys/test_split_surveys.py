"""Surveys whose reports are divided into parts: opened so by a command or split before the first report."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from collector.designs import parts
from collector.designs.selectors import get_design, part_count
from collector.models import FrozenDesign, Report, WaitingReport
from collector.reports import selectors as store
from collector.reports import storing
from collector.reports.storing import NewReport
from estimator.exports import microdata
from estimator.models import Estimate, Run
from surveys.accounts.teams import home_team
from surveys.lifecycle import services
from surveys.maintenance import backup, backup_checks
from surveys.models import AuditEntry, Survey
from tests.factories import payloads
from tests.factories.reports import sent
from tests.factories.runs import NUMBERS, run_of
from tests.tools.backups import empty_database, members

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("alice")]

PARTS = 3


def command(*words: Any) -> dict[str, Any]:
    out = StringIO()
    call_command(*words, "--json", stdout=out)
    facts: dict[str, Any] = json.loads(out.getvalue())
    return facts


def draft(slug: str) -> Survey:
    return services.write_survey(payloads.definition(slug=slug), team=home_team(User.objects.get(username="alice")))


@pytest.fixture
def digest(alice: User) -> str:
    """The digest of an open survey in parts."""
    draft("large")
    return str(command("open_survey", "large", "--parts", PARTS)["digest"])


def fill(digest: str, rows: list[tuple[bytes, int, bytes, int]]) -> None:
    storing.store([NewReport(nonce, digest, group, report, mode) for nonce, group, report, mode in rows])


def test_open_survey_with_parts_freezes_the_same_design(digest: str) -> None:
    assert part_count(digest) == PARTS
    assert get_design(digest).digest == digest
    assert FrozenDesign.objects.filter(part_of=digest).count() == PARTS - 1
    assert [str(entry) for entry in AuditEntry.objects.filter(act="split")] != []


def test_estimates_of_a_split_survey_equal_those_of_its_twin(digest: str) -> None:
    draft("twin")
    twin = str(command("open_survey", "twin")["digest"])
    rows = sent(500)
    found = []
    for one in (digest, twin):
        fill(one, rows)
        run = run_of(get_design(one))
        cells = Estimate.objects.filter(run=run).order_by("pk")
        found.append((run.tallies, run.reports, [[repr(getattr(cell, name)) for name in NUMBERS] for cell in cells]))
    assert found[0] == found[1]
    assert found[0][1] == 500
    assert found[0][2]


def test_microdata_of_a_split_survey_hold_every_report(digest: str) -> None:
    fill(digest, rows := sent(500))
    run = run_of(get_design(digest))
    with microdata.read(run, lambda done: None) as found:
        assert len(found) == len(rows)


def test_backup_of_a_split_survey_restores_every_part(digest: str, tmp_path: Path) -> None:
    fill(digest, sent(500))
    backup.back_up(tmp_path / "one.zip")
    before = state(digest)
    assert len({number for number, _ in before["waiting"]}) == PARTS
    empty_database()
    assert backup.restore(tmp_path / "one.zip", inspect=backup_checks.compare)["designs"] == 1
    assert state(digest) == before
    assert part_count(digest) == PARTS
    backup.back_up(tmp_path / "two.zip")
    assert members(tmp_path / "one.zip") == members(tmp_path / "two.zip")
    assert sum(name.startswith("reports/") for name in members(tmp_path / "one.zip")) == PARTS


def state(digest: str) -> dict[str, Any]:
    return {
        "totals": [one.tolist() for one in store.totals(digest)],
        "folded": sorted((number, bytes(nonce)) for number, nonce in Report.objects.values_list("design_id", "nonce")),
        "waiting": sorted(
            (number, bytes(nonce)) for number, nonce in WaitingReport.objects.values_list("design_id", "nonce")
        ),
        "designs": list(FrozenDesign.objects.order_by("number").values_list("digest", "number", "part_of")),
    }


def test_split_survey_splits_an_open_one_without_reports() -> None:
    draft("small")
    digest = str(command("open_survey", "small")["digest"])
    facts = command("split_survey", "small", 4)
    assert facts == {"slug": "small", "parts": 4}
    assert len(parts.keys(digest)) == 4
    with pytest.raises(CommandError, match="split already"):
        command("split_survey", "small", 4)


def test_split_survey_with_reports_is_refused() -> None:
    draft("small")
    fill(str(command("open_survey", "small")["digest"]), sent(1))
    with pytest.raises(CommandError, match="has responses already"):
        command("split_survey", "small", 4)


def test_open_survey_with_parts_out_of_bounds_opens_nothing() -> None:
    draft("small")
    with pytest.raises(CommandError, match="from 2 to 64; got 0"):
        command("open_survey", "small", "--parts", 0)
    with pytest.raises(CommandError, match="was never opened"):
        command("split_survey", "small", 4)
    assert Survey.objects.get(slug="small").state == "draft"
    assert not Run.objects.exists()
