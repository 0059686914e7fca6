"""Drafts on this machine: private, locked by the process that writes, and deleted by the next one where it died."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path
from typing import IO

from django.conf import settings


def folder() -> Path:
    """The folder of drafts, accessible only to the installation's user."""
    place = Path(settings.DATA) / "backup_drafts"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


@contextmanager
def nameless_file() -> Iterator[BufferedRandom]:
    """A file without a name: nothing of it is left, however its process ends."""
    with tempfile.TemporaryFile(dir=folder()) as file:
        yield file


@contextmanager
def named_file(path: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A file beside `path`, and its own path, that is deleted at the end; those of killed processes are deleted now."""
    _delete_abandoned(path.parent, f".{path.name}.")
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # readable by its owner alone
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with os.fdopen(handle, "wb") as file:
            yield file, Path(draft)
    finally:
        Path(draft).unlink()


@contextmanager
def named_folder(prefix: str) -> Iterator[Path]:
    """An empty folder that is deleted at the end; those of killed processes are deleted now."""
    _delete_abandoned(folder(), prefix)
    place = Path(tempfile.mkdtemp(prefix=prefix, dir=folder()))
    handle = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield place
    finally:
        shutil.rmtree(place)
        os.close(handle)


def _delete_abandoned(place: Path, prefix: str) -> None:
    for path in place.iterdir():
        if not path.name.startswith(prefix) or path.is_symlink():
            continue
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            continue  # it is gone, or somebody else's
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue  # it is being written
        else:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        finally:
            os.close(handle)
