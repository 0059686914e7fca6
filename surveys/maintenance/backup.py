"""Backup of all stored data to one file, and restore into an empty installation.

A backup does not depend on the kind of database: it also moves an installation from SQLite to PostgreSQL or back.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from struct import error as StructError  # noqa: N812 - it is a class
from typing import IO, Any

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from collector import designs
from collector.designs.selectors import forget
from collector.models import FrozenDesign, Report, StoredReport, Tally, WaitingReport
from collector.reports import folding, rewriting, selectors
from randomized_response import __version__
from surveys.errors import BackupError
from surveys.maintenance import older, reopening, report_records, signature, tables
from surveys.maintenance.archive import ArchiveReader, ArchiveWriter, new_file
from surveys.models import Page

SECRET_KEY = "secret_key"  # noqa: S105 - a file's name
ROWS_OF_A_PIECE = 1_000

UNFIT = (
    *(IntegrityError, DataError, ValidationError),
    *(ValueError, TypeError, LookupError, AttributeError, RecursionError, StructError),
)
"""Exceptions raised by rows that fit no table or are malformed: deep, short, of other types."""

Watch = Callable[[int], object]
"""Progress callback: further responses while a backup is written, bytes while one is read."""


def back_up(path: Path, *, with_secret_key: bool = False, watch: Watch = lambda more: None) -> dict[str, object]:
    """Write a consistent snapshot of all stored data to a new file; respondents and researchers do not wait.

    Waiting reports are folded before, those of open surveys in whole steps; what waits on is in it as such.

    Raises OSError where the file is there already or cannot be written; nothing is left then.
    """
    with new_file(path) as file:
        return write(file, with_secret_key=with_secret_key, watch=watch)


def write(file: IO[bytes], *, with_secret_key: bool = False, watch: Watch = lambda more: None) -> dict[str, object]:
    """Write a backup, as `back_up` does, into a file or a pipe."""
    for digest in selectors.waiting_designs():
        folding.fold(digest)
    rewriting.rewrite()
    with ArchiveWriter(file) as archive, rewriting.in_exclusive_window(), _one_state():
        return _write(archive, with_secret_key, watch)


def restore(
    source: Path | IO[bytes],
    *,
    signed_by: str = "",
    unsigned: bool = False,
    with_secret_key: bool = False,
    watch: Watch = lambda more: None,
    inspect: Callable[[ArchiveReader], None] = lambda archive: None,
) -> dict[str, Any]:
    """Restore a backup into this installation, which must be empty: all of it, or nothing.

    Surveys by invitation that were open come back closed; what is returned names them.

    Parameters
    ----------
    source
        The backup, unencrypted: its path, or a file that can be searched.
    signed_by
        The fingerprint of the installation that signed it; empty for this one.
    unsigned
        Take one without a signature, as before format 2: whoever had it in hands may have changed anything.
    with_secret_key
        Take over the secret key too.
    watch
        Told how many more bytes are read.
    inspect
        Called once everything is there; what it raises restores nothing.

    Raises
    ------
    BackupError
        Where the file is no backup, is damaged, was changed, is signed by somebody else, holds a page that is not the
        one that was published, is of another version, or where something is kept here already.
    """
    with source.open("rb") if isinstance(source, Path) else nullcontext(source) as file:
        archive = ArchiveReader(file, require_signer=partial(require_signer, signed_by=signed_by, unsigned=unsigned))
        changes = _changes(archive)
        if with_secret_key and SECRET_KEY not in archive.members:
            raise BackupError("The backup has no secret key: it was made without --with-secret-key.")
        for more in archive.verify():
            watch(more)
        key = archive.read(SECRET_KEY) if with_secret_key else b""
        try:
            with transaction.atomic():
                _require_empty()
                _read(archive, changes)
                _require_published_pages()
                inspect(archive)
                closed = reopening.close_invitation_surveys()
        except UNFIT as error:
            raise BackupError(f"The backup does not fit together: {error}") from None
        if with_secret_key:
            _replace_secret_key(key)
    ContentType.objects.clear_cache()
    forget()
    return _counts(archive) | {"closed": closed}


def counted() -> int:
    """The number of responses that a backup would hold."""
    digests = list(FrozenDesign.objects.filter(part_of=None).values_list("digest", flat=True))
    return sum(count.stored for count in selectors.report_counts(digests).values())


def _write(archive: ArchiveWriter, with_secret_key: bool, watch: Watch) -> dict[str, object]:
    written = FrozenDesign.objects.filter(part_of=None).order_by("digest").values_list("digest", "document")
    for digest, document in written.iterator():
        archive.add(_design(digest), [document.encode()])
    for digest, records in report_records.by_design(Report):
        archive.add(records_name(digest, Report), _watched(records, watch))
    for digest, records in report_records.by_design(WaitingReport):
        archive.add(records_name(digest, WaitingReport), records)
    for model in tables.tables():
        archive.add(rows_name(model), tables.read(model), columns=tables.names(model))
    if with_secret_key:
        archive.add(SECRET_KEY, [settings.SECRET_KEY.encode()])
    made_at = timezone.now()
    facts = {"made_at": f"{made_at:%Y-%m-%dT%H:%M:%SZ}", "version": __version__, "migrations": _migrations()}
    archive.close(facts | {"last_keys": tables.last_keys()}, sign=signature.sign)
    return _counts(archive) | {"signed_by": signature.own_fingerprint()}


def _read(archive: ArchiveReader, changes: Mapping[str, older.Change]) -> None:
    for model in tables.MADE_BY_MIGRATE:
        model._default_manager.all().delete()
    # Designs come first: the trigger that keeps rehearsals and real reports apart looks at them.
    for model in sorted(tables.tables(), key=lambda model: model is not FrozenDesign):
        more: dict[str, tables.Made] = {}
        if model is FrozenDesign:
            more["document"] = lambda row: _document(archive, row["part_of_id"] or row["digest"])
        elif model is Tally:
            more["part"] = lambda row: 0
        change = changes.get(model._meta.db_table)
        if change is not None and not change.columns:
            continue
        lines: Iterable[bytes] = archive.lines(rows_name(model))
        if change is not None:
            lines = older.converted(change, lines)
        tables.write(model, lines, **more)
    for key, number, whole in FrozenDesign.objects.values_list("digest", "number", "part_of"):
        for table in (Report, WaitingReport):
            if (name := records_name(key, table)) in archive.members:
                size = report_records.record_size(_document(archive, whole or key))
                for _ in report_records.insert(number, size, archive.pieces(name, size * ROWS_OF_A_PIECE), table):
                    pass
    tables.set_last_keys(archive.facts["last_keys"])


def require_signer(manifest: bytes, signed: bytes | None, *, signed_by: str, unsigned: bool) -> None:
    """Reject a missing signature, or one by a signer that was not named."""
    if signed is None:
        if unsigned:
            return
        raise BackupError(
            "The backup has no signature, so it may have been changed, including respondents' pages. If you trust "
            "it, use "
            "restore --unsigned or make restore UNSIGNED=1"
        )
    try:
        wanted = signature.read_fingerprint(signed_by) if signed_by else signature.own_fingerprint()
        found = signature.signer(manifest, signed)
    except BackupError as error:
        raise BackupError(f"The backup cannot be trusted: {error}.") from None
    if found != wanted:
        raise BackupError(
            f"The backup is signed by the installation {found}, and not by "
            f"{'the one that was named' if signed_by else 'this one'} ({wanted}). Compare it with what that "
            f"installation's page of operation or its backup said, not with this message. If it is the same: "
            f"restore --signed-by {found}, or make restore SIGNED_BY={found}"
        )


def _require_published_pages() -> None:
    for page in Page.objects.select_related("version__survey").iterator(chunk_size=20):
        if not page.is_as_published:
            raise BackupError(
                f"The backup has been changed: the {page.kind} page of {page.version} in {page.language} does not "
                "hash to "
                "its published digest. Nothing is restored."
            )


def _document(archive: ArchiveReader, digest: str) -> str:
    document = archive.read(_design(digest))
    if designs.digest(document) != digest:
        raise BackupError(f"The backup is damaged: the design {digest} does not hash to its name.")
    return document.decode()


def _changes(archive: ArchiveReader) -> dict[str, older.Change]:
    """What has become of the tables since the backup was made. Raises BackupError where this is not known."""
    made, loader = archive.facts["migrations"], MigrationLoader(None)
    newer = sorted(f"{app}.{name}" for app, name in made.items() if (app, name) not in loader.disk_migrations)
    if newer:
        raise BackupError(f"A newer version of Candor made the backup: this one does not know {', '.join(newer)}.")
    changes = older.changes_since(made, older.migrations(loader))
    if changes is None:
        raise BackupError(
            f"An older version of Candor made the backup ({archive.facts.get('version')}). Restore it with that "
            "version, then start this one over its data."
        )
    wanted = {rows_name(model): tables.names(model) for model in tables.tables()}
    wanted |= {f"rows/{table}.jsonl": change.columns for table, change in changes.items()}
    wanted = {name: named for name, named in wanted.items() if named}  # without tables that came later
    listed = {name: member.columns for name, member in archive.members.items() if name.startswith("rows/")}
    if wanted != listed:
        raise BackupError("The backup is damaged: its tables are not those of the version that it says made it.")
    return changes


def _require_empty() -> None:
    filled: list[tables.Model] = [model for model in tables.tables() if model not in tables.MADE_BY_MIGRATE]
    filled += [Report, WaitingReport]
    full = [model._meta.label for model in filled if model._default_manager.exists()]
    if full:
        raise BackupError(
            f"This installation is not empty: there are rows of {', '.join(full)}. A backup is restored into an empty "
            "place: another CANDOR_DATA or another database."
        )


def _counts(archive: ArchiveReader | ArchiveWriter) -> dict[str, int]:
    def rows(start: str) -> int:
        return sum(member.rows for name, member in archive.members.items() if name.startswith(start))

    return {
        "surveys": rows("rows/surveys_survey."),
        "designs": rows("designs/"),
        "reports": rows("reports/"),
        "runs": rows("rows/estimator_run."),
    }


def _migrations() -> dict[str, str]:
    return dict(sorted(MigrationLoader(None).graph.leaf_nodes()))


@contextmanager
def _one_state() -> Iterator[None]:
    """Read everything within from one snapshot of the database, without blocking others."""
    if connection.vendor == "sqlite":
        there: Any = connection
        before, there.transaction_mode = there.transaction_mode, "DEFERRED"
        try:
            with transaction.atomic():
                yield
        finally:
            there.transaction_mode = before
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _watched(records: Iterator[bytes], watch: Watch) -> Iterator[bytes]:
    for record in records:
        watch(1)
        yield record


def _replace_secret_key(key: bytes) -> None:
    old = Path(settings.DATA) / SECRET_KEY
    with new_file(old.with_name(f"{SECRET_KEY}.restored")) as file:
        file.write(key)
    old.with_name(f"{SECRET_KEY}.restored").replace(old)


def _design(digest: str) -> str:
    return f"designs/{digest}.json"


def records_name(digest: str, table: type[StoredReport]) -> str:
    """The member with a design's reports."""
    return f"{'waiting' if table is WaitingReport else 'reports'}/{digest}.bin"


def rows_name(model: tables.Model) -> str:
    """The member with a table's rows."""
    return f"rows/{model._meta.db_table}.jsonl"
