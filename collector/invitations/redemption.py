"""Redemption of invitations: each for one report, in the transaction that stores it.

A code is used up by deleting its row, a signed token by writing one. This is how it is done on SQLite, which lets one
transaction write at a time; on PostgreSQL the function that stores reports does it (`store_v2.postgresql.sql`).
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db.backends.utils import CursorWrapper

from collector.database.statements import Row, execute_rows, key, pieces, read_statements

SQL = read_statements("store.sqlite")


class Redemption(NamedTuple):
    """An invitation that a just written report redeems: its design and hash; the report's stratum."""

    invitation: Row
    stratum: int
    blind: bool


def without_invitation(cursor: CursorWrapper, redemptions: Mapping[Row, Redemption]) -> set[Row]:
    """Redeem the invitations of reports, first come first served; return the keys of reports that failed."""
    strata = _held(cursor, {one.invitation for one in redemptions.values() if not one.blind})
    spent = _spend(cursor, {one.invitation for one in redemptions.values() if one.blind})
    won: dict[Row, Row] = {}
    for report, one in redemptions.items():
        if one.invitation in spent if one.blind else strata.get(one.invitation, -1) in (None, one.stratum):
            won.setdefault(one.invitation, report)
    for some in pieces(won.keys() & strata.keys()):
        execute_rows(cursor, SQL["use_invitations"], some)
    return redemptions.keys() - set(won.values())


def _held(cursor: CursorWrapper, invitations: Collection[Row]) -> dict[Row, int | None]:
    """Return the stratum that each valid invitation requires, None if any is allowed."""
    held: dict[Row, int | None] = {}
    for some in pieces(invitations):
        execute_rows(cursor, SQL["find_invitations"], some)
        held |= {key(row): row[2] for row in cursor.fetchall()}
    return held


def _spend(cursor: CursorWrapper, tokens: Collection[Row]) -> set[Row]:
    """Mark tokens as used; return those that were not used before."""
    spent: set[Row] = set()
    for some in pieces(sorted(tokens)):
        execute_rows(cursor, SQL["use_tokens"], some)
        spent |= {key(row) for row in cursor.fetchall()}
    return spent
