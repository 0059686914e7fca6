"""What must be true afterwards, counted from the tables by code that shares nothing with the collector."""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from tests.chaos.sending import FAIR, Sender
from tests.system.installation import wait_until

Ask = Callable[[str], list[tuple[object, ...]]]
NUMBER = "(SELECT number FROM collector_frozendesign WHERE digest = '{digest}')"
REPORTS = f"SELECT nonce, stratum, report FROM collector_report WHERE design_id = {NUMBER}"
WAITING = f"SELECT nonce, stratum, report FROM collector_waitingreport WHERE design_id = {NUMBER}"
TOTALS = (
    f"SELECT stratum, position, symbol, sum(count) FROM collector_tally WHERE design_id = {NUMBER} "
    "GROUP BY stratum, position, symbol"
)
DAYS = f"SELECT coalesce(sum(count), 0) FROM collector_dailycount WHERE design_id = {NUMBER}"
UNFINISHED = "SELECT id FROM estimator_run WHERE state NOT IN ('done', 'failed')"
STATE = """
SELECT 0, d.digest, r.stratum, r.report, 0, 0, 0
FROM collector_report r JOIN collector_frozendesign d ON d.number = r.design_id WHERE d.purged_on IS NULL
UNION ALL SELECT 1, d.digest, t.stratum, NULL, t.position, t.symbol, t.count
FROM collector_tally t JOIN collector_frozendesign d ON d.number = t.design_id WHERE d.purged_on IS NULL
UNION ALL SELECT 2, d.digest, 0, NULL, 0, 0, c.count
FROM collector_dailycount c JOIN collector_frozendesign d ON d.number = c.design_id WHERE d.purged_on IS NULL
UNION ALL SELECT 3, d.digest, r.stratum, NULL, 0, 0, count(*)
FROM collector_report r JOIN collector_frozendesign d ON d.number = r.design_id
WHERE d.closed_on IS NULL AND NOT d.rehearsal GROUP BY d.digest, r.stratum
"""
"""Kept reports, cells of the totals, counts of days, groups of open designs: in one statement, so of one moment."""


FOLDABLE = """
SELECT d.digest, w.stratum FROM collector_waitingreport w JOIN collector_frozendesign d ON d.number = w.design_id
GROUP BY d.digest, w.stratum HAVING count(*) >= 20 OR max(CASE WHEN d.closed_on IS NULL THEN 0 ELSE 1 END) = 1
"""
"""Of what waits, what a worker has to fold: of an open design the last step of each group waits on."""


@dataclass(frozen=True)
class Outcome:
    """What became of the reports."""

    sent: int
    acknowledged: int
    stored: int
    lost: int
    """Acknowledged, and not there."""
    unknown: int
    """There, and never sent."""
    changed: int
    """There, with other symbols than were sent."""
    totals_agree: bool
    days_agree: bool
    unfair: dict[str, int]
    """Answers that nobody should get."""
    stuck: int
    """Jobs that neither ended nor failed in all the time that they had."""

    @property
    def sound(self) -> bool:
        faults = self.lost + self.unknown + self.changed + sum(self.unfair.values()) + self.stuck
        return not faults and self.totals_agree and self.days_agree and self.acknowledged > 0


def left_unfinished(ask: Ask, seconds: float) -> int:
    """How many of the jobs that are unfinished now are so for all the time given; new ones begin every minute."""
    begun = set(ask(UNFINISHED))
    with suppress(AssertionError):
        wait_until(lambda: not begun & set(ask(UNFINISHED)), seconds)
    return len(begun & set(ask(UNFINISHED)))


def outcome(ask: Ask, senders: Iterable[Sender], *, seconds: float) -> Outcome:
    """What became of the reports, and of the jobs that have so many seconds to end."""
    senders, stuck = list(senders), left_unfinished(ask, seconds)
    sent = {nonce: symbols for one in senders for nonce, symbols in one.sent.items()}
    acknowledged = set().union(*(one.acknowledged for one in senders))
    answers = sum((one.answers for one in senders), Counter[str]())
    digest = senders[0].design.digest
    counted, waiting = (ask(one.format(digest=digest)) for one in (REPORTS, WAITING))
    rows = counted + waiting
    stored = {_hex(nonce): (stratum, bytes(report)) for nonce, stratum, report in rows}  # type: ignore[call-overload]
    recount = Counter(
        (stratum, position, symbol)
        for _, stratum, report in counted
        for position, symbol in enumerate(bytes(report))  # type: ignore[call-overload]
    )
    tallies = {tuple(cell): int(count) for *cell, count in ask(TOTALS.format(digest=digest)) if count}  # type: ignore[call-overload]
    ((days,),) = ask(DAYS.format(digest=digest))
    return Outcome(
        sent=len(sent),
        acknowledged=len(acknowledged),
        stored=len(rows),
        lost=len(acknowledged - set(stored)),
        unknown=len(set(stored) - set(sent)),
        changed=sum(sent.get(nonce, report) != report for nonce, (_, report) in stored.items()),
        totals_agree=tallies == dict(recount) and len(rows) == len(stored),
        days_agree=days == len(counted),
        unfair={said: count for said, count in answers.items() if said.isdigit() and int(said) not in FAIR},
        stuck=stuck,
    )


def fits(ask: Ask) -> bool:
    """Whether at this moment totals and days equal a recount of the kept reports, of open designs in whole steps."""
    whole = True
    recount: Counter[tuple[object, ...]] = Counter()
    totals: Counter[tuple[object, ...]] = Counter()
    for kind, digest, stratum, report, position, symbol, count in ask(STATE):
        if kind == 0:
            recount.update((digest, stratum, at, one) for at, one in enumerate(bytes(report)))  # type: ignore[call-overload]
            recount[digest, "reports"] += 1
        elif kind == 1:
            totals[digest, stratum, position, symbol] += int(count)  # type: ignore[call-overload]
        elif kind == 2:
            totals[digest, "reports"] += int(count)  # type: ignore[call-overload]
        else:
            whole = whole and int(count) % 10 == 0  # type: ignore[call-overload]
    return whole and +totals == recount


def _hex(nonce: object) -> str:
    return nonce if isinstance(nonce, str) else bytes(nonce).hex()  # type: ignore[call-overload]
