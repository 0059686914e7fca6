import re
from argparse import ArgumentParser
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.transparency import minisign

SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.minisig"
LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._-]+)")


class Command(BaseCommand):
    help = "Verify the files of a release: that the maintainers signed their checksums, and that every file is there."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="where the files of the release are")
        parser.add_argument("--key", required=True, help="the maintainers' public key, or the path of its file")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        try:
            key = minisign.read_key(_text(options["key"]))
            sums = (folder / SUMS).read_bytes()
            comment = minisign.verify(sums, (folder / SIGNATURE).read_text(encoding="utf-8"), key)
            count = _compare(folder, sums.decode())
        except (OSError, ValueError) as fault:
            raise CommandError(f"The release is not to be trusted: {fault}.", returncode=1) from None
        self.stdout.write(f"{count} files are as they were signed ({comment}).")


def _compare(folder: Path, sums: str) -> int:
    """Compare every file with its checksum; raises ValueError for one that differs, lacks, or is not listed."""
    listed: dict[str, str] = {}
    for line in sums.splitlines():
        found = LINE.fullmatch(line)
        if found is None or found[2] in listed:
            raise ValueError(f"{SUMS} cannot be read at {line[:80]!r}")
        listed[found[2]] = found[1]
    there = {path.name for path in folder.iterdir()} - {SUMS, SIGNATURE}
    if there != set(listed):
        named = ", ".join(sorted(there ^ set(listed)))
        raise ValueError(f"what is there is not what is listed: {named}")
    for name, digest in listed.items():
        path = folder / name
        if path.is_symlink() or not path.is_file() or sha256(path.read_bytes()).hexdigest() != digest:
            raise ValueError(f"{name} is not the file that was signed")
    return len(listed)


def _text(key: str) -> str:
    path = Path(key)
    return path.read_text(encoding="utf-8") if len(key) < 200 and path.is_file() else key
