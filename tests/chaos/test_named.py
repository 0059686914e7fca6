"""A few of the named points, in real processes: the whole list is `make audit-crashes`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.designs import check
from tests.chaos import named
from tests.chaos.__main__ import open_survey, until_folded
from tests.chaos.checking import outcome
from tests.chaos.killing import BACK
from tests.chaos.sending import Sender
from tests.factories import payloads
from tests.system.installation import Installation

POINTS = ["taking: after COMMIT of store", "folding: after COMMIT of _fold_chunk"]
"""Stored and not answered; folded and not said to anybody."""


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    running = Installation(tmp_path)
    named.prepare(running)
    running.start("--no-demo")
    yield running
    running.interrupt()


def test_kill_after_commit_counts_each_report_once(installation: Installation) -> None:
    open_survey(installation)
    strikes = named.Strikes(installation, installation.rows)
    sender = Sender(check(payloads.opened()), installation.port, 1, apart=0.02)
    sender.start()
    strikes.all(POINTS)
    sender.leave_acknowledged(BACK)
    until_folded(installation.rows)
    found = outcome(installation.rows, [sender], seconds=BACK)
    assert [one.fitted for one in strikes.struck] == [True, True]
    assert sender.answers["no answer"] >= 1
    assert sender.answers["200"] >= 1, "what was stored and not answered is known when it comes again"
    assert found.acknowledged == found.stored == found.sent
    assert (found.lost, found.changed, found.unfair, found.totals_agree, found.days_agree) == (0, 0, {}, True, True)
