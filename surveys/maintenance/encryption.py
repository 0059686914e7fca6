"""Encryption of backups in the format age (age-encryption.org/v1), in pieces, to public keys.

The private key of each, an age identity, stays outside the installation: whoever takes over a web server cannot read
what it has stored elsewhere.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from estimator.base.extras import missing_package
from estimator.base.stores import StoreError
from surveys.errors import BackupError

MAGIC = b"age-encryption.org/v1"
LARGEST_IDENTITY = 1 << 16
"""Maximum bytes of a file of identities."""


def is_encrypted(file: IO[bytes]) -> bool:
    """Return True if a file begins as one of age; it is at its beginning afterwards."""
    file.seek(0)
    found = file.read(len(MAGIC)) == MAGIC
    file.seek(0)
    return found


@contextmanager
def encrypting(out: IO[bytes], recipients: Sequence[str]) -> Iterator[IO[bytes]]:
    """A file that is written to `out` encrypted, in pieces of 64 KB.

    Raises BackupError where a recipient is no public key of age, StoreError where `out` cannot be written.
    """
    pyrage = _pyrage()
    try:
        keys = [pyrage.x25519.Recipient.from_str(one) for one in recipients]
    except pyrage.RecipientError:
        raise BackupError("CANDOR_BACKUP_RECIPIENTS must be public keys of age, which begin with age1.") from None
    if not keys:
        raise BackupError(
            "CANDOR_BACKUP_RECIPIENTS is not set, and backups are never stored unencrypted, because they contain the "
            "whole database. Create a key with age-keygen and store it elsewhere."
        )
    reading, writing = os.pipe()
    failed: list[Exception] = []

    def encrypt() -> None:
        try:
            with os.fdopen(reading, "rb") as plain:
                pyrage.encrypt_io(plain, out, keys)
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=encrypt, name="encrypting", daemon=True)
    thread.start()
    try:
        # A pipe that nobody reads any more fails the writer: what failed the reader is the reason.
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as plain:
            yield plain
    finally:
        thread.join()
    if failed:
        raise StoreError("the encrypted file could not be written to the disk") from failed[0]


def decrypt(file: IO[bytes], out: IO[bytes], identity: Path) -> None:
    """Decrypt a file with the identities in another. Raises BackupError."""
    pyrage = _pyrage()
    identities = read_identities(identity)
    try:
        pyrage.decrypt_io(file, out, identities)
    except pyrage.DecryptError:
        raise BackupError(
            f"The backup cannot be decrypted: none of the identities in {identity} is of a key that it was made for, "
            "or it is damaged."
        ) from None
    except OSError as error:
        if error.errno:
            raise
        raise BackupError("The backup cannot be decrypted: it is damaged or cut off.") from None
    out.flush()
    out.seek(0)


def read_identities(path: Path) -> list[Any]:
    """The identities of a file as age-keygen writes it. Raises BackupError, which quotes nothing of it."""
    pyrage = _pyrage()
    try:
        with path.open("rb") as file:
            lines = file.read(LARGEST_IDENTITY).decode().splitlines()
        found = [pyrage.x25519.Identity.from_str(line.strip()) for line in lines if line.startswith("AGE-SECRET-KEY-")]
    except OSError as error:
        raise BackupError(f"The identity {path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, pyrage.IdentityError):
        found = []
    if not found:
        raise BackupError(f"{path} contains no age identity, a line that begins with AGE-SECRET-KEY-1.")
    return found


def _pyrage() -> Any:
    if missing := missing_package("pyrage", "stores"):
        raise BackupError(f"Encrypted backups need a package, and {missing}")
    import pyrage  # only here: few processes encrypt

    return pyrage
