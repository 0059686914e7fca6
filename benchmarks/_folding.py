"""A simulation of folding at any size: nodes with their databases, workers that are woken, reports that come.

Reports come as a Poisson process and are counted, not kept one by one: what waits is a number, and how far the totals
are behind is the distance between two counts, the same one that benchmarks/lag.py takes from outside. A node is a
database with the designs that live in it; what a worker does on it is what collector/reports/folding.py does: one
transaction after the other until one is not full, then it waits for the next wake-up, which one free worker takes.
"""

import heapq
import math
from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

LOOKS = 0.2
"""Seconds between two looks at how far the totals are behind."""


@dataclass(frozen=True)
class Setting:
    """What is simulated.

    Attributes
    ----------
    rate
        Reports a second over all nodes.
    nodes, workers
        How many nodes there are, and how many workers fold on each.
    fixed, each
        Seconds of a fold's transaction, and of each report in it.
    every, chunk, pause
        Seconds between wake-ups, reports in a transaction, seconds between two transactions.
    cores, busy, share
        Processors of a node's database; how many of them storing keeps busy, and how much of one a worker at work.
    """

    rate: float
    nodes: int = 1
    workers: int = 1
    fixed: float = 0.005
    each: float = 40e-6
    every: float = 2.0
    chunk: int = 5_000
    pause: float = 0.0
    cores: float = 8.0
    busy: float = 0.0
    share: float = 0.5


@dataclass(frozen=True)
class Deaths:
    """From one second to another this part of each node's workers is dead, rounded up."""

    since: float
    until: float
    part: float


@dataclass
class Node:
    """One database while it is simulated. Times in seconds, counts in reports."""

    setting: Setting
    random: np.random.Generator
    come: int = 0
    waiting: int = 0
    folded: int = 0
    in_hand: dict[int, int] = field(default_factory=dict)
    """By worker, what the transaction holds that it is in."""
    moments: list[float] = field(default_factory=lambda: [0.0])
    counts: list[int] = field(default_factory=lambda: [0])
    """When so many had come: the curve that folding runs after."""
    looks: list[tuple[float, float, int]] = field(default_factory=list)
    """At each look: when, seconds behind, reports that are not in the totals."""
    waited: float = 0.0
    """Seconds, of all folded reports together."""

    @property
    def left(self) -> int:
        """Reports that are in no total."""
        return self.waiting + sum(self.in_hand.values())

    def arrive(self, now: float) -> None:
        """Let come what came since the last event."""
        since = now - self.moments[-1]
        if since > 0:
            more = int(self.random.poisson(self.setting.rate / self.setting.nodes * since))
            self.come, self.waiting = self.come + more, self.waiting + more
            self.moments.append(now)
            self.counts.append(self.come)

    def moment(self, count: int) -> float:
        """When the report of this number came, the first being 0: within a step evenly."""
        after = bisect_right(self.counts, count)
        (low, high), (start, end) = self.counts[after - 1 : after + 1], self.moments[after - 1 : after + 1]
        return start + (end - start) * (count - low) / (high - low)

    def look(self, now: float) -> None:
        self.arrive(now)
        behind = now - self.moment(self.folded) if self.come > self.folded else 0.0
        self.looks.append((now, behind, self.left))

    def take(self, worker: int, now: float) -> float:
        """A worker begins a transaction; the seconds that it will take."""
        self.arrive(now)
        setting = self.setting
        count = min(setting.chunk, self.waiting)
        self.waiting -= count
        self.in_hand[worker] = count
        asked = setting.busy + setting.share * len(self.in_hand)
        return (setting.fixed + setting.each * count) * max(1.0, asked / setting.cores)

    def finish(self, worker: int, now: float) -> bool:
        """The transaction is committed; whether it was full, so that the worker goes on."""
        self.arrive(now)
        count = self.in_hand.pop(worker)
        if count:
            first, last = self.moment(self.folded), self.moment(self.folded + count - 1)
            self.waited += count * (now - (first + last) / 2)
        self.folded += count
        return count == self.setting.chunk


@dataclass(frozen=True)
class Run:
    """What was seen: for each look the seconds behind of the worst node, and what waited in all nodes together."""

    times: np.ndarray
    behind: np.ndarray
    waiting: np.ndarray
    come: int
    folded: int
    waits: int
    """In no total in the end, those in a worker's hand included."""
    waited: float
    """Seconds, of all folded reports together."""


def simulate(setting: Setting, *, seconds: float, seed: int, deaths: Deaths | None = None) -> Run:
    """Run all nodes for so many seconds from an empty beginning. One seed gives one run, to the last number."""
    seeds = np.random.SeedSequence(seed).spawn(setting.nodes)
    nodes = [run(setting, np.random.default_rng(one), seconds, deaths) for one in seeds]
    looks = np.array([node.looks for node in nodes])  # nodes x looks x 3
    return Run(
        looks[0, :, 0],
        looks[:, :, 1].max(axis=0),
        looks[:, :, 2].sum(axis=0),
        sum(node.come for node in nodes),
        sum(node.folded for node in nodes),
        sum(node.left for node in nodes),
        sum(node.waited for node in nodes),
    )


LOOK, WAKE, DONE, NEXT, DIE, REVIVE = range(6)


def run(setting: Setting, random: np.random.Generator, seconds: float, deaths: Deaths | None) -> Node:
    node, free, dead = Node(setting, random), set(range(setting.workers)), set()
    life = [0] * setting.workers
    events = [(LOOKS * step, LOOK, 0, 0) for step in range(1, int(seconds / LOOKS) + 1)]
    events += [(one, WAKE, 0, 0) for one in np.arange(float(random.uniform(0, setting.every)), seconds, setting.every)]
    if deaths is not None:
        victims = range(math.ceil(deaths.part * setting.workers))
        events += [(deaths.since, DIE, one, 0) for one in victims] + [(deaths.until, REVIVE, one, 0) for one in victims]
    heapq.heapify(events)

    def begin(worker: int, now: float) -> None:
        heapq.heappush(events, (now + node.take(worker, now), DONE, worker, life[worker]))

    while events and (event := heapq.heappop(events))[0] <= seconds:
        now, kind, worker, born = event
        if kind == LOOK:
            node.look(now)
        elif kind == WAKE and free:
            begin(free.pop(), now)
        elif kind == DIE:
            life[worker] += 1
            node.waiting += node.in_hand.pop(worker, 0)  # its transaction is rolled back
            free.discard(worker)
            dead.add(worker)
        elif kind == REVIVE:
            dead.discard(worker)
            free.add(worker)
        elif kind in (DONE, NEXT) and born == life[worker] and worker not in dead:
            if kind == NEXT:
                begin(worker, now)
            elif not node.finish(worker, now):
                free.add(worker)
            else:
                heapq.heappush(events, (now + setting.pause, NEXT, worker, born))
    return node
