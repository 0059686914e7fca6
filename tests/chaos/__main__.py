"""`python -m tests.chaos [KILLS]`, which is `make chaos`: kill everything at random moments under load, then count.

Half of the kills hit an installation as `make run` makes it, half one as `make stack` makes it. Writes docs/chaos.md
and its picture, and fails where a report that was acknowledged is lost, anything is counted twice, or a job is stuck.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from tests import payloads
from tests.chaos import report
from tests.chaos.checking import Ask, Outcome, outcome
from tests.chaos.killing import BACK, EMBEDDED, STACK, Killer
from tests.chaos.sending import Sender
from tests.system.installation import Installation, wait_until
from tests.system.stack import Stack

KILLS = 500
SENDERS = 4
APART = 1.0
"""Seconds between two kills, on average; what was killed needs about as long to start again."""


def main(kills: int) -> bool:
    results = [suffer(kind, victims, kills // 2) for kind, victims in (("make run", EMBEDDED), ("make stack", STACK))]
    report.write(results)
    return all(result.outcome.sound for result in results)


def suffer(kind: str, victims: dict[str, str], kills: int) -> report.Result:
    """One installation, all its kills, and what became of it."""
    from collector.designs import check

    with running(kind) as (installation, ask):
        open_survey(installation)
        killer = Killer(installation, victims, seed=1)
        senders = [Sender(check(payloads.document()), installation.port, number) for number in range(SENDERS)]
        for sender in senders:
            sender.start()
        for _ in tqdm(range(kills), desc=kind, unit="kill"):
            killer.kill(apart=APART, acknowledged=lambda: sum(len(one.acknowledged) for one in senders))
        settled = settle(ask, senders)
    print(f"{kind}: {settled}", flush=True)
    return report.Result(kind, killer, senders, settled)


def settle(ask: Ask, senders: list[Sender]) -> Outcome:
    """Let everything come back, everybody be answered, and everything be counted; then look."""
    for sender in senders:
        count = len(sender.acknowledged)
        wait_until(lambda sender=sender, count=count: len(sender.acknowledged) > count, BACK)
        sender.leave.set()
    for sender in senders:
        sender.join(BACK)
    wait_until(lambda: ask("SELECT count(*) FROM collector_waitingreport") == [(0,)], BACK)
    stuck = "SELECT count(*) FROM estimator_run WHERE state NOT IN ('done', 'failed')"
    wait_until(lambda: ask(stuck) == [(0,)], 3 * BACK)  # a dead worker's lease runs out first, up to three times
    return outcome(ask, senders)


@contextmanager
def running(kind: str) -> Iterator[tuple[Installation, Ask]]:
    folder = Path(tempfile.mkdtemp(prefix="candor-chaos-"))
    folder.chmod(0o755)
    made: Installation
    if kind == "make stack":
        made = stack = Stack(folder, folder / "s")
        made.start("--stack", "--no-demo")
        ask = stack.ask
    else:
        made = Installation(folder)
        made.start("--no-demo")
        ask = made.rows
    try:
        yield made, ask
    finally:
        made.interrupt()
        shutil.rmtree(folder, ignore_errors=True)


def open_survey(installation: Installation) -> None:
    from surveys import definitions

    file = installation.temporary / "survey.yaml"
    file.write_text(definitions.dump(payloads.definition()))
    installation.manage("shell", "-c", "from django.contrib.auth.models import User; User(is_staff=True).save()")
    installation.manage("import_survey", str(file))
    assert json.loads(installation.manage("open_survey", "campus", "--json"))["digest"]


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if len(sys.argv) > 1 else KILLS) else 1)
