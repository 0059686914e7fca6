"""`make cluster` and `make chaos-cluster`: three machines of containers, and what becomes of reports as they fall.

    python -m tests.cluster up
    python -m tests.cluster chaos --primary 50 --etcd 20 --redis 20 --partition 20 --machine 10
    python -m tests.cluster down

Each strike and each report is written down in var/cluster as it comes, so that a run which was broken off goes on with
the strikes that are missing; `down` forgets it. Writes docs/evidence/high-availability.md, and fails where a report
that was acknowledged is lost, anything is there twice, a machine that is cut off acknowledges, or a new
primary comes late.
"""

import argparse
import json
import random
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from scipy.stats import spearmanr
from tqdm import tqdm

from tests.audit.standalone import prepare
from tests.chaos.checking import FOLDABLE, Outcome, outcome
from tests.cluster import report
from tests.cluster.machines import CANDOR, FOLDER, MACHINES, PORTS, SERVERS, Cluster, container, until
from tests.cluster.sending import Recorded, Recorder
from tests.cluster.striking import BACK, Striker, Struck
from tests.factories import payloads

STRIKES = {"primary": 50, "etcd": 20, "redis": 20, "partition": 20, "machine": 10}
SENDERS = 40
RATE = 220.0
"""Reports a second that they send while an answer takes less than SENDERS / RATE seconds."""

DONE = FOLDER / "strikes.jsonl"
SAMPLE = 100
"""Newest reports of one sender, whose order is looked for in the logs after closing."""

UNRELATED = 4 / SAMPLE**0.5
"""What chance gives nearly never."""


def chaos(cluster: Cluster, wanted: dict[str, int], minutes: float) -> bool:
    from collector.designs import check

    cluster.running() or cluster.up()
    design = check(payloads.opened())
    before = [Recorded(design, file) for file in sorted(FOLDER.glob("sent-*.jsonl"))]
    if not before:
        open_survey(cluster)
    begun, ports = int(time.time()), list(PORTS.values())
    senders = [
        Recorder(design, port := ports[number % 2], random.SystemRandom().getrandbits(60),
                 FOLDER / f"sent-{port}-{begun}-{number}.jsonl", apart=SENDERS / RATE)
        for number in range(SENDERS)
    ]  # fmt: skip
    for sender in senders:
        sender.start()
    strikes = strike_all(Striker(cluster, senders), wanted, time.monotonic() + 60 * minutes)
    for sender in senders:
        sender.leave_acknowledged(BACK)
    everybody = [*before, *senders]
    until(lambda: cluster.ask(FOLDABLE) == [], 2 * BACK)
    found = outcome(cluster.ask, everybody, seconds=3 * BACK)  # type: ignore[arg-type]
    in_logs = order_in_logs(cluster, list(senders[0].sent)[-SAMPLE:])
    report.write(strikes, found, everybody, in_logs=in_logs)
    print(found, f"{in_logs = }", *strikes, sep="\n", flush=True)
    return sound(strikes, found) and in_logs < UNRELATED


def strike_all(striker: Striker, wanted: dict[str, int], last: float) -> list[Struck]:
    """Those that are missing, until it is too late to begin another; what was done before is read."""
    done = [Struck(**json.loads(line)) for line in DONE.read_text().splitlines()] if DONE.exists() else []
    missing = mixed(wanted)
    for one in done:
        if one.kind in missing:
            missing.remove(one.kind)
    striker.done.update(one.kind for one in done)
    for kind in tqdm(missing, unit="strike"):
        if time.monotonic() > last:
            break
        done.append(struck := striker.strike(kind))
        with DONE.open("a") as file:
            file.write(json.dumps(struck.to_dict()) + "\n")
        print(struck, flush=True)
    return done


def mixed(wanted: dict[str, int]) -> list[str]:
    """Each kind spread over the whole, so that a run which is broken off has had all of them."""
    places = [((at + 0.5) / count, kind) for kind, count in wanted.items() for at in range(count)]
    return [kind for _, kind in sorted(places)]


def sound(strikes: Sequence[Struck], found: Outcome) -> bool:
    elected = [one.elected for one in strikes if one.elected]
    soon = sum(one <= report.SOON for one in elected) >= 0.95 * len(elected)
    return found.sound and soon and not any(one.on_minor_side for one in strikes)


def order_in_logs(cluster: Cluster, came: list[str]) -> float:
    """Close the survey and wait until its reports are written anew; how much any machine's log tells of their order.

    Pages of the new table may be in a log, as where somebody has read them since: by nonce, not as they came.
    """
    cluster.manage("shell", "-c", "from surveys.models import Survey; from surveys.lifecycle.services import "
                   "close_survey; close_survey(Survey.objects.get(slug='campus'))")  # fmt: skip
    until(lambda: cluster.ask("SELECT rewritten_on FROM collector_frozendesign WHERE rewritten_on IS NOT NULL"), BACK)
    order = [bytes.fromhex(nonce) for nonce in came]
    with suppress(AssertionError):
        until(lambda: told(cluster, order) < UNRELATED, BACK)
    return told(cluster, order)


def told(cluster: Cluster, order: list[bytes]) -> float:
    """The largest correlation of the places of the nonces in a machine's log with the order in which they came."""
    most = 0.0
    for machine in MACHINES:
        content = b"".join(file.read_bytes() for file in sorted(cluster.log_files(machine)) if len(file.name) == 24)
        places = [place for nonce in order if (place := content.find(nonce)) >= 0]
        if len(places) > 2:
            most = max(most, abs(float(spearmanr(range(len(places)), places).statistic)))
    return most


def open_survey(cluster: Cluster) -> None:
    from surveys.definition import definitions

    text = definitions.dump(payloads.definition())
    cluster.podman("exec", "--interactive", container("web1"), "sh", "-c", "cat > /tmp/survey.yaml", stdin=text)
    cluster.manage("shell", "-c", "from django.contrib.auth.models import User; User(is_staff=True).save()")
    cluster.manage("import_survey", "/tmp/survey.yaml")
    assert json.loads(cluster.manage("open_survey", "campus", "--json"))["digest"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster")
    parser.add_argument("act", choices=("up", "chaos", "down"))
    for kind, count in STRIKES.items():
        parser.add_argument(f"--{kind}", type=int, default=count, help="how many of these strikes")
    parser.add_argument("--minutes", type=float, default=90, help="no strike begins later; the next run goes on")
    options = parser.parse_args()
    cluster = Cluster()
    if options.act == "down":
        cluster.down()
        shutil.rmtree(FOLDER)
        return 0
    cluster.build()
    if options.act == "up":
        cluster.up()
        places = ", ".join(f"http://127.0.0.1:{port}" for port in PORTS.values())
        print(f"{len(SERVERS)} servers and {len(CANDOR)} processes of Candor are running: {places}")
        return 0
    prepare()
    return 0 if chaos(cluster, {kind: getattr(options, kind) for kind in STRIKES}, options.minutes) else 1


if __name__ == "__main__":
    sys.exit(main())
