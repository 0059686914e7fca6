"""What a test knows of a backup's file."""

import json
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management import call_command

from collector.models import FrozenDesign
from surveys.maintenance import signature, tables


def signed_by(file: Path) -> str:
    """The fingerprint of the installation that signed it."""
    with zipfile.ZipFile(file) as archive:
        return signature.signer(archive.read("manifest.json"), archive.read("signature.json"))


def empty_database() -> None:
    FrozenDesign.objects.filter(closed_on=None).update(closed_on=date(2026, 1, 1))
    call_command("flush", interactive=False, verbosity=0)


def members(file: Path) -> dict[str, bytes]:
    """What an archive holds, but for its time and signature, and for numbers that flush and migrate give anew."""
    with zipfile.ZipFile(file) as archive:
        found = {name: archive.read(name) for name in archive.namelist() if name != "signature.json"}
    manifest = json.loads(found.pop("manifest.json"))
    assert manifest.pop("made_at").endswith("Z")
    for model in tables.MADE_BY_MIGRATE:
        manifest["last_keys"].pop(model._meta.db_table, None)
    return found | {"manifest.json": json.dumps(manifest, sort_keys=True).encode()}


def rewrite(file: Path, changes: dict[str, bytes | None]) -> Path:
    """The archive with other members, in a file beside it; a changed manifest is signed anew by this installation."""
    changed = file.with_name("changed.zip")
    if manifest := changes.get("manifest.json"):
        changes = {"signature.json": signature.sign(manifest)} | changes
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if (content := changes.get(name, old.read(name))) is not None:
                new.writestr(name, content)
    return changed


def manifest_with(file: Path, **changes: Any) -> dict[str, bytes | None]:
    with zipfile.ZipFile(file) as archive:
        return {"manifest.json": json.dumps(json.loads(archive.read("manifest.json")) | changes).encode()}
