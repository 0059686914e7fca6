"""The folder of exported files: written as drafts, and renamed once they are complete and on disk.

Names are keys and nothing else, so nothing that anybody types reaches a path. Web processes and workers, also those of
several machines, share the folder.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path

from django.conf import settings

from estimator.base.keys import LENGTH

KEY = re.compile(rf"[0-9a-f]{{{LENGTH}}}")
NAME = re.compile(rf"({KEY.pattern})(?:\.({KEY.pattern})\.draft)?")
"""A file name: the key of an export; for a draft also the lease of its worker."""


def folder() -> Path:
    """The folder of exports, accessible only to the installation's user."""
    place = Path(settings.CANDOR_EXPORTS)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def path_of(key: str) -> Path:
    """The path of the finished file of an export. Raises ValueError for an invalid key."""
    if not KEY.fullmatch(key):
        raise ValueError(f"A key has {LENGTH} hex digits.")
    return folder() / key


class Draft:
    """A file that is being written, known only to its worker."""

    def __init__(self, key: str, lease: str) -> None:
        self.target = path_of(key)
        self.path = self.target.with_name(f"{key}.{lease}.draft")

    def open(self) -> BufferedRandom:
        return os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")

    def keep(self) -> None:
        """Rename the draft to its final name; both the file and its name are on disk afterwards."""
        self.path.replace(self.target)
        place = os.open(self.target.parent, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


@contextmanager
def draft(key: str, lease: str) -> Iterator[Draft]:
    """A draft that is removed unless it is kept."""
    written = Draft(key, lease)
    try:
        yield written
    finally:
        written.path.unlink(missing_ok=True)


def put_on_disk(file: BufferedRandom) -> tuple[int, str]:
    """Flush a file to disk; return its size in bytes and its SHA-256."""
    file.flush()
    os.fsync(file.fileno())
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    return file.tell(), digest


def listed() -> Iterator[tuple[Path, str, str]]:
    """Yield every exported file: its path, its export's key, and the lease of a draft."""
    for path in list(folder().iterdir()):
        if found := NAME.fullmatch(path.name):
            yield path, found[1], found[2] or ""
