"""`python -m tests.failures`, which is `make audit-failures`: what an installation does when its surroundings fail.

Writes docs/evidence/failures.md, and fails where a case goes wrong or the reports do not add up at the end.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.audit.standalone import prepare
from tests.chaos.__main__ import open_survey
from tests.chaos.checking import Ask, outcome
from tests.chaos.sending import Sender
from tests.factories import payloads
from tests.failures import cases, report
from tests.failures.cases import BACK, DAY, Case, Scene
from tests.system.installation import ROOT, Installation, wait_until
from tests.system.stack import Stack

EMBEDDED: dict[str, Case] = {
    "the broker's folder is deleted": cases.delete_broker,
    "a second `make run` is started on the same folder": cases.start_second_launcher,
    "the clock is set forward by three days": cases.set_clock(3 * DAY),
    "the clock is set back by three days": cases.set_clock(-3 * DAY),
    "the clock is set forward by four hundred days": cases.set_clock(400 * DAY),
}
FULL: dict[str, Case] = {
    "PostgreSQL, Redis, web server, workers and beat are killed with -9 at once": cases.kill_all_at_once,
}


def main() -> bool:
    rows = [*suffer("make run", EMBEDDED), *suffer("make stack", FULL)]
    report.write(rows)
    for row in rows:
        print(row.installation, row.what, row.seen, sep=" | ", flush=True)
    return all(row.sound for row in rows)


def suffer(kind: str, listed: dict[str, Case]) -> list[report.Row]:
    """One installation, all that happens to it, and what became of the reports."""
    from collector.designs import check
    from tests.failures import redis

    with running(kind) as (installation, ask, folder):
        open_survey(installation)
        sender = Sender(check(payloads.opened()), installation.port, 1, apart=0.05)
        sender.start()
        scene = Scene(installation, sender)
        scene.seconds_until_taken()
        rows = [report.tried(kind, what, lambda case=case: case(scene)) for what, case in listed.items()]
        rows.append(report.tried(kind, "afterwards", lambda: added_up(installation, ask, sender)))
        if isinstance(installation, Stack):
            rows.append(
                report.tried(kind, "a true answer on its way through Redis", lambda: redis.look(installation, folder))
            )
        return rows


def added_up(installation: Installation, ask: Ask, sender: Sender) -> str:
    """Close the survey, then compare what was acknowledged, what is there, and what was counted."""
    sender.leave_acknowledged(BACK)
    installation.manage("close_survey", "campus", "--now")
    wait_until(lambda: ask("SELECT count(*) FROM collector_waitingreport") == [(0,)], BACK)
    found = outcome(ask, [sender], seconds=BACK)
    assert found.sound, found
    counts = f"{found.acknowledged:,} reports acknowledged, {found.stored:,} stored"
    return f"{counts}; none lost, none twice, totals equal the recount"


@contextmanager
def running(kind: str) -> Iterator[tuple[Installation, Ask, Path]]:
    folder = Path(tempfile.mkdtemp(prefix="candor-failures-"))
    folder.chmod(0o755)
    try:
        with at(kind, folder) as (made, ask):
            yield made, ask, folder
            made.interrupt()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def at(kind: str, folder: Path) -> Iterator[tuple[Installation, Ask]]:
    if kind == "make stack":
        stack = Stack(folder, folder / "s")
        stack.start("--stack", "--no-demo", seconds=10 * BACK)
        yield stack, stack.ask
        return
    made = Installation(folder)
    clock = folder / "clock"
    clock.write_text("0")
    made.more = {"CANDOR_TEST_CLOCK": str(clock), "PYTHONPATH": str(ROOT / "tests" / "failures" / "hook")}
    made.start("--no-demo", seconds=10 * BACK)
    yield made, made.rows


if __name__ == "__main__":
    argparse.ArgumentParser(prog="make audit-failures", description=__doc__.splitlines()[0]).parse_args()
    prepare()
    sys.exit(0 if main() else 1)
