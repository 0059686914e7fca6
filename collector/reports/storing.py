"""Storing reports: a batch in one transaction, each report once, none of a closed design.

The storing rule, which both databases follow (`collector/database/sql/`, `store*.sql`):

1. Until the transaction ends, nobody can close a design of the batch.
2. A report of an open design is written among those that wait, unless one waits under its key already. By the nonces:
   no row tells which of a batch came first, and two batches with the same ones do not wait for each other in a circle.
3. What was stored under its key before, waiting or folded, stays; what was written beside a folded one is taken back.
4. What was written and stays uses up the invitation that it came with. Of those with the same invitation the first one
   gets it; whatever does not get its own is taken back.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper

from collector.database import locks, placement, replication
from collector.database.distribution import is_distributed
from collector.database.statements import Row, execute_rows, pieces, read_statements
from collector.database.statements import key as key_of
from collector.designs import parts
from collector.designs.selectors import find_design
from collector.invitations import redemption


class NewReport(NamedTuple):
    """A report that fits its design: a nonce of 16 bytes, the index of its stratum, a byte for each symbol.

    `invitation` is the hash of 32 bytes that it uses up, where its design asks for invitations.
    """

    nonce: bytes
    digest: str
    stratum: int
    report: bytes
    mode: int
    invitation: bytes | None = None


class Outcome(Enum):
    """The result of storing a report."""

    STORED = "on disk, by this call"
    KNOWN = "on disk already, the same report"
    TAKEN = "the nonce belongs to another report of the design, which stays"
    CLOSED = "the design takes no reports any more, or is gone; not stored"
    UNINVITED = "its invitation cannot be used by it; not stored"


Key = tuple[str, bytes]
"""The digest of a design, and a nonce."""

Content = tuple[int, bytes]
"""The content that must match when a report is sent again: the stratum and the symbols."""

Stored = tuple[Collection[Key], Mapping[Key, Content], Collection[Key]]
"""The keys that this transaction wrote; the contents stored before it; the keys whose reports are stored
under no invitation, and so not at all."""

SQL = read_statements("store.sqlite")
STORE = """
SELECT * FROM collector_store(
    %s::text[], %s::int[], %s::int, %s::int[], %s::smallint[], %s::smallint[], %s::bytea[], %s::bytea[],
    %s::bytea[], %s::boolean[]
)
"""
STORE_ON_NODE = STORE.replace("(", "(%s::int, ", 1)
"""Executed by the node with the reports of the design that has the first number."""


def store(reports: Sequence[NewReport]) -> list[Outcome]:
    """Store a batch of reports in one transaction, on disk when this returns; return their outcomes in order.

    With synchronous standbys it is on their disks too. What stands in a batch twice is stored once, as if it had come
    one after the other.
    """
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        with transaction.atomic(durable=True):
            return insert(reports)
    if is_distributed():
        return _store_on_node(reports)
    with replication.warnings_collected() as warnings:
        outcomes = insert(reports)  # one statement is a transaction by itself
    if warnings or Outcome.KNOWN in outcomes:
        replication.wait_for_standbys()
    return outcomes


def node_of(report: NewReport) -> str | None:
    """The node of a cluster on which a report of a known design will be; None on one server. Cached: no statement."""
    return placement.node_of(parts.number_for(report.digest, report.nonce)) if is_distributed() else None


def _store_on_node(reports: Sequence[NewReport]) -> list[Outcome]:
    """As `store`, on a cluster: the node's own transaction waits for the node's standbys, also where it knows one."""
    placement.refresh()
    try:
        with replication.warnings_collected() as warnings:
            outcomes = insert(reports)
    except OperationalError:
        placement.expire()  # the reports of some may be elsewhere now
        raise
    replication.require_waited(warnings)
    return outcomes


def insert(reports: Sequence[NewReport]) -> list[Outcome]:
    """As `store`, but within the caller's transaction, on disk once the caller has committed it."""
    beside = _beside(reports)
    reports = [_placed(one) for one in reports]
    keys = [(one.digest, one.nonce) for one in reports]
    first: dict[Key, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(key, place)
    rows = {key: reports[place] for key, place in first.items()}
    written, before, uninvited = (
        _by_function(rows, beside) if connection.vendor == "postgresql" else _by_statements(rows)
    )

    def outcome(place: int, key: Key) -> Outcome:
        if key in uninvited:
            return Outcome.UNINVITED
        if key not in before and key not in written:
            return Outcome.CLOSED
        if key not in before and first[key] == place:
            return Outcome.STORED
        stands = before.get(key) or _content(reports[first[key]])
        return Outcome.KNOWN if stands == _content(reports[place]) else Outcome.TAKEN

    outcomes = [outcome(place, key) for place, key in enumerate(keys)]
    # Nothing stands under these nonces: whoever sent one once more may have another invitation.
    again = [place for place, key in enumerate(keys) if key in uninvited and first[key] != place]
    for place, then in zip(again, insert([reports[place] for place in again]) if again else [], strict=True):
        outcomes[place] = then
    return outcomes


def _placed(report: NewReport) -> NewReport:
    """The report under the key of its part, where its design is split. Parts are cached: no statement."""
    key = parts.key_for(report.digest, report.nonce)
    return report if key == report.digest else report._replace(digest=key)


def _beside(reports: Sequence[NewReport]) -> list[int]:
    """On a cluster the number of the first report's design, whose node is to store them all; else nothing."""
    if not is_distributed():
        return []
    return [parts.number_for(one.digest, one.nonce) for one in reports[:1]] or [0]


def _by_function(reports: Mapping[Key, NewReport], beside: Sequence[int]) -> Stored:
    """Follow the rule on PostgreSQL with one statement (`store_v2.postgresql`): round trips cost the most.

    On a cluster with a number `beside`, by which its coordinator hands it on to a node (`store_cluster_v2.postgresql`).
    Reports that belong to other nodes are stored from there, in one transaction all the same.
    """
    digests = sorted({digest for digest, _nonce in reports})
    places = {digest: place for place, digest in enumerate(digests, start=1)}
    rows = [(places[one.digest], one.stratum, one.mode, one.nonce, one.report) for one in reports.values()]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * 5
    invited: list[list[object]] = [[], []]
    if any(one.invitation for one in reports.values()):
        invited = [[one.invitation for one in reports.values()], [_is_blind(digest) for digest in digests]]
    with connection.cursor() as cursor:
        cursor.execute(
            STORE_ON_NODE if beside else STORE,
            [*beside, digests, locks.numbers(digests), locks.TAKING, *columns, *invited],
        )
        found = [((digests[place - 1], bytes(nonce)), *content) for place, nonce, *content in cursor.fetchall()]
    uninvited = {key for key, stratum, report in found if report is None and stratum is not None}
    written = {key for key, stratum, report in found if report is None and stratum is None} - uninvited
    return written, {key: (stratum, bytes(report)) for key, stratum, report in found if report is not None}, uninvited


def _by_statements(reports: Mapping[Key, NewReport]) -> Stored:
    """Follow the rule on SQLite with several statements (`store.sqlite`): one transaction writes at a time."""
    with connection.cursor() as cursor:
        designs = _designs(cursor, {digest for digest, _nonce in reports})
        digests = {number: digest for digest, (number, _is_open) in designs.items()}
        rows = {(designs[key[0]][0], key[1]): one for key, one in reports.items() if key[0] in designs}
        written = _write(cursor, {key: one for key, one in rows.items() if designs[one.digest][1]})
        before = _find(cursor, rows, written)
        uninvited = redemption.without_invitation(
            cursor,
            {
                key: redemption.Redemption((key[0], one.invitation), one.stratum, _is_blind(one.digest))
                for key, one in rows.items()
                if one.invitation and key in written and key not in before
            },
        )
        # Reports already in the totals, or without a valid invitation.
        for some in pieces((written & before.keys()) | uninvited):
            execute_rows(cursor, SQL["take_back"], some)
    known = {(digests[number], nonce): content for (number, nonce), content in before.items()}
    stored, refused = ({(digests[number], nonce) for number, nonce in rows} for rows in (written, uninvited))
    return stored - refused, known, refused


def _is_blind(digest: str) -> bool:
    """Return True if the design's invitations are signed tokens. Its design is cached: no statement."""
    design = find_design(digest)
    return design is not None and design.invitations == "blind"


def _designs(cursor: CursorWrapper, digests: Collection[str]) -> dict[str, tuple[int, bool]]:
    """The number of each design, and True if it is open."""
    if not digests:
        return {}
    execute_rows(cursor, SQL["find_designs"], [(digest,) for digest in digests])
    return {digest: (number, bool(is_open)) for digest, number, is_open in cursor.fetchall()}


def _write(cursor: CursorWrapper, rows: Mapping[Row, NewReport]) -> set[Row]:
    """Write the reports whose keys are not waiting yet; return the keys that were written."""
    written: set[Row] = set()
    for some in pieces(sorted(rows.items(), key=lambda row: row[0])):
        execute_rows(
            cursor, SQL["write"], [(key[0], one.stratum, one.mode, one.nonce, one.report) for key, one in some]
        )
        written.update(key_of(row) for row in cursor.fetchall())
    return written


def _find(cursor: CursorWrapper, keys: Collection[Row], written: Collection[Row]) -> dict[Row, Content]:
    """The contents stored under these keys before, waiting or folded."""
    found: dict[Row, Content] = {}
    for some in pieces(keys):
        execute_rows(cursor, SQL["find_stored"], [(*key, int(key not in written)) for key in some])
        found |= {key_of(row): (row[2], bytes(row[3])) for row in cursor.fetchall()}
    return found


def _content(report: NewReport) -> Content:
    return report.stratum, report.report
