"""500 people answer by invitation; who steals the database cannot say which report came with which invitation.

Codes leave nothing behind that could be joined. Used tokens and reports lie in orders that have nothing to do with each
other. As in test_attack everything is drawn from a seed.
"""

import base64
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import pytest
from django.db import connection

from collector.designs.services import freeze_design
from collector.invitations import batches
from collector.models import Invitation, UsedToken, WaitingReport
from collector.reports import folding, rewriting, storing
from collector.reports.storing import NewReport, Outcome
from surveys.maintenance import backup
from tests.factories import payloads
from tests.factories.reports import fold_waiting
from tests.storage.attacking import (
    BY_CHANCE,
    N,
    Order,
    asked,
    attacks,
    backup_order,
    correlation,
    database_files,
    paired,
)
from tests.tools.backups import empty_database, members

pytestmark = pytest.mark.django_db(transaction=True)

MODULUS = "8" + "0" * 766 + "1"
TOKENS = "collector_usedtoken"


@dataclass(frozen=True)
class Answered:
    """Which report came with which invitation, in the order in which they came, and the invitations that were left."""

    nonces: dict[bytes, bytes]
    left: Order


@pytest.fixture(autouse=True)
def _emptied(transactional_db: None) -> Iterator[None]:
    yield
    empty_database()


def answered(kind: str, *, folded: bool = True) -> Answered:
    """500 reports by invitation, folded meanwhile as a worker does; a tenth more were invited than answered."""
    more = {"modulus": MODULUS} if kind == "blind" else {}
    design, drawn = freeze_design(payloads.document(invitations={"kind": kind} | more)), random.Random(11)
    hashes, left = ([drawn.randbytes(32) for _ in range(count)] for count in (N, N // 10))
    if kind == "secret":
        batches.add(design.digest, [*hashes, *left], stratum=None, kind="file")
    nonces = {one: drawn.randbytes(16) for one in hashes}
    for number, (one, nonce) in enumerate(nonces.items()):
        symbols = bytes([drawn.randrange(2), drawn.randrange(3)])
        assert storing.store([NewReport(nonce, design.digest, 0, symbols, 0, one)]) == [Outcome.STORED]
        if folded and number % 23 == 0:
            folding.fold(design.digest)
    if folded:
        fold_waiting(design)
    return Answered(nonces, left)


def test_link_attack_plain_table_finds_all(unhurried: None) -> None:
    """The test of the test: one transaction, two tables, as most projects would have it."""
    drawn = random.Random(11)
    nonces = {drawn.randbytes(32): drawn.randbytes(16) for _ in range(N)}
    kind = "BLOB" if connection.vendor == "sqlite" else "bytea"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE plain_used (hash {kind} PRIMARY KEY)")
        cursor.execute(f"CREATE TABLE plain_report (nonce {kind} PRIMARY KEY)")
        for one, nonce in nonces.items():
            cursor.execute("INSERT INTO plain_used VALUES (%s)", [one])
            cursor.execute("INSERT INTO plain_report VALUES (%s)", [nonce])
    try:
        used, reports = attacks("plain_used", "hash"), attacks("plain_report")
        told = [name for name in used if paired(used[name](), reports[name](), nonces) == 1]
        assert set(told) >= ({"rowid", "dump"} if connection.vendor == "sqlite" else {"ctid", "xmin", "dump"})
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE plain_used")
            cursor.execute("DROP TABLE plain_report")


@pytest.mark.long
def test_link_attack_blind_tokens_finds_nothing(unhurried: None, tmp_path: Path) -> None:
    """Every order of used tokens against every order of reports; and those who share a transaction's stamp."""
    told = answered("blind")
    rewriting.rewrite()
    tokens = {name: attack() for name, attack in attacks(TOKENS, "hash").items()}
    reports = {name: attack() for name, attack in attacks().items()}
    backup.back_up(tmp_path / "candor.zip")
    held = members(tmp_path / "candor.zip")
    tokens["backup"] = [base64.b64decode(json.loads(line)[1]) for line in held[f"rows/{TOKENS}.jsonl"].splitlines()]
    (records,) = [content for name, content in held.items() if name.startswith("reports/")]
    reports["backup"] = backup_order(records, 21)
    for first, one in tokens.items():
        for second, other in reports.items():
            assert paired(one, other, told.nonces) <= BY_CHANCE, (first, second)
            assert correlation([told.nonces[token] for token in one], other) < 4 / sqrt(N), (first, second)
        if first != "place in the file":  # where its pages end depends on their size
            assert one == sorted(one), f"{first}: where a token lies follows from its hash"
    if connection.vendor == "postgresql":
        assert joined() == 0


def joined() -> int:
    """How many pairs of a token and a report have a transaction to themselves."""
    pairs = "SELECT used.xmin FROM collector_usedtoken AS used JOIN {} AS report ON report.xmin = used.xmin"
    found = 0
    with connection.cursor() as cursor:
        for table in ("collector_report", "collector_waitingreport"):
            cursor.execute(
                f"SELECT count(*) FROM ({pairs.format(table)} GROUP BY used.xmin HAVING count(*) = 1) AS alone"
            )
            found += cursor.fetchone()[0]
    return found


def test_link_attack_postgresql_before_rewrite_finds_all(unhurried: None) -> None:
    """What docs/reference/stored-data.md says of an open survey; two tables have a token's or a code's hash."""
    if connection.vendor == "sqlite":
        pytest.skip("rows of SQLite have no stamps")
    answered("blind", folded=False)
    assert joined() == N


def test_used_code_is_in_no_database_file(unhurried: None) -> None:
    """A dead row of a code has the stamp of the report that used it; afterwards there is none, nor a trace of it."""
    told = answered("secret")
    used = set(list(told.nonces)[::12])
    if connection.vendor == "postgresql":
        assert holding(used), "until a vacuum comes by"
    rewriting.rewrite()
    rows = asked("SELECT * FROM collector_invitation", "hash")
    assert rows == sorted(told.left), "which say nothing about those that are gone"
    assert not UsedToken.objects.exists()
    assert holding(set(told.left)), "the search finds what is there"
    assert holding(used) == []


def holding(hashes: set[bytes]) -> list[str]:
    """Names of the database's files that hold one of these hashes, as bytes or in hex."""
    contents = {path.name: path.read_bytes() for path in database_files() if path.is_file()}
    return [
        name
        for name, content in contents.items()
        if any(one in content or one.hex().encode() in content for one in hashes)
    ]


def test_rewrite_keeps_invitations_and_tokens(unhurried: None) -> None:
    told = answered("secret", folded=False)
    UsedToken.objects.bulk_create(
        UsedToken(design_id=Invitation.objects.first().design_id, hash=bytes([one]) * 32) for one in range(5)
    )
    before = [sorted(bytes(one.hash) for one in rows.objects.all()) for rows in (Invitation, UsedToken)]
    rewriting.rewrite()
    rewriting.rewrite()
    assert [sorted(bytes(one.hash) for one in rows.objects.all()) for rows in (Invitation, UsedToken)] == before
    assert WaitingReport.objects.count() == len(told.nonces)
