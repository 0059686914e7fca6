"""What a report costs on a Citus cluster of one to four nodes, and what the others do while one of them is dead.

    python -m benchmarks.citus [--turns 8] [--reports 4000]

The servers of a coordinator and four nodes run on this machine. Five databases are on them: one that is not
distributed, and one for each number of nodes. They take turns; what is compared is the processor time of a report, of
the web process, the process that folds, and all servers together, within a turn. Then a node is killed again and again
under load. Writes docs/evidence/citus.md. Citus is installed from the package that CITUS_PACKAGE names, if need be.
"""

import argparse
import contextlib
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from signal import SIGQUIT
from typing import Any

from tqdm import tqdm

from benchmarks import _citus
from benchmarks._citus import ONE_SERVER, Site
from benchmarks._pages import MEASURED, put
from tests.citus.cluster import Cluster, Node, running
from tests.system.installation import ROOT
from tests.tools.redis import running_redis

MOST = 4
CONNECTIONS = 16
SLOW_RATE, SLOW_CONNECTIONS = 50, 4
"""Of the reports of surveys on the node that dies: their senders do not send faster where they are refused."""

LONGEST = 120.0
"""Seconds that the reports of a turn may take."""

SECONDS = 3.0
"""Of each stretch before, while and after a node dies."""

SETTLED = 1.0
"""Seconds after a node was killed or started before anything is measured."""

CUT_OFF = "one cut off"
STATES = ("all alive", "dying", "one dead", CUT_OFF)

ONE, ALL, WIDE = (
    "one survey", f"{_citus.DESIGNS} surveys at once", f"{_citus.DESIGNS} surveys, as many connections for each node",
)  # fmt: skip
LOADS = {ONE: 1, ALL: _citus.DESIGNS, WIDE: _citus.DESIGNS}
"""With the number of surveys. The connections of the last one grow with the nodes, as the reports do for which somebody
adds a node; those of the others are divided over them, so that fewer reports come together and share a transaction."""

Turn = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--reports", type=int, default=4_000, help="of each turn of each database and load")
    parser.add_argument(
        "--most", type=int, default=MOST, choices=range(2, MOST + 1), help="nodes of the largest database"
    )
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.here is not None:
        _citus.serve(chosen.here)
        return
    with running(chosen.most) as cluster, running_redis() as broker, contextlib.ExitStack() as stack:
        numbers = range(ONE_SERVER, chosen.most + 1)
        making = tqdm(numbers, "databases", disable=None)
        sites = {number: stack.enter_context(_citus.site(cluster, number, broker.url)) for number in making}
        turns = measure(cluster, sites, chosen.turns, chosen.reports)
        strikes = measure_death(cluster, sites[chosen.most], chosen.turns)
    (MEASURED / "citus.json").write_text(json.dumps({"turns": turns, "strikes": strikes}) + "\n")
    write(turns, strikes)


def measure(cluster: Cluster, sites: dict[int, Site], turns: int, reports: int) -> list[Turn]:
    """Store so many reports and fold, in turns; the first one warms and is not told. SystemExit where one is lost."""
    found = []
    for turn in tqdm(range(turns + 1), "turns", disable=None):
        for words, count in LOADS.items():
            for number, site in sites.items():
                nonces = _citus.new_nonces(reports, cluster.folder)
                connections = CONNECTIONS * max(number, 1) if words == WIDE else CONNECTIONS
                asked = {"nonces": nonces, "seconds": LONGEST, "connections": connections}
                _, stored = site.store(list(site.designs)[:count], **asked)
                folded = site.fold()
                one = {"load": words, "nodes": number, "turn": turn, "store": vars(stored), "fold": vars(folded)}
                found += [one] if turn else []
    for number, site in sites.items():
        if (stored := sum(site.stored().values())) != site.acknowledged:
            raise SystemExit(f"{number} nodes: {site.acknowledged} reports were acknowledged and {stored} are stored.")
    return found


def measure_death(cluster: Cluster, site: Site, turns: int) -> list[Turn]:
    """Store into surveys of living nodes while others send to the node that dies, before and after it has."""
    port = max(site.designs.values())
    node = next(one for one in cluster.workers if one.port == port)
    others = [digest for digest, there in site.designs.items() if there != port]
    victims = [digest for digest, there in site.designs.items() if there == port]
    before, theirs, found = site.stored(), site.acknowledged, []
    of_victims = 0
    for turn in tqdm(range(turns + 1), "strikes", disable=None):
        one: Turn = {"turn": turn}
        for state in STATES:
            if state == CUT_OFF:
                node.start()
                recover = "SELECT recover_prepared_transactions()"
                cluster.coordinator.execute(recover, _citus.database(len(cluster.workers)))
            time.sleep(SETTLED)
            with sending(site, victims) as slow, cut_off(node) if state == CUT_OFF else contextlib.nullcontext():
                if state == "dying":
                    kill_soon(node, SECONDS / 2)
                said, used = site.store(others, seconds=SECONDS, connections=CONNECTIONS, refusal=503)
            of_victims += slow["answers"]
            one[state] = said | {"used": used.all, "theirs": slow["answers"], "refused": slow["refusals"]}
        found += [one]
    after = site.stored()
    lost = {"others": site.acknowledged - theirs, "victims": of_victims}
    for name, digests in (("others", others), ("victims", victims)):
        lost[name] -= sum(after[digest] - before[digest] for digest in digests)
    return [*found[1:], {"lost": lost}]


@contextlib.contextmanager
def sending(site: Site, digests: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Within, others send reports of these surveys at a steady rate; what became of them is there afterwards."""
    asked = site.bodies(digests) | {"seconds": SECONDS, "connections": SLOW_CONNECTIONS, "rate": SLOW_RATE}
    said: dict[str, Any] = {}
    command = [sys.executable, "-m", "benchmarks.load", json.dumps(asked | {"refusal": 503})]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as client:
        yield said
        said |= json.loads(client.communicate()[0])


@contextlib.contextmanager
def cut_off(node: Node) -> Iterator[None]:
    """Within, no packet reaches the node's port or comes from it, as if its machine had lost the network."""
    rules = [["INPUT", "-i", "lo", "-p", "tcp", side, str(node.port), "-j", "DROP"] for side in ("--dport", "--sport")]
    for rule in rules:
        subprocess.run(["iptables", "-A", *rule], check=True)
    try:
        yield
    finally:
        for rule in rules:
            subprocess.run(["iptables", "-D", *rule], check=True)


def kill_soon(node: Node, seconds: float) -> None:
    """Have another process kill the server in the midst of the load, as if its machine had gone."""
    assert node.server is not None
    subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -{SIGQUIT.value} {node.server.pid}"])


def write(turns: list[Turn], strikes: list[Turn]) -> None:
    put("evidence/citus.md", "citus.py, cost", "\n".join(cost_lines(turns)))
    put("evidence/citus.md", "citus.py, death", "\n".join(death_lines(strikes)))


def cost_lines(turns: list[Turn]) -> Iterator[str]:
    """Medians in µs, and the cost against one node: the mean of the turns, with its interval."""
    heads = ["reports of", "nodes", "web process", "coordinator", "nodes, storing", "folding, all", "together"]
    yield f"| {' | '.join([*heads, 'against one node'])} |"
    yield "|---" * (len(heads) + 1) + "|"
    for load in LOADS:
        for number in sorted({one["nodes"] for one in turns}):
            mine = [one for one in turns if (one["load"], one["nodes"]) == (load, number)]
            parts = [statistics.median(one["store"][part] for one in mine) for part in ("ours", "coordinator", "nodes")]
            parts += [statistics.median(sum(one["fold"].values()) for one in mine)]
            parts += [statistics.median(map(_cost, mine))]
            cells = [f"{1e6 * part:.0f}" for part in parts]
            words = "one server, not distributed" if number == ONE_SERVER else str(number)
            yield f"| {' | '.join([load, words, *cells, against_one(turns, load, number)])} |"


def against_one(turns: list[Turn], load: str, number: int) -> str:
    if number == 1:
        return "1"
    mine, ones = ([_cost(one) for one in turns if (one["load"], one["nodes"]) == (load, many)] for many in (number, 1))
    return ratio(mine, ones)


def ratio(values: Sequence[float], ones: Sequence[float]) -> str:
    """The geometric mean of ratios within turns, with its 95 % interval by Student's t."""
    from scipy.stats import t

    logs = [math.log(value / one) for value, one in zip(values, ones, strict=True)]
    middle, count = statistics.fmean(logs), len(logs)
    if count < 2:
        return f"{math.exp(middle):.2f}"
    half = float(t.ppf(0.975, count - 1)) * statistics.stdev(logs) / math.sqrt(count)
    return f"{math.exp(middle):.2f} ({math.exp(middle - half):.2f} to {math.exp(middle + half):.2f})"


def _cost(one: Turn) -> float:
    return float(sum(one["store"].values()) + sum(one["fold"].values()))


def death_lines(strikes: list[Turn]) -> Iterator[str]:
    *found, lost = strikes
    compared = STATES[2:]
    heads = [f"median of {len(found)}", *STATES, *(f"{one} against alive" for one in compared)]
    yield f"| {' | '.join(heads)} |"
    yield "|---" * (1 + len(STATES) + len(compared)) + "|"
    rows = {
        "surveys on other nodes: reports a second": ("rate", 1, "{:,.0f}"),
        "processor of a report, µs": ("used", 1e6, "{:,.0f}"),
        "wait, median, ms": ("median", 1e3, "{:.1f}"),
        "wait, 99 %, ms": ("p99", 1e3, "{:.1f}"),
    }
    for words, (name, unit, form) in rows.items():
        of = {state: [one[state][name] for one in found] for state in STATES}
        cells = [form.format(unit * statistics.median(of[state])) for state in STATES]
        yield f"| {' | '.join([words, *cells, *(ratio(of[state], of[STATES[0]]) for state in compared)])} |"
    sums = {"answered with 503": "refusals", "surveys on that node: stored": "theirs", "answered with 503 ": "refused"}
    for words, name in sums.items():
        yield f"| {words} | {' | '.join(f'{sum(one[state][name] for one in found):,}' for state in STATES)} |{' |' * 2}"
    for words, name in (("others", "others"), ("that node", "victims")):
        yield f"| acknowledged reports of {words} lost | {max(lost['lost'][name], 0)} |{' |' * 5}"


if __name__ == "__main__":
    main()
