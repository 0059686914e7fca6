"""`python -m tests.chaos [KILLS] [--only PART]`, which is `make audit-crashes`: kill everything under load, then count.

Everything is killed at random moments, half of the times in an installation as `make run` makes it, half in one as
`make stack` makes it. Then somebody dies at every named point of both (tests/chaos/points.py). Writes
docs/evidence/chaos.md with its picture, and the page of named points, and fails where a report that was acknowledged is
lost, anything is counted twice or done by halves, a job is stuck, or a fault that was put in on purpose is not found.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from tests.audit.standalone import prepare
from tests.chaos import named, points, report
from tests.chaos.checking import FOLDABLE, Ask, Outcome, outcome
from tests.chaos.killing import BACK, EMBEDDED, STACK, Killer
from tests.chaos.sending import Sender
from tests.factories import payloads
from tests.system.installation import Installation, wait_until
from tests.system.stack import Stack

KILLS = 500
PARTS = "random", "named"
SENDERS = 4
APART = 1.0
"""Seconds between two kills, on average; what was killed needs about as long to start again."""


def main(kills: int, parts: Sequence[str]) -> bool:
    sound = []
    if "random" in parts:
        kinds = ("make run", EMBEDDED), ("make stack", STACK)
        results = [suffer(kind, victims, kills // 2) for kind, victims in kinds]
        report.write(results)
        sound += [result.outcome.sound for result in results]
    if "named" in parts:
        deaths = [strike(kind, names) for kind, names in (("make run", points.EMBEDDED), ("make stack", points.STACK))]
        report.write_deaths(deaths)
        sound += [one.sound for one in deaths]
    return all(sound)


def suffer(kind: str, victims: dict[str, str], kills: int) -> report.Result:
    """One installation, all its kills, and what became of it."""
    from collector.designs import check

    with running(kind) as (installation, ask):
        open_survey(installation)
        killer = Killer(installation, victims, seed=1)
        senders = [Sender(check(payloads.opened()), installation.port, number) for number in range(SENDERS)]
        for sender in senders:
            sender.start()
        for _ in tqdm(range(kills), desc=kind, unit="kill"):
            killer.kill(apart=APART, acknowledged=lambda: sum(len(one.acknowledged) for one in senders))
        settled = settle(ask, senders)
    print(f"{kind}: {settled}", flush=True)
    return report.Result(kind, killer, senders, settled)


def strike(kind: str, listed: dict[str, tuple[str, ...]]) -> report.Deaths:
    """One installation, a death at each named point, and what became of it."""
    from collector.designs import check

    with running(kind, prepare=named.prepare) as (installation, ask):
        open_survey(installation)
        strikes = named.Strikes(installation, ask)
        senders = [Sender(check(payloads.opened()), installation.port, number, apart=0.02) for number in range(2)]
        for sender in senders:
            sender.start()
        strikes.all(points.names(listed))
        settled = settle(ask, senders)
        strikes.look()
        found = named.finds_a_fault(strikes)
    deaths = report.Deaths(kind, strikes.struck, settled, found)
    print(f"{kind}: {settled}", *(one for one in strikes.struck if not one.sound), f"{found = }", sep="\n", flush=True)
    return deaths


def settle(ask: Ask, senders: list[Sender]) -> Outcome:
    """Let everything come back, everybody be answered, and everything be counted; then look."""
    for sender in senders:
        sender.leave_acknowledged(BACK)
    until_folded(ask)
    return outcome(ask, senders, seconds=3 * BACK)  # a dead worker's lease runs out first, up to three times


def until_folded(ask: Ask) -> None:
    wait_until(lambda: ask(FOLDABLE) == [], BACK)


@contextmanager
def running(
    kind: str, prepare: Callable[[Installation], None] = lambda made: None
) -> Iterator[tuple[Installation, Ask]]:
    folder = Path(tempfile.mkdtemp(prefix="candor-chaos-"))
    folder.chmod(0o755)
    made: Installation
    if kind == "make stack":
        made = stack = Stack(folder, folder / "s")
        prepare(made)
        made.start("--stack", "--no-demo")
        ask = stack.ask
    else:
        made = Installation(folder)
        prepare(made)
        made.start("--no-demo")
        ask = made.rows
    try:
        yield made, ask
    finally:
        made.interrupt()
        shutil.rmtree(folder, ignore_errors=True)


def open_survey(installation: Installation) -> None:
    from surveys.definition import definitions

    file = installation.temporary / "survey.yaml"
    file.write_text(definitions.dump(payloads.definition()))
    installation.manage("shell", "-c", "from django.contrib.auth.models import User; User(is_staff=True).save()")
    installation.manage("import_survey", str(file))
    assert json.loads(installation.manage("open_survey", "campus", "--json"))["digest"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make audit-crashes")
    parser.add_argument("kills", type=int, nargs="?", default=KILLS, help="at random moments")
    parser.add_argument("--only", choices=PARTS, help="one of both")
    options = parser.parse_args()
    prepare()
    sys.exit(0 if main(options.kills, [options.only] if options.only else PARTS) else 1)
