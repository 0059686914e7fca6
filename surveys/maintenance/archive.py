"""The backup archive: a zip with a manifest that lists the other members and their hashes.

Members have no times and an order that follows from their names, so two backups of one state are the same bytes but for
the time that the manifest says.
"""

import hashlib
import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Self

from surveys.errors import BackupError
from surveys.maintenance import drafts

FORMAT = 2
MANIFEST, SIGNATURE = "manifest.json", "signature.json"
MEMBERS = re.compile(
    r"(designs/[0-9a-f]{64}\.json|(reports|waiting)/[0-9a-f]{64}\.bin|rows/[a-z0-9_]{1,63}\.jsonl|secret_key)"
)
"""Allowed names of members: none leads out of the archive."""

NO_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can store."""

OURS_ALONE = 0o600
AT_ONCE = 1_000
"""Number of rows compressed or hashed together."""

PIECE = 1 << 20

MOST_MEMBERS = 100_000
LARGEST = {MANIFEST: 64 << 20, SIGNATURE: 4096}
"""Maximum bytes, unpacked."""

MOST_AT_ALL, RATIO = 64 << 20, 100
"""Maximum unpacked bytes, or times the packed size: pages and rows unpack to about ten times."""


@dataclass(frozen=True)
class Member:
    """One file of the archive. `columns`: the columns of a table's rows, in order."""

    name: str
    rows: int
    bytes: int
    sha256: str
    columns: list[str] = field(default_factory=list)


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Create a file completely and on disk, or not at all; only its owner can read it.

    Raises FileExistsError where there is one of that name: an older backup is not written over.
    """
    if path.exists():
        raise FileExistsError(f"{path} already exists; choose another file name.")
    with drafts.named_file(path) as (file, draft):
        yield file
        file.flush()
        os.fsync(file.fileno())
        os.link(draft, path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


class ArchiveWriter:
    """Writes members one after the other, and in the end the manifest; a `with` leaves it as it is."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self.members: dict[str, Member] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._zip.fp = None  # a zip that is not finished would be written to once more as it goes

    def add(self, name: str, rows: Iterable[bytes], *, columns: list[str] | None = None) -> None:
        """Write a member with these rows, which are read lazily."""
        known, size, count, left = hashlib.sha256(), 0, 0, iter(rows)
        with self._zip.open(_info(name), "w", force_zip64=True) as member:
            while batch := list(islice(left, AT_ONCE)):
                piece = b"".join(batch)
                known.update(piece)
                size, count = size + len(piece), count + len(batch)
                member.write(piece)
        self.members[name] = Member(name, count, size, known.hexdigest(), columns or [])

    def close(self, facts: Mapping[str, object], *, sign: Callable[[bytes], bytes]) -> None:
        """Write the manifest, with the facts and the hash of every member, and its signature."""
        content = {"format": FORMAT, **facts, "members": [asdict(member) for member in self.members.values()]}
        manifest = json.dumps(content, indent=1, ensure_ascii=False).encode()
        self._zip.writestr(_info(MANIFEST), manifest)
        self._zip.writestr(_info(SIGNATURE), sign(manifest))
        self._zip.close()


class ArchiveReader:
    """An archive that is being restored.

    Parameters
    ----------
    file
        The zip.
    require_signer
        Is given the manifest's bytes and those of its signature, None where there is none, and raises BackupError
        where it does not trust them. Nothing of the archive is made sense of before.

    Raises
    ------
    BackupError
        Where the file is no backup, is damaged, is not trusted, or was made by a newer version.
    """

    def __init__(self, file: IO[bytes], *, require_signer: Callable[[bytes, bytes | None], None]) -> None:
        with _readable("its table of contents"):
            self._zip = zipfile.ZipFile(file)
            manifest = self._zip.getinfo(MANIFEST)
        self._require_bounds(packed=os.fstat(file.fileno()).st_size)
        self.members: dict[str, Member] = {}
        self.is_signed = SIGNATURE in self._zip.namelist()
        written = self.read(manifest.filename)
        require_signer(written, self.read(SIGNATURE) if self.is_signed else None)
        with _readable("its manifest"):
            content = json.loads(written)
        if not isinstance(content, dict) or not isinstance(content.get("format"), int):
            raise BackupError("The file is a zip, but not a backup of Candor: its manifest says no format.")
        if content["format"] > FORMAT:
            raise BackupError(
                f"The backup has format {content['format']}; this version of Candor reads formats up to {FORMAT}. "
                "Restore it with the version that made it, or a newer one."
            )
        with _readable("its manifest"):
            self.members = {member["name"]: Member(**member) for member in content.pop("members")}
            self.size = sum(member.bytes for member in self.members.values())
            if not isinstance(content["migrations"], dict) or not isinstance(content["last_keys"], dict):
                raise TypeError
        self.facts = content

    def verify(self) -> Iterator[int]:
        """Hash every member, yielding the bytes that were read; BackupError at the first that is not what it was."""
        names, beside = self._zip.namelist(), [MANIFEST, *([SIGNATURE] if self.is_signed else [])]
        if sorted(names) != sorted([*self.members, *beside]):
            odd = ", ".join(sorted(set(names) ^ {*self.members, *beside})) or "one of them occurs twice"
            raise BackupError(f"The backup is damaged: its members are not those that its manifest names: {odd}.")
        for member in self.members.values():
            for piece in self.pieces(member.name, PIECE):
                yield len(piece)

    def _require_bounds(self, *, packed: int) -> None:
        """Check the names and sizes that the archive states before unpacking anything."""
        infos = self._zip.infolist()
        if len(infos) > MOST_MEMBERS:
            raise BackupError(f"The file is not a backup: it has {len(infos)} members, of {MOST_MEMBERS} at most.")
        for info in infos:
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BackupError(
                    f"The file is not a backup: {info.filename[:80]!r} is packed in another way than ours."
                )
            if info.filename not in LARGEST and not MEMBERS.fullmatch(info.filename):
                raise BackupError(f"The file is not a backup: no member of one is called {info.filename[:80]!r}.")
            if info.file_size > LARGEST.get(info.filename, info.file_size):
                raise BackupError(
                    f"The file is not a backup: {info.filename} has {info.file_size} bytes, "
                    f"of {LARGEST[info.filename]} at most."
                )
        size = sum(info.file_size for info in infos)
        if size > max(MOST_AT_ALL, RATIO * packed):
            raise BackupError(
                f"The file is not a backup: {packed} bytes that unpack to {size}, of {RATIO} times as many at most."
            )

    def read(self, name: str) -> bytes:
        """A whole member. This, `pieces` and `lines` raise BackupError at its end where it is not what was signed.

        Each time anew: whoever can write to the file could do so once it has been verified.
        """
        with _readable(name):
            content = self._zip.read(name)
        self._require_known(name, hashlib.sha256(content).hexdigest())
        return content

    def pieces(self, name: str, size: int) -> Iterator[bytes]:
        """A member in pieces of `size` bytes; the last may be shorter."""
        with _readable(name), self._zip.open(name) as member:
            yield from self._known(name, iter(lambda: member.read(size), b""))

    def lines(self, name: str) -> Iterator[bytes]:
        with _readable(name), self._zip.open(name) as member:
            yield from self._known(name, member)

    def _known(self, name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        known = hashlib.sha256()
        for piece in pieces:
            known.update(piece)
            yield piece
        self._require_known(name, known.hexdigest())

    def _require_known(self, name: str, sha256: str) -> None:
        if name in self.members and self.members[name].sha256 != sha256:
            raise BackupError(f"The backup is damaged: {name} does not hash to what its manifest says.")


@contextmanager
def _readable(part: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, LookupError, TypeError, ValueError, RuntimeError):
        raise BackupError(f"The file is damaged, or not a backup: {part} cannot be read.") from None


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, NO_TIME)
    info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
    info.external_attr = OURS_ALONE << 16
    return info
