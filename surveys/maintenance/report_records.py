"""Stored responses as bytes: for each design a file of fixed-length records, ordered by random nonce."""

import json
from collections.abc import Iterator
from itertools import groupby, islice
from struct import Struct

from django.db import connection
from django.db.models import Q

from collector.designs import Design
from collector.models import FrozenDesign, Report, ReportArchive, StoredReport
from collector.reports import archives

HEAD = Struct(">16sHB")
"""Head of a record: nonce, index of the stratum, mode; the symbols follow, a byte each."""

AT_ONCE = 5_000

INSERT = "INSERT INTO {table} (design_id, nonce, stratum, mode, report) VALUES (%s, %s, %s, %s, %s)"


def by_design(table: type[StoredReport] = Report) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The digest of each design with responses, or the key of a part, and their records: a few in memory at a time.

    Archived ones follow from their files, the same bytes. Raises ArchiveFault or OSError where one cannot be read.
    """
    digests = dict(FrozenDesign.objects.values_list("number", "digest"))
    columns = "design_id", "nonce", "stratum", "mode", "report"
    stored = table._default_manager.order_by("design_id", "nonce").values_list(*columns)
    held = ReportArchive.objects.filter(state__in=ReportArchive.READ).order_by("pk")
    archived = list(held) if table is Report else []
    if archived:
        wholes = [archive.design_id for archive in archived]
        theirs = FrozenDesign.objects.filter(Q(digest__in=wholes) | Q(part_of__in=wholes))
        stored = stored.exclude(design__in=list(theirs.values_list("number", flat=True)))
    for number, rows in groupby(stored.iterator(chunk_size=AT_ONCE), key=lambda row: row[0]):
        yield digests[number], (HEAD.pack(bytes(row[1]), row[2], row[3]) + bytes(row[4]) for row in rows)
    for archive in archived:
        yield from archives.records(archive)


def record_size(document: str) -> int:
    """Bytes per response to the design with this document."""
    return HEAD.size + len(Design.of(json.loads(document)).alphabets)


def insert(number: int, size: int, pieces: Iterator[bytes], table: type[StoredReport] = Report) -> Iterator[int]:
    """Store the records in the pieces as responses to a design, yielding the number stored."""
    statement = INSERT.format(table=table._meta.db_table)
    records = (piece[start : start + size] for piece in pieces for start in range(0, len(piece), size))
    while batch := list(islice(records, AT_ONCE)):
        rows = [(number, *HEAD.unpack_from(record), record[HEAD.size :]) for record in batch]
        with connection.cursor() as cursor:
            cursor.executemany(statement, rows)
        yield len(rows)
