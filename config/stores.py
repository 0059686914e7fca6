"""Where exported files and backups are: a folder that only the installation's user can read, or an S3-compatible store.

Both are storages of Django's, `storages["exports"]` and `storages["backups"]`, and have no public addresses.
"""

import os
import re
import secrets
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files import File
from django.core.files.storage import FileSystemStorage

from estimator.base.extras import missing_package

BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
PREFIX = re.compile(r"(/[A-Za-z0-9][A-Za-z0-9._-]*)*/?")
ENCRYPTIONS = ("", "AES256", "aws:kms")
"""Encryptions by the store; empty leaves it to the bucket's own setting."""

Variables = dict[str, str]


class PrivateFolder(FileSystemStorage):
    """A folder with mode 0700, of files with mode 0600 that are whole and on disk, or not there.

    `setting`: the name of the setting with its path, which is looked up each time.
    """

    def __init__(self, setting: str) -> None:
        self._setting = setting
        super().__init__(file_permissions_mode=0o600, directory_permissions_mode=0o700, allow_overwrite=True)

    @property
    def base_location(self) -> str:
        return str(getattr(settings, self._setting))

    @property
    def location(self) -> str:
        return str(Path(self.base_location).absolute())

    def url(self, name: str | None) -> str:
        raise NotImplementedError("Files of this folder have no address; Candor hands them out itself.")

    def _save(self, name: str, content: "File[bytes]") -> str:
        target = Path(self.path(name))
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                for piece in content.chunks():
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
        put_names_on_disk(target.parent)
        return name


def put_names_on_disk(folder: Path) -> None:
    """Flush the names of a folder's files to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def store_settings(variable: str, place: str, setting: str, given: Variables) -> dict[str, object]:
    """The entry of STORAGES for a place that an operator named.

    Parameters
    ----------
    variable
        Its environment variable, for errors.
    place
        What that says: s3://bucket/prefix; else the folder of `setting` is the store.
    setting
        The setting with the folder's path.
    given
        The store's `endpoint`, `region`, `key_id`, `secret_key` and `encryption`, each empty where it is not set.

    Raises
    ------
    ImproperlyConfigured
        Naming the variable, what it may be, and what it is.
    """
    if not place.startswith("s3:"):
        return {"BACKEND": "config.stores.PrivateFolder", "OPTIONS": {"setting": setting}}
    parts = urlsplit(place)
    if parts.scheme != "s3" or not BUCKET.fullmatch(parts.netloc) or not PREFIX.fullmatch(parts.path) or parts.query:
        raise ImproperlyConfigured(f"{variable} must be like s3://bucket or s3://bucket/prefix; got {place!r}.")
    if missing := missing_package("storages", "stores") or missing_package("boto3", "stores"):
        raise ImproperlyConfigured(f"{variable} is set, and {missing}")
    _require_bounds(given)
    options = {"bucket_name": parts.netloc, "location": parts.path.strip("/"), **given}
    return {"BACKEND": "config.s3.PrivateBucket", "OPTIONS": options}


def folder_of(variable: str, place: str, default: Path) -> Path:
    """The folder that an operator named, or the default. Raises ImproperlyConfigured."""
    if not place or place.startswith("s3:"):
        return default
    if not place.startswith("/"):
        raise ImproperlyConfigured(
            f"{variable} must be the full path of a folder, like /srv/backups, or s3://bucket/prefix; got {place!r}."
        )
    return Path(place)


def _require_bounds(given: Variables) -> None:
    if given["endpoint"] and urlsplit(given["endpoint"]).scheme not in ("http", "https"):
        raise ImproperlyConfigured(
            f"CANDOR_STORE_ENDPOINT must be like https://s3.example.org; got {given['endpoint']!r}."
        )
    if bool(given["key_id"]) != bool(given["secret_key"]):
        raise ImproperlyConfigured("CANDOR_STORE_KEY_ID and CANDOR_STORE_SECRET_KEY must both be set, or neither.")
    if given["encryption"] not in ENCRYPTIONS:
        raise ImproperlyConfigured(
            f"CANDOR_STORE_ENCRYPTION must be AES256 or aws:kms, or empty; got {given['encryption']!r}."
        )
