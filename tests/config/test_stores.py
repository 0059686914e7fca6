"""Where files are: what an operator may say, and what becomes of a folder's files."""

import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile

from config import stores
from config.stores import PrivateFolder, Store, folder_of


def test_store_is_folder_unless_bucket_is_named() -> None:
    assert Store().storage("CANDOR_EXPORTS", "")["OPTIONS"] == {"setting": "CANDOR_EXPORTS"}
    assert Store().storage("CANDOR_EXPORTS", "/srv/exports")["BACKEND"] == "config.stores.PrivateFolder"
    assert folder_of("", Path("/data")) == folder_of("s3://bucket", Path("/data")) == Path("/data")
    assert folder_of("/srv/exports", Path("/data")) == Path("/srv/exports")


def test_store_is_named_by_bucket_and_prefix() -> None:
    found = Store(endpoint="https://s3.example.org").storage("CANDOR_EXPORTS", "s3://survey-files/campus/exports/")
    assert found["BACKEND"] == "config.s3.PrivateBucket"
    unset = dict.fromkeys(("region", "key_id", "secret_key", "encryption"), "")
    named = {"bucket_name": "survey-files", "location": "campus/exports", "endpoint": "https://s3.example.org"}
    assert found["OPTIONS"] == unset | named
    assert Store().storage("CANDOR_EXPORTS", "s3://bucket")["OPTIONS"]["location"] == ""  # type: ignore[index]


@pytest.mark.parametrize("half", [{"key_id": "AKIA"}, {"secret_key": "a secret"}])
def test_store_with_half_a_key_is_refused(half: dict[str, str]) -> None:
    with pytest.raises(ImproperlyConfigured, match="must both be set, or neither") as refusal:
        Store(**half).storage("CANDOR_EXPORTS", "s3://bucket")
    assert "a secret" not in str(refusal.value) + repr(Store(**half))


def test_store_without_its_packages_says_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "missing_package", lambda package, extra: f"{package} of {extra} is not here")
    with pytest.raises(ImproperlyConfigured, match="CANDOR_EXPORTS_STORE is set, and storages of stores is not here"):
        Store().storage("CANDOR_EXPORTS", "s3://bucket")


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
