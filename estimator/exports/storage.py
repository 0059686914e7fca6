"""Exported files: written as drafts in a folder, and in `storages["exports"]` once they are complete and on disk.

That storage is the same folder, or an S3-compatible store. Names are keys and nothing else, so nothing that anybody
types reaches a path. Web processes and workers, also those of several machines, share it.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedRandom
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages

from estimator.base.keys import LENGTH
from estimator.base.stores import StoreError, is_folder

KEY = re.compile(rf"[0-9a-f]{{{LENGTH}}}")
NAME = re.compile(rf"({KEY.pattern})(?:\.({KEY.pattern})(\.draft)?)?")
"""A file name: the key of an export. A draft, and a file of a store elsewhere, also names the lease of its worker."""


@dataclass(frozen=True)
class StoredFile:
    """A file that is there, or a part of one: the key of its export, a lease, and how to delete it."""

    key: str
    lease: str
    is_draft: bool
    delete: Callable[[], Any]


def folder() -> Path:
    """The folder of exports, accessible only to the installation's user."""
    place = Path(settings.CANDOR_EXPORTS)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def is_elsewhere() -> bool:
    """Return True if finished files are not in the folder."""
    return not is_folder(storages["exports"])


def path_of(key: str) -> Path:
    """The path of the finished file of an export in the folder. Raises ValueError for an invalid key."""
    _require(key)
    return folder() / key


def open_file(key: str, lease: str) -> IO[bytes]:
    """The finished file, to be read in pieces. Raises FileNotFoundError, and StoreError where the store is away."""
    if not is_elsewhere():
        return path_of(key).open("rb")
    file: IO[bytes] = storages["exports"].open(_name(key, lease)).file  # type: ignore[assignment]
    return file


def exists(key: str, lease: str) -> bool:
    """Return True if the finished file is there. Asks a store elsewhere, and raises StoreError where that is away."""
    return storages["exports"].exists(_name(key, lease)) if is_elsewhere() else path_of(key).exists()


def delete(key: str, lease: str) -> None:
    """Delete the finished file, if it is there. Raises StoreError."""
    if is_elsewhere():
        storages["exports"].delete(_name(key, lease))
    else:
        path_of(key).unlink(missing_ok=True)


class Draft:
    """A file that is being written, known only to its worker."""

    def __init__(self, key: str, lease: str) -> None:
        self.key, self.lease = key, lease
        self.target = path_of(key)
        self.path = self.target.with_name(f"{key}.{lease}.draft")
        self._sent = False

    def open(self) -> BufferedRandom:
        return os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")

    def send(self) -> None:
        """Send the file to a store elsewhere, under a name that only this worker uses: it may take minutes."""
        if is_elsewhere():
            self._sent = True
            with self.path.open("rb") as file:
                storages["exports"].save(_name(self.key, self.lease), File(file))

    def keep(self) -> None:
        """Give the file its final name; both the file and its name are on disk afterwards."""
        self._sent = False
        if is_elsewhere():
            return
        self.path.replace(self.target)
        place = os.open(self.target.parent, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)

    def discard(self) -> None:
        """Delete what is not kept. What a store that is away still has is deleted with what killed workers left."""
        self.path.unlink(missing_ok=True)
        if self._sent:
            with suppress(StoreError):
                delete(self.key, self.lease)


@contextmanager
def draft(key: str, lease: str) -> Iterator[Draft]:
    """A draft that is removed unless it is kept."""
    written = Draft(key, lease)
    try:
        yield written
    finally:
        written.discard()


def put_on_disk(file: BufferedRandom) -> tuple[int, str]:
    """Flush a file to disk; return its size in bytes and its SHA-256."""
    file.flush()
    os.fsync(file.fileno())
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    return file.tell(), digest


def listed() -> Iterator[StoredFile]:
    """Yield every exported file, draft, and upload that was not ended. Raises StoreError."""
    for path in list(folder().iterdir()):
        if found := NAME.fullmatch(path.name):
            # With a store elsewhere only drafts belong into the folder.
            key = "" if is_elsewhere() and not found[3] else found[1]
            yield StoredFile(key, found[2] or "", bool(found[3]), partial(path.unlink, missing_ok=True))
    if is_elsewhere():
        yield from _listed_elsewhere(storages["exports"])


def _listed_elsewhere(store: Any) -> Iterator[StoredFile]:
    for name in store.listdir("")[1]:
        if (found := NAME.fullmatch(name)) and not found[3]:
            yield StoredFile(found[1], found[2] or "", False, partial(store.delete, name))
    for name, upload in store.unfinished():
        if (found := NAME.fullmatch(name)) and not found[3]:
            yield StoredFile(found[1], found[2] or "", True, partial(store.abandon, name, upload))


def _name(key: str, lease: str) -> str:
    """The name in a store elsewhere. Of two workers that both believe to hold a job, each writes under its own."""
    _require(key)
    _require(lease)
    return f"{key}.{lease}"


def _require(key: str) -> None:
    if not KEY.fullmatch(key):
        raise ValueError(f"A key has {LENGTH} hex digits.")
