"""`make containers`: the version before the newest migration, upgraded in place and rolled back with reports coming in.

Not in the gate. The older version is taken from the history: the commit before the one that added the newest migration.
"""

import subprocess
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from collector.designs import check
from surveys.definition import definitions
from tests.chaos.checking import FOLDABLE, Ask, outcome
from tests.chaos.sending import Sender
from tests.containers import page
from tests.containers.composed import ROOT, Composed
from tests.factories import payloads
from tests.system.installation import OPEN, wait_until

BACKUP = "/data/before.zip"
SENDERS = 4
APART = 0.05
"""Seconds between two reports of a sender."""
SIDE_BY_SIDE = 30
"""Seconds for which the older web processes go on after the newer version's migrations."""


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the version before the newest migration."""
    folder = tmp_path_factory.mktemp("older")
    added = git("log", "-1", "--format=%H", "--diff-filter=A", "--", "*/migrations/0*.py").decode().strip()
    subprocess.run(["tar", "-x", "-C", folder], input=git("archive", f"{added}^"), check=True)
    return folder


@pytest.fixture
def upgraded(older: Path) -> Iterator[tuple[Composed, Composed]]:
    """The older version, running with an open survey, and the newer one that takes its place."""
    before, after = Composed(older), Composed()
    after.end()
    before.build()
    try:
        before.start()
        before.run("worker", "sh", "-c", "cat > /tmp/campus.yaml", given=definitions.dump(payloads.definition()))
        before.run("worker", "python", "manage.py", "shell", "-c", OPEN.format(slugs=("campus",), folder="/tmp"))
        yield before, after
    finally:
        after.end()


@pytest.fixture
def senders() -> Iterator[list[Sender]]:
    design = check(payloads.opened())
    sending = [Sender(design, 8000, number, apart=APART) for number in range(SENDERS)]
    yield sending
    for sender in sending:
        sender.last.set()


def test_upgrade_and_rollback_lose_no_report(upgraded: tuple[Composed, Composed], senders: list[Sender]) -> None:
    before, after = upgraded
    for sender in senders:
        sender.start()
    wait_for_more(senders)
    before.run("worker", "python", "manage.py", "backup", BACKUP)
    applied = migrations(before)

    after.build()
    refused = not_taken(senders)
    after.compose("run", "--no-deps", "--rm", "-T", "prepare")
    assert migrations(before) > applied, "the newer version has no further migration"
    time.sleep(SIDE_BY_SIDE)
    wait_for_more(senders)
    assert not_taken(senders) == refused, "refused while the older processes ran on the newer tables"
    assert "Error" not in before.logs("folding") + before.logs("web")

    after.replace(*after.ours)
    wait_for_more(senders)
    found = [f"- Upgraded: {pauses(senders)}."]

    after.stop(*after.ours)
    after.compose("run", "--no-deps", "--rm", "-T", "panel", "python", "manage.py", "roll_back", BACKUP)
    assert migrations(before) == applied
    before.name_images()
    before.replace(*before.ours)
    wait_for_more(senders)
    found += [f"- Upgraded and rolled back: {pauses(senders)}."]

    for sender in senders:
        sender.leave_acknowledged(60)
    ask = asked(before)
    wait_until(lambda: not ask(FOLDABLE), 300)  # else reports move from table to table while they are counted
    counted = outcome(ask, senders, seconds=60)
    print(found, counted)
    assert counted.sound
    assert counted.stored == counted.sent == counted.acknowledged
    lasting = f"{SIDE_BY_SIDE} seconds of the older processes on the newer tables, without a refusal"
    found += [f"- Of {counted.sent:,} reports 0 were lost and 0 stored twice; {lasting}."]
    page.write("upgrade", ["", *found])


def git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def wait_for_more(senders: list[Sender], number: int = 100) -> None:
    reached = number + sum(len(sender.acknowledged) for sender in senders)
    wait_until(lambda: sum(len(sender.acknowledged) for sender in senders) >= reached, 120)


def not_taken(senders: list[Sender]) -> int:
    """How often a report had to be sent again."""
    return sum(count for sender in senders for said, count in sender.answers.items() if said != "201")


def pauses(senders: list[Sender]) -> str:
    times = sorted(time for sender in senders for time in sender.times)
    longest = max(after - before for before, after in pairwise(times))
    return f"{len(times):,} reports taken, {not_taken(senders):,} times sent again, none for at most {longest:.0f} s"


def migrations(composed: Composed) -> set[str]:
    return set(composed.ask("SELECT app || '.' || name FROM django_migrations").split())


def asked(composed: Composed) -> Ask:
    def ask(sql: str) -> list[tuple[object, ...]]:
        with composed.database() as connection:
            return connection.execute(sql.encode()).fetchall()

    return ask
