"""What must be true afterwards, counted from the tables by code that shares nothing with the collector."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.chaos.sending import FAIR, Sender

Ask = Callable[[str], list[tuple[object, ...]]]
POSITION_TOTALS = "SELECT stratum, position, symbol, sum(count) FROM collector_tally GROUP BY stratum, position, symbol"


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
    """Jobs that neither ended nor failed."""

    @property
    def sound(self) -> bool:
        faults = self.lost + self.unknown + self.changed + sum(self.unfair.values()) + self.stuck
        return not faults and self.totals_agree and self.days_agree and self.acknowledged > 0


def outcome(ask: Ask, senders: Iterable[Sender]) -> Outcome:
    senders = list(senders)
    sent = {nonce: symbols for one in senders for nonce, symbols in one.sent.items()}
    acknowledged = set().union(*(one.acknowledged for one in senders))
    answers = sum((one.answers for one in senders), Counter[str]())
    rows = ask("SELECT nonce, stratum, report FROM collector_report")
    stored = {_hex(nonce): (stratum, bytes(report)) for nonce, stratum, report in rows}  # type: ignore[call-overload]
    recount = Counter(
        (stratum, position, symbol) for stratum, report in stored.values() for position, symbol in enumerate(report)
    )
    tallies = {tuple(cell): int(count) for *cell, count in ask(POSITION_TOTALS) if count}  # type: ignore[call-overload]
    ((days,),) = ask("SELECT coalesce(sum(count), 0) FROM collector_dailycount")
    ((stuck,),) = ask("SELECT count(*) FROM estimator_run WHERE state NOT IN ('done', 'failed')")
    return Outcome(
        sent=len(sent),
        acknowledged=len(acknowledged),
        stored=len(rows),
        lost=len(acknowledged - set(stored)),
        unknown=len(set(stored) - set(sent)),
        changed=sum(sent.get(nonce, report) != report for nonce, (_, report) in stored.items()),
        totals_agree=tallies == dict(recount) and len(rows) == len(stored),
        days_agree=days == len(rows),
        unfair={said: count for said, count in answers.items() if said.isdigit() and int(said) not in FAIR},
        stuck=int(stuck),  # type: ignore[call-overload]
    )


def _hex(nonce: object) -> str:
    return nonce if isinstance(nonce, str) else bytes(nonce).hex()  # type: ignore[call-overload]
