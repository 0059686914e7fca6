"""The folder of exported files: written under a draft's name, and renamed once they are whole and on disk.

Names are keys and nothing else, so nothing that anybody types reaches a path. Web processes and workers, also those of
several machines, share the folder.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom
from pathlib import Path

from django.conf import settings

from estimator.base.keys import LENGTH

KEY = re.compile(rf"[0-9a-f]{{{LENGTH}}}")
NAME = re.compile(rf"({KEY.pattern})(?:\.({KEY.pattern})\.draft)?")
"""The key of an export; of a draft also the lease of the worker that writes it."""


def folder() -> Path:
    """Where exports are kept; only the installation's own user can look into it."""
    place = Path(settings.CANDOR_EXPORTS)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def path_of(key: str) -> Path:
    """Where the file of an export is once it is whole. Raises ValueError where this is no key."""
    if not KEY.fullmatch(key):
        raise ValueError(f"A key has {LENGTH} hex digits.")
    return folder() / key


class Draft:
    """A file that is being written, of which nobody but its worker knows."""

    def __init__(self, key: str, lease: str) -> None:
        self.target = path_of(key)
        self.path = self.target.with_name(f"{key}.{lease}.draft")

    def open(self) -> BufferedRandom:
        return os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")

    def keep(self) -> None:
        """Give it its name, for good: both the file and its name are on disk afterwards."""
        self.path.replace(self.target)
        place = os.open(self.target.parent, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


@contextmanager
def draft(key: str, lease: str) -> Iterator[Draft]:
    """A draft of which nothing is left, unless it is kept."""
    written = Draft(key, lease)
    try:
        yield written
    finally:
        written.path.unlink(missing_ok=True)


def put_on_disk(file: BufferedRandom) -> tuple[int, str]:
    """Its size in bytes and its SHA-256, once every byte is on disk."""
    file.flush()
    os.fsync(file.fileno())
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    return file.tell(), digest


def remove(key: str) -> None:
    path_of(key).unlink(missing_ok=True)


def listed() -> Iterator[tuple[Path, str, str]]:
    """Every file of ours: where it is, its export's key, and of a draft the lease."""
    for path in list(folder().iterdir()):
        if found := NAME.fullmatch(path.name):
            yield path, found[1], found[2] or ""


def sweep(path: Path) -> None:
    """Remove a file that nobody needs; another worker may have been faster."""
    with suppress(FileNotFoundError):
        path.unlink()
