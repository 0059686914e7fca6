"""Where files are: what an operator may say, and what becomes of a folder's files."""

import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile

from config import stores
from config.stores import PrivateFolder, folder_of, store_settings

UNSET = dict.fromkeys(("endpoint", "region", "key_id", "secret_key", "encryption"), "")


def settings_of(place: str, **given: str) -> dict[str, object]:
    return store_settings("CANDOR_EXPORTS_STORE", place, "CANDOR_EXPORTS", UNSET | given)


def test_store_is_folder_unless_named() -> None:
    assert settings_of("")["BACKEND"] == settings_of("/srv/exports")["BACKEND"] == "config.stores.PrivateFolder"
    assert folder_of("X", "", Path("/data")) == folder_of("X", "s3://bucket", Path("/data")) == Path("/data")
    assert folder_of("X", "/srv/exports", Path("/data")) == Path("/srv/exports")


def test_store_named_by_bucket_and_prefix() -> None:
    found = settings_of("s3://survey-files/campus/exports/", endpoint="https://s3.example.org")
    assert found["BACKEND"] == "config.s3.PrivateBucket"
    named = {"bucket_name": "survey-files", "location": "campus/exports", "endpoint": "https://s3.example.org"}
    assert found["OPTIONS"] == UNSET | named


@pytest.mark.parametrize(
    ("place", "given", "words"),
    [
        ("s3:bucket", {}, "must be like s3://bucket or s3://bucket/prefix; got 's3:bucket'"),
        ("s3://B", {}, "must be like"),
        ("s3://bucket/../secret", {}, "must be like"),
        ("s3://bucket?endpoint=x", {}, "must be like"),
        ("s3://bucket", {"endpoint": "s3.example.org"}, "CANDOR_STORE_ENDPOINT must be like https://s3.example.org;"),
        ("s3://bucket", {"key_id": "AKIA"}, "CANDOR_STORE_KEY_ID and CANDOR_STORE_SECRET_KEY must both be set"),
        ("s3://bucket", {"encryption": "rot13"}, "CANDOR_STORE_ENCRYPTION must be AES256 or aws:kms, or empty; got"),
    ],
)
def test_store_with_fault_is_refused(place: str, given: dict[str, str], words: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=words):
        settings_of(place, **given)


def test_store_error_names_no_secret() -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        settings_of("s3://bucket", secret_key="a secret")
    assert "a secret" not in str(refusal.value)


def test_relative_folder_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="CANDOR_X must be the full path of a folder"):
        folder_of("CANDOR_X", "backups", Path("/data"))


def test_store_without_its_packages_says_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "missing_package", lambda package, extra: f"{package} of {extra} is not here")
    with pytest.raises(ImproperlyConfigured, match="CANDOR_EXPORTS_STORE is set, and storages of stores is not here"):
        settings_of("s3://bucket")


def test_folder_files_are_private_and_replaced_whole(tmp_path: Path, settings: Any) -> None:
    settings.CANDOR_EXPORTS = tmp_path / "files"
    folder = PrivateFolder("CANDOR_EXPORTS")
    assert folder.save("one", ContentFile(b"first")) == folder.save("one", ContentFile(b"second")) == "one"
    path = tmp_path / "files" / "one"
    assert [stat.S_IMODE(one.stat().st_mode) for one in (path, path.parent)] == [0o600, 0o700]
    assert (path.read_bytes(), folder.listdir("")) == (b"second", ([], ["one"]))
    with pytest.raises(NotImplementedError):
        folder.url("one")


def test_folder_write_that_fails_leaves_nothing(tmp_path: Path, settings: Any) -> None:
    settings.CANDOR_EXPORTS = tmp_path

    class Torn(ContentFile):
        def chunks(self, chunk_size: int | None = None) -> Any:
            yield b"half"
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        PrivateFolder("CANDOR_EXPORTS").save("one", Torn(b"whole"))
    assert list(tmp_path.iterdir()) == []
