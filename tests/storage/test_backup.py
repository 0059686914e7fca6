"""A backup: everything that is kept in one file, and the same again in an empty place, whatever the database."""

import io
import json
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection

from collector.designs.services import close_design
from collector.models import Report, WaitingReport
from collector.reports import folding, selectors
from config.postgresql import PostgreSQL
from surveys.errors import BackupError
from surveys.maintenance import backup, tables
from surveys.models import Survey
from tests.factories import runs
from tests.storage import whole
from tests.tools.backups import empty_database, manifest_with, members, rewrite
from tests.tools.gate import few
from tests.tools.postgresql import running_postgresql

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True)
class Kept:
    """A backup of an installation with something of everything, and what it must be told to hold."""

    file: Path
    told: dict[str, Any]
    last_keys: dict[str, int]


@pytest.fixture(scope="module")
def kept(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any, static_files: None
) -> Kept:
    file = tmp_path_factory.mktemp("kept") / "candor.zip"
    with django_db_blocker.unblock():
        whole.build()
        backup.back_up(file)
        made = Kept(file, whole.told(), tables.last_keys())
        empty_database()
    return made


@pytest.fixture
def small(alice: User, tmp_path: Path) -> Path:
    """A backup of next to nothing, to be spoilt; the installation is empty again."""
    file = tmp_path / "small.zip"
    call_command("backup", file, stdout=io.StringIO())
    empty_database()
    return file


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    with running_postgresql() as server:
        yield server


def test_restore_gives_same_state(kept: Kept, tmp_path: Path) -> None:
    assert sum(bool(design["recount"]) for design in kept.told["designs"].values()) >= 1
    restored = backup.restore(kept.file)
    assert (restored["surveys"], restored["reports"]) == (2, 110)
    assert WaitingReport.objects.count() == 11
    assert whole.told() == kept.told
    assert len(kept.told["group sizes"]) == 2, "drawn once, and the same numbers afterwards"
    for digest, design in kept.told["designs"].items():
        assert design["recount"] in (None, design["totals"]), digest
    assert tables.last_keys() == kept.last_keys
    alice = User.objects.get()
    assert alice.check_password("a long passphrase")
    assert alice.totpdevice_set.get().key == "2a" * 20
    assert alice.has_perm(permission_name())
    backup.back_up(tmp_path / "again.zip")
    assert members(tmp_path / "again.zip") == members(kept.file)
    assert new_survey_number() > Survey.objects.order_by("-pk")[1].pk + 1, "the number of one that is gone stays free"


def permission_name() -> str:
    permission = Permission.objects.order_by("-pk")[0]
    return f"{permission.content_type.app_label}.{permission.codename}"


def new_survey_number() -> int:
    return Survey.objects.create(slug="next", team=Survey.objects.first().team).pk


@pytest.mark.long
def test_restore_across_databases_gives_same_backup(kept: Kept, server: PostgreSQL, tmp_path: Path) -> None:
    """From here to PostgreSQL, from there to SQLite: the same words, and every member of every backup the same."""
    if connection.vendor == "postgresql":
        pytest.skip("the run on SQLite goes both ways")
    before = json.loads(json.dumps(kept.told))
    files = [kept.file, tmp_path / "second.zip", tmp_path / "third.zip"]
    for place, url in enumerate([server.url, ""]):
        old, new = files[place : place + 2]
        assert whole.restored_elsewhere(old, new, url=url, data=tmp_path / f"data-{place}") == before
    assert members(files[0]) == members(files[1]) == members(files[2])


def test_backup_twice_gives_same_bytes_but_time(kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backup.restore(kept.file)
    now = backup.timezone.now()
    monkeypatch.setattr(backup.timezone, "now", lambda: now)
    for name in ("one.zip", "two.zip"):
        backup.back_up(tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_backup_reports_are_sorted_by_nonce(kept: Kept) -> None:
    found = members(kept.file)
    records, waiting = (next(found[name] for name in found if name.startswith(kind)) for kind in ("reports/", "wait"))
    assert (len(records), len(waiting)) == (110 * 21, 11 * 21)
    nonces = [records[start : start + 16] for start in range(0, len(records), 21)]
    assert nonces == sorted(set(nonces))


def test_backup_tables_are_kept_or_listed_as_left_out() -> None:
    labels = {model._meta.label for model in apps.get_models(include_auto_created=True)}
    reports = {"collector.Report", "collector.WaitingReport"}  # in files of their own
    assert labels >= tables.LEFT_OUT, "no name of a table that is gone"
    assert {model._meta.label for model in tables.tables()} | tables.LEFT_OUT | reports == labels
    ours = {label for label in tables.LEFT_OUT if not label.startswith(("axes.", "sessions."))}
    here = {
        "collector.ReportArchive",
        "estimator.Export",
        "estimator.Worker",
        "surveys.KeptAnswer",
        "surveys.Mailing",
        "surveys.PreviewLink",
        "surveys.Recipient",
    }
    assert ours == {"surveys.Backup", "surveys.DraftRevision", "surveys.FetchCode", "surveys.SigningSecret", *here}


def test_backup_file_is_private_and_not_overwritten(small: Path) -> None:
    assert stat.S_IMODE(small.stat().st_mode) == 0o600
    before = small.read_bytes()
    with pytest.raises(CommandError, match="is there already"):
        call_command("backup", small)
    assert small.read_bytes() == before
    assert [path.name for path in small.parent.iterdir()] == [small.name], "no draft stays"


def test_backup_failed_leaves_no_file(alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "read", lambda model: iter([b"x", 1 / 0]))
    with pytest.raises(ZeroDivisionError):
        backup.back_up(tmp_path / "candor.zip")
    assert not list(tmp_path.iterdir())


def test_backup_includes_waiting_reports(design: Any, tmp_path: Path) -> None:
    runs.fill(design, count=37, first=25)
    assert backup.back_up(tmp_path / "candor.zip")["reports"] == 10
    waits = sorted(bytes(nonce) for nonce in WaitingReport.objects.values_list("nonce", flat=True))
    assert len(waits) == 27
    empty_database()
    backup.restore(tmp_path / "candor.zip")
    assert sorted(bytes(nonce) for nonce in WaitingReport.objects.values_list("nonce", flat=True)) == waits
    close_design(design.digest)
    assert folding.fold(design.digest) == 27
    assert selectors.totals(design.digest)[0].sum() == 37


def test_backup_secret_key_only_on_request(small: Path, alice: User) -> None:
    key = settings.SECRET_KEY.encode()
    assert all(key not in content for content in members(small).values())
    with pytest.raises(CommandError, match="no secret key"):
        call_command("restore", small, "--with-secret-key")
    asked = small.with_name("asked.zip")
    call_command("backup", asked, "--with-secret-key", stdout=io.StringIO())
    assert members(asked)["secret_key"] == key
    empty_database()
    file = settings.DATA / "secret_key"
    before = file.read_text() if file.exists() else ""
    try:
        file.write_text("another")
        call_command("restore", asked, "--with-secret-key", stdout=io.StringIO())
        assert file.read_bytes() == key
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        file.write_text(before)


def test_restore_needs_empty_database(small: Path) -> None:
    User.objects.create_user("somebody")
    with pytest.raises(CommandError, match=r"not empty: there are rows of auth\.User\. A backup is restored"):
        call_command("restore", small)
    assert User.objects.get().username == "somebody"


@pytest.mark.parametrize(
    ("spoil", "words"),
    few(
        [
            (lambda file: file.write_bytes(b"no zip at all"), "its table of contents cannot be read"),
            (lambda file: file.write_bytes(file.read_bytes()[:-200]), "its table of contents cannot be read"),
            (lambda file: rewrite(file, {"manifest.json": b"[]"}).replace(file), "its manifest says no format"),
            (lambda file: rewrite(file, manifest_with(file, format=3)).replace(file), "has format 3; .* up to 2"),
            (
                lambda file: rewrite(file, manifest_with(file, migrations={"surveys": "0999_later"})).replace(file),
                "newer version of Candor .* does not know surveys.0999_later",
            ),
            (
                lambda file: rewrite(file, manifest_with(file, migrations={"surveys": "0001_initial"})).replace(file),
                "An older version of Candor made the backup .* Restore it with that version",
            ),
            (
                lambda file: rewrite(file, {"rows/auth_user.jsonl": b"[]\n"}).replace(file),
                r"damaged: rows/auth_user\.jsonl does not hash",
            ),
            (lambda file: rewrite(file, {"rows/auth_user.jsonl": None}).replace(file), r"names: rows/auth_user\.jsonl"),
        ]
    ),
)
def test_restore_invalid_backup_is_rejected(small: Path, spoil: Any, words: str) -> None:
    spoil(small)
    with pytest.raises(CommandError, match=words):
        call_command("restore", small)
    assert not User.objects.exists()


def test_restore_flipped_bit_is_rejected_or_harmless(small: Path) -> None:
    """Of forty places over the file each is flipped: refused in words, or what is restored is the same."""
    before, whole_file = small.read_bytes(), members(small)
    refused = 0
    for place in range(0, len(before), len(before) // 40):
        damaged = bytearray(before)
        damaged[place] ^= 1
        small.write_bytes(damaged)
        try:
            backup.restore(small)
        except BackupError:
            refused += 1
            assert not User.objects.exists()
        else:
            assert members(small) == whole_file
            empty_database()
    assert refused > 20


def test_restore_crash_leaves_database_empty(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever has been written when it dies, nothing of it is there afterwards; and then it can be done again."""

    def die(given: dict[str, int]) -> None:
        stored = Report.objects.count() + WaitingReport.objects.count()
        assert stored == 121, "everything else is written by now"
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(tables, "set_last_keys", die)
        with pytest.raises(KeyboardInterrupt):
            backup.restore(kept.file)
    for model in (*tables.tables(), Report):
        assert model in tables.MADE_BY_MIGRATE or not model._default_manager.exists()
    assert Permission.objects.exists()
    backup.restore(kept.file)
    with pytest.raises(IntegrityError, match="frozen"), connection.cursor() as cursor:
        cursor.execute("UPDATE collector_frozendesign SET document = '{}'")
    with pytest.raises(IntegrityError, match="log"), connection.cursor() as cursor:
        cursor.execute("DELETE FROM surveys_auditentry")
