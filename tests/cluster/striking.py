"""The strikes: what is killed or cut off, and how long nobody is told 201 after it."""

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Protocol

from tests.cluster.machines import MACHINES, PORTS, Cluster, service, until

BACK = 180.0
"""Seconds within which everything must be as it was."""

SETTLED = 1.5
"""Seconds of calm before a strike."""

CUT = 30.0
"""Seconds for which a machine is cut off: longer than the primary's lease."""


class Acknowledging(Protocol):
    port: int
    moments: list[float]


@dataclass
class Struck:
    """A strike and what came of it."""

    kind: str
    whom: str
    at: float
    until: float
    silent: float
    """The longest time without an acknowledged report."""
    elected: float
    """Seconds until there was another primary; 0 where the primary was not struck."""
    on_minor_side: int = 0
    """Reports that a machine has acknowledged which was cut off."""
    made_anew: str = ""
    """A standby whose log was too far behind."""

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


class Striker:
    def __init__(self, cluster: Cluster, senders: Sequence[Acknowledging], *, done: Iterable[str] = ()) -> None:
        self.cluster, self.senders = cluster, senders
        self.done = Counter(done)
        self.count = 0
        """How many of this kind there were before."""
        self.kinds: dict[str, Callable[[], Struck]] = {
            "primary": self.primary,
            "etcd": self.etcd,
            "redis": self.redis,
            "partition": self.partition,
            "machine": self.machine,
        }

    def strike(self, kind: str) -> Struck:
        """One strike, from a state in which all is well to the next one."""
        self.settle()
        self.count = self.done[kind]
        self.done[kind] += 1
        struck = self.kinds[kind]()
        struck.made_anew = self.settle()
        struck.until = time.time()
        struck.silent = self.silence(struck.at, struck.until)
        return struck

    def settle(self) -> str:
        """Wait until all is well; a standby that stays behind is copied anew, as an operator would."""
        anew = ""
        try:
            until(self.well, BACK / 2)
        except AssertionError:
            anew = self.copy_anew()
            until(self.well, BACK)
        time.sleep(SETTLED)
        return anew

    def well(self) -> bool:
        made = self.cluster
        return (
            made.standbys() == 2
            and self.flowing()
            and bool(made.etcd_leader() and made.redis_master())
            and all(made.ready(port) for port in PORTS.values())
        )

    def flowing(self) -> bool:
        """Whether somebody was acknowledged within the last second, by each of the two web machines."""
        return all(self.newest(port) > time.time() - 1 for port in PORTS.values())

    def newest(self, port: int) -> float:
        return max((one.moments[-1] for one in self.senders if one.port == port and one.moments), default=0.0)

    def silence(self, begin: float, end: float) -> float:
        """The longest time without an acknowledged report of anybody."""
        came = sorted(moment for one in self.senders for moment in one.moments[-20_000:] if begin <= moment <= end)
        edges = [begin, *came, end]
        return max(after - before for before, after in itertools.pairwise(edges))

    def copy_anew(self) -> str:
        leader = self.cluster.primary()
        behind = [one for one in MACHINES if one != leader and not self.follows(one)]
        for one in behind:
            self.cluster.podman("exec", f"candor-ha_{service('database', leader)}_1", "patronictl", "-c",
                                "/etc/candor/patroni.yml", "reinit", "candor", one, "--force")  # fmt: skip
        return ", ".join(behind)

    def follows(self, machine: str) -> bool:
        rows = self.cluster.ask("SELECT application_name FROM pg_stat_replication WHERE state = 'streaming'")
        return (machine,) in rows

    def primary(self) -> Struck:
        """Every other time the server alone, which its Patroni sees; else both, as where a container is killed."""
        leader, begun = self.cluster.primary(), time.time()
        if self.count % 2:
            self.cluster.kill_postgres(leader)
        else:
            self.cluster.kill(service("database", leader))
        return Struck("primary", leader, begun, 0, 0, self.elected(leader, begun))

    def elected(self, old: str, begun: float) -> float:
        """Until another machine leads, or the same one again with commits that are confirmed."""

        def led() -> bool:
            now = self.cluster.primary([one for one in MACHINES if one != old])
            return bool(now) or (bool(self.cluster.primary([old])) and self.acknowledged_since(begun + 2))

        until(led, BACK)
        return time.time() - begun

    def acknowledged_since(self, moment: float) -> bool:
        return any(one.moments and one.moments[-1] > moment for one in self.senders)

    def etcd(self) -> Struck:
        leader, begun = self.cluster.etcd_leader(), time.time()
        self.cluster.kill(service("etcd", leader))
        return Struck("etcd", leader, begun, 0, 0, 0)

    def redis(self) -> Struck:
        """For longer than Sentinel waits: it comes back by itself otherwise."""
        leader, begun = self.cluster.redis_master(), time.time()
        victim = f"candor-ha_{service('redis', leader)}_1"
        self.cluster.podman("stop", "--time", "0", victim)
        until(lambda: self.cluster.redis_master() not in ("", leader), BACK)
        self.cluster.podman("start", victim)
        return Struck("redis", leader, begun, 0, 0, 0)

    def partition(self) -> Struck:
        """Two of three times the primary, else another machine."""
        leader = self.cluster.primary()
        others = [one for one in MACHINES if one != leader]
        victim = others[self.count // 3 % 2] if self.count % 3 == 2 else leader
        with self.cut_off(victim) as begun:
            elected = self.elected(victim, begun) if victim == leader else 0.0
            time.sleep(max(0.0, begun + CUT - time.time()))
            assert not self.cluster.primary([victim]), "it still leads, where nobody follows"
            healed = time.time()
        minor = [at for one in self.senders if one.port == PORTS.get(victim) for at in one.moments]
        found = Struck("partition", victim, begun, 0, 0, elected)
        # What was confirmed just before it was cut off may be told a moment later.
        found.on_minor_side = sum(begun + 1 < at < healed for at in minor)
        return found

    @contextmanager
    def cut_off(self, machine: str) -> Iterator[float]:
        begun = time.time()
        self.cluster.cut(machine)
        try:
            yield begun
        finally:
            self.cluster.heal(machine)

    def machine(self) -> Struck:
        """Two of three times the primary's; for as long as it takes until reports are acknowledged without it."""
        leader, begun = self.cluster.primary(), time.time()
        victim = MACHINES[self.count // 3 % 3] if self.count % 3 == 2 else leader
        self.cluster.stop_machine(victim)
        stopped = time.time()
        try:
            elected = self.elected(victim, stopped) if victim == leader else 0.0
            until(lambda: self.acknowledged_since(time.time() - 1), BACK)
        finally:
            self.cluster.start_machine(victim)
        return Struck("machine", victim, begun, 0, 0, elected)
