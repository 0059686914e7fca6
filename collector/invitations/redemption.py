"""Using up invitations: each for one report, in the transaction that stores it.

A code is used up by deleting its row, a signed token by writing one. This is how it is done on SQLite, which lets one
transaction write at a time; on PostgreSQL the function that stores reports does it (`store_v2.postgresql.sql`).
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db.backends.utils import CursorWrapper

from collector.database.statements import Row, execute_rows, key, pieces, read_statements

SQL = read_statements("store.sqlite")


class Redemption(NamedTuple):
    """What a report that was just written asks to use up: the invitation's design and hash; the report's stratum."""

    invitation: Row
    stratum: int
    blind: bool


def without_invitation(cursor: CursorWrapper, asked: Mapping[Row, Redemption]) -> set[Row]:
    """Use up what reports ask for, each by its key, the first one first; the keys of those that did not get theirs."""
    strata = _held(cursor, {one.invitation for one in asked.values() if not one.blind})
    spent = _spend(cursor, {one.invitation for one in asked.values() if one.blind})
    won: dict[Row, Row] = {}
    for report, one in asked.items():
        if one.invitation in spent if one.blind else strata.get(one.invitation, -1) in (None, one.stratum):
            won.setdefault(one.invitation, report)
    for some in pieces(won.keys() & strata.keys()):
        execute_rows(cursor, SQL["use_invitations"], some)
    return asked.keys() - set(won.values())


def _held(cursor: CursorWrapper, invitations: Collection[Row]) -> dict[Row, int | None]:
    """Of those that can be used, the stratum that a report has to be of, or None where it may be of any."""
    held: dict[Row, int | None] = {}
    for some in pieces(invitations):
        execute_rows(cursor, SQL["find_invitations"], some)
        held |= {key(row): row[2] for row in cursor.fetchall()}
    return held


def _spend(cursor: CursorWrapper, tokens: Collection[Row]) -> set[Row]:
    """Write down tokens as used; those of them that were not before."""
    spent: set[Row] = set()
    for some in pieces(sorted(tokens)):
        execute_rows(cursor, SQL["use_tokens"], some)
        spent |= {key(row) for row in cursor.fetchall()}
    return spent
