"""Where exported files, archived reports and backups are: a folder that only the installation's user can read, or S3.

All are storages of Django's, `storages["exports"]`, `["archives"]` and `["backups"]`, and have no public addresses.
"""

import os
import secrets
from dataclasses import asdict, dataclass, field
from glob import escape
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files import File
from django.core.files.storage import FileSystemStorage

from estimator.base.extras import missing_package

BUCKET = "s3://"


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

    def delete_with_drafts(self, name: str) -> None:
        """Delete a file, and what a process left of it that was killed as it wrote it."""
        self.delete(name)
        target = Path(self.path(name))
        for draft in target.parent.glob(f".{escape(target.name)}.*"):
            draft.unlink(missing_ok=True)


def put_names_on_disk(folder: Path) -> None:
    """Flush the names of a folder's files to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True)
class Store:
    """How an S3-compatible store is reached. What is empty is left to the AWS libraries and to the bucket."""

    endpoint: str = ""
    region: str = ""
    key_id: str = ""
    secret_key: str = field(default="", repr=False)
    encryption: str = ""

    def storage(self, setting: str, place: str) -> dict[str, object]:
        """The entry of STORAGES for the store of `setting`: a bucket where `place` names one, else its folder.

        Raises ImproperlyConfigured if half of a key is set, or the packages are not installed.
        """
        if not place.startswith(BUCKET):
            return {"BACKEND": "config.stores.PrivateFolder", "OPTIONS": {"setting": setting}}
        if bool(self.key_id) != bool(self.secret_key):
            raise ImproperlyConfigured("CANDOR_STORE_KEY_ID and CANDOR_STORE_SECRET_KEY must both be set, or neither.")
        if missing := missing_package("storages", "stores") or missing_package("boto3", "stores"):
            raise ImproperlyConfigured(f"{setting}_STORE is set, and {missing}")
        bucket, _, prefix = place.removeprefix(BUCKET).partition("/")
        options = {"bucket_name": bucket, "location": prefix.strip("/"), **asdict(self)}
        return {"BACKEND": "config.s3.PrivateBucket", "OPTIONS": options}


def folder_of(place: str, default: Path) -> Path:
    """The folder that an operator named, or the default."""
    return default if not place or place.startswith(BUCKET) else Path(place)
