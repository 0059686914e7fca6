"""What a test knows of a backup's file."""

import zipfile
from pathlib import Path

from surveys.maintenance import signature


def signed_by(file: Path) -> str:
    """The fingerprint of the installation that signed it."""
    with zipfile.ZipFile(file) as archive:
        return signature.signer(archive.read("manifest.json"), archive.read("signature.json"))
