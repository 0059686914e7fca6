"""A few of the named points, in real processes: the whole list is `make audit-crashes`."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from collector.designs import check
from tests.chaos import named, probing
from tests.chaos.__main__ import open_survey, until_folded
from tests.chaos.checking import FOLDABLE, fits, outcome
from tests.chaos.killing import BACK
from tests.chaos.sending import Sender
from tests.factories import payloads
from tests.system.installation import Installation

POINTS = ["taking: after COMMIT of store", "folding: after COMMIT of _fold_chunk"]
"""Stored and not answered; folded and not said to anybody."""


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    """An installation's folder as the migrations leave it, with a researcher; none of its processes runs."""
    made = Installation(tmp_path)
    named.prepare(made)
    made.data.mkdir(mode=0o700)
    shutil.copytree(settings.STATIC_ROOT, made.data / "static")
    User.objects.create_user("alice", is_staff=True)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(made.data / "candor.sqlite3")])
    return made


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_process_killed_after_commit_counts_each_report_once(place: Installation) -> None:
    """Who stores a report dies before it is answered, who folds before it is told; both are done again by another."""
    strikes = named.Strikes(place, place.rows)
    actor, (stored, folded) = strikes.actor, POINTS
    try:
        actor.do("invited", slug="taken")
        strikes.die(stored, lambda: actor.do("answer", slug="taken"))
        assert probing.redeemed(place.rows, "taken") == named.USED
        actor.do("answer", slug="taken")
        assert probing.redeemed(place.rows, "taken") == named.USED, "it is known when it comes again"
        actor.do("closable", slug="closed")
        actor.do("close_survey", slug="closed")
        strikes.die(folded, lambda: actor.do("fold", slug="closed"))
        assert fits(place.rows)
        actor.do("fold", slug="closed")
    finally:
        actor.leave()
    assert fits(place.rows)
    assert place.rows(FOLDABLE) == []
    assert place.rows("SELECT count(*) FROM collector_report JOIN collector_frozendesign ON number = design_id "
                      "WHERE closed_on IS NOT NULL") == [(6,)]  # fmt: skip


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    running = Installation(tmp_path)
    named.prepare(running)
    running.start("--no-demo")
    yield running
    running.interrupt()


@pytest.mark.long
def test_kill_after_commit_under_load_counts_each_report_once(installation: Installation) -> None:
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
