"""A backup says who made it, and a restore takes none that somebody has changed: not a byte of a page."""

import base64
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from collector.models import FrozenDesign
from surveys.errors import BackupError
from surveys.maintenance import archive, backup, signature
from surveys.models import Page, Version
from tests.tools.backups import empty_database, manifest_with, members, rewrite, signed_by
from tests.tools.gate import few

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = "rows/surveys_page.jsonl"


@pytest.fixture
def made(version: Version, tmp_path: Path) -> Path:
    """A backup with an open survey; the installation is empty again."""
    backup.back_up(tmp_path / "candor.zip")
    empty_database()
    return tmp_path / "candor.zip"


def refused(file: Path, words: str, *options: str) -> None:
    with pytest.raises(CommandError, match=words) as fault:
        call_command("restore", file, *options)
    assert fault.value.returncode
    assert not FrozenDesign.objects.exists(), "nothing is restored"


def restore(file: Path, *options: str) -> None:
    call_command("restore", file, *options, stdout=io.StringIO())
    assert Page.objects.exists()


def with_summed(file: Path, name: str, content: bytes) -> dict[str, bytes | None]:
    """A member with other content, and a manifest with its sum made again."""
    with zipfile.ZipFile(file) as opened:
        manifest = json.loads(opened.read("manifest.json"))
    for member in manifest["members"]:
        if member["name"] == name:
            member |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return {name: content, "manifest.json": json.dumps(manifest).encode()}


def with_a_changed_page(file: Path, *, digest_too: bool = False) -> dict[str, bytes | None]:
    """One byte of a respondents' page."""
    lines = members(file)[PAGES].splitlines()
    row = json.loads(lines[0])
    place = next(place for place, value in enumerate(row) if isinstance(value, str) and len(value) > 1_000)
    content = bytearray(base64.b64decode(row[place]))
    content[len(content) // 2] ^= 1
    digest = hashlib.sha256(base64.b64decode(row[place])).hexdigest()
    row[place] = base64.b64encode(content).decode()
    if digest_too:
        row[row.index(digest)] = hashlib.sha256(content).hexdigest()
    return with_summed(file, PAGES, b"\n".join([json.dumps(row).encode(), *lines[1:]]) + b"\n")


@pytest.fixture
def somebody_else(settings: Any) -> Callable[[], str]:
    def become() -> str:
        settings.CANDOR_BACKUP_KEY = "another installation"
        return signature.own_fingerprint()

    return become


def test_restore_own_signature_is_accepted(made: Path) -> None:
    assert signed_by(made) == signature.own_fingerprint()
    restore(made)
    assert all(page.is_as_published for page in Page.objects.all())


def test_restore_changed_page_is_rejected(made: Path) -> None:
    """Even where sums and signature are made again, as by who has the installation's key."""
    changed = rewrite(made, with_a_changed_page(made))
    refused(changed, "the answer page of campus version 1 in en does not hash to its published digest")


def test_restore_manifest_changed_after_signing_is_rejected(made: Path) -> None:
    """Page, published digest and manifest all fit each other; whoever changed them cannot sign."""
    with zipfile.ZipFile(made) as opened:
        signed = opened.read("signature.json")
    changes = with_a_changed_page(made, digest_too=True) | {"signature.json": signed}
    refused(rewrite(made, changes), "its signature is of something else, so it was changed after it was signed")


def test_restore_file_changed_after_verify_is_rejected(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write to the file waits until its sums have been looked at. Page and digest fit each other."""
    changed, verify = rewrite(made, with_a_changed_page(made, digest_too=True)), archive.ArchiveReader.verify

    def verify_and_change(self: archive.ArchiveReader) -> Iterator[int]:
        yield from verify(self)
        self._zip = zipfile.ZipFile(changed)

    monkeypatch.setattr(archive.ArchiveReader, "verify", verify_and_change)
    refused(made, rf"{PAGES} does not hash to what its manifest says")


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_restore_member_of_other_compression_is_rejected(made: Path, kind: int) -> None:
    """One of LZMA says how much memory unpacking it takes."""
    with zipfile.ZipFile(made, "a", kind) as opened:
        opened.writestr(f"designs/{'0' * 64}.json", b"{}")
    refused(made, "is packed in another way than ours")


@pytest.mark.parametrize("signed", [b"", b"{}", b"[" * 4_000, b'{"public_key": "00", "signature": "zz"}', b"\xff"])
def test_restore_malformed_signature_is_rejected(made: Path, signed: bytes) -> None:
    refused(rewrite(made, {"signature.json": signed}), "its signature cannot be read")


def test_restore_unsigned_needs_option(made: Path) -> None:
    unsigned = rewrite(made, {"signature.json": None})
    refused(unsigned, "The backup has no signature: .* restore --unsigned")
    refused(unsigned, "The backup has no signature", "--signed-by", signed_by(made))
    restore(unsigned, "--unsigned")


def test_restore_other_installation_needs_its_fingerprint(made: Path, somebody_else: Callable[[], str]) -> None:
    maker, here = signed_by(made), somebody_else()
    refused(made, rf"signed by the installation {maker}, and not by this one \({here}\)")
    refused(made, "and not by this one", "--unsigned")
    refused(made, "and not by the one that was named", "--signed-by", here)
    refused(made, "A fingerprint is like 1a2b-", "--signed-by", "1a2b")
    restore(made, "--signed-by", maker.upper())


def test_backup_does_not_contain_signing_key(made: Path, settings: Any) -> None:
    key = settings.CANDOR_BACKUP_KEY.encode()
    with zipfile.ZipFile(made) as opened:
        assert all(key not in opened.read(name) for name in opened.namelist())


def test_backup_command_prints_fingerprint(version: Version, tmp_path: Path) -> None:
    said = io.StringIO()
    call_command("backup", tmp_path / "candor.zip", stdout=said)
    assert f"signed by this installation, {signature.own_fingerprint()}" in said.getvalue()


@pytest.mark.parametrize(
    "row", few([b"[" * 100_000, b"[]", b"{}", b"7", b'["x"]', b"\xff", b"[null, null, null]"], slice(2))
)
def test_restore_inconsistent_row_is_rejected(made: Path, row: bytes) -> None:
    refused(rewrite(made, with_summed(made, PAGES, row + b"\n")), "The backup does not fit together")


@pytest.mark.parametrize(
    "facts",
    few([{"members": [{}]}, {"members": 7}, {"members": [{"name": "x"}]}, {"migrations": []}, {"last_keys": None}]),
)
def test_restore_manifest_of_other_shape_is_rejected(made: Path, facts: dict[str, Any]) -> None:
    refused(rewrite(made, manifest_with(made, **facts)), "its manifest cannot be read")


def test_restore_deeply_nested_manifest_is_rejected(made: Path) -> None:
    deep = b'{"format": 2, "members": ' + b"[" * 200_000
    refused(rewrite(made, {"manifest.json": deep}), "its manifest cannot be read")


def bomb(file: Path, name: str, size: int) -> Path:
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as opened, opened.open(name, "w") as member:
        for _ in range(size >> 20):
            member.write(bytes(1 << 20))
    return file


def test_restore_zip_bomb_is_rejected_unopened(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_AT_ALL", 4 << 20)
    monkeypatch.setattr(archive.ArchiveReader, "read", None)
    with pytest.raises(BackupError, match=r"bytes that unpack to \d+, of 100 times as many at most"):
        backup.restore(bomb(made, f"designs/{'0' * 64}.json", 16 << 20))


@pytest.mark.parametrize(
    "name", few(["../secret_key", "/etc/passwd", "rows/../x.jsonl", "rows/x.jsonl\n", "x", "designs/"])
)
def test_restore_member_of_odd_name_is_rejected(made: Path, name: str) -> None:
    with zipfile.ZipFile(made, "a") as opened:
        opened.writestr(name, b"")
    refused(made, "no member of one is called")


def test_restore_too_many_members_is_rejected(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 5)
    refused(made, r"it has \d+ members, of 5 at most")


def test_restore_large_manifest_is_rejected(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(archive.LARGEST, archive.MANIFEST, 100)
    refused(made, r"manifest\.json has \d+ bytes, of 100 at most")
