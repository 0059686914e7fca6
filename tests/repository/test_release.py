"""A release: built from a commit to the same bytes, its parts those of the lock file, refused where it was changed."""

import importlib.machinery
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from base64 import b64encode
from collections.abc import Callable
from hashlib import blake2b, sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.management import CommandError, call_command

from surveys.transparency import minisign

ROOT = Path(__file__).parents[2]
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NAME = b"candor\x00\x01"
PUBLIC = b64encode(b"Ed" + NAME + KEY.public_key().public_bytes_raw()).decode()


def program(name: str = "release") -> ModuleType:
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "bin" / name))
    found = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))  # type: ignore[arg-type]
    loader.exec_module(found)
    return found


def signed(content: bytes, comment: str = "timestamp:1764000000\tfile:SHA256SUMS") -> str:
    """A signature file as minisign writes it."""
    made = KEY.sign(blake2b(content).digest())
    above = KEY.sign(made + comment.encode())
    first = b64encode(b"ED" + NAME + made).decode()
    return f"untrusted comment: of a test\n{first}\ntrusted comment: {comment}\n{b64encode(above).decode()}\n"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Three files with their signed checksums."""
    folder = tmp_path / "release"
    folder.mkdir()
    for name in ("candor-1.0.tar.gz", "candor-1.0.cdx.json", "randomized_response-1.0-py3-none-any.whl"):
        (folder / name).write_bytes(name.encode() * 10)
    files = sorted(folder.iterdir())
    sums = "".join(f"{sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in files).encode()
    (folder / "SHA256SUMS").write_bytes(sums)
    (folder / "SHA256SUMS.minisig").write_text(signed(sums))
    return folder


def test_signature_of_minisign_itself_is_verified() -> None:
    """Made by minisign 0.11: `minisign -Sm test -t "timestamp:1764000000 file:test"`, of a file with the word test."""
    key = minisign.read_key("RWQChCYk0td1QdQLQ6aDh9u8rkdjKUfAhw0xZIYYRAp3wr3KbnC//y/L")
    signature = (
        "untrusted comment: signature from minisign secret key\n"
        "RUQChCYk0td1QSQUnFX76U9+bhaQOwb6koyVK1OHZwjVtjsJ4KBLy3tnfXnGjr20NoBUJ0QTy/wSPnRkIM1oYNl9sAH59DbooQw=\n"
        "trusted comment: timestamp:1764000000 file:test\n"
        "3CcXCChG8UVe3ZJ8Ihajd8ReAWJFdk6nw9XQpm2ZLBFP/sZaaDB2SbYtrcGSmySmAoqDsdwy3xhFigWyWkOuDg==\n"
    )
    assert minisign.verify(b"test", signature, key) == "timestamp:1764000000 file:test"
    with pytest.raises(ValueError, match="not of this file"):
        minisign.verify(b"Test", signature, key)


def test_release_as_it_was_signed_passes(release: Path, tmp_path: Path) -> None:
    said = io.StringIO()
    (tmp_path / "candor.pub").write_text(f"untrusted comment: minisign public key\n{PUBLIC}\n")
    for key in (PUBLIC, str(tmp_path / "candor.pub")):
        call_command("verify_release", str(release), "--key", key, stdout=said)
    assert said.getvalue().startswith("3 files are as they were signed (timestamp:1764000000\tfile:SHA256SUMS).")


def _edited(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))  # type: ignore[return-value]


def _resigned(folder: Path) -> None:
    """By somebody else's key of the same name."""
    other, sums = Ed25519PrivateKey.from_private_bytes(bytes(32)), (folder / "SHA256SUMS").read_bytes()
    made = other.sign(blake2b(sums).digest())
    lines = [b64encode(b"ED" + NAME + made).decode(), "trusted comment: x", b64encode(other.sign(made + b"x")).decode()]
    (folder / "SHA256SUMS.minisig").write_text("\n".join(["untrusted comment: x", *lines]) + "\n")


def _link(folder: Path) -> None:
    wheel = folder / "candor-1.0.tar.gz"
    kept = wheel.rename(folder.parent / "kept")
    wheel.symlink_to(kept)


TAMPERED: dict[str, Callable[[Path], Any]] = {
    "a byte of the source": _edited("candor-1.0.tar.gz", lambda content: b"x" + content[1:]),
    "the source cut short": _edited("candor-1.0.tar.gz", lambda content: content[:-1]),
    "the source made longer": _edited("candor-1.0.tar.gz", lambda content: content + b"\n"),
    "the wheel": _edited("randomized_response-1.0-py3-none-any.whl", lambda content: content[::-1]),
    "the list of parts": _edited("candor-1.0.cdx.json", lambda content: content.upper()),
    "a file is missing": lambda folder: (folder / "candor-1.0.cdx.json").unlink(),
    "a file more": lambda folder: (folder / "install.sh").write_text("curl"),
    "a link in place of a file": _link,
    "two files exchanged": lambda folder: shutil.copy(folder / "candor-1.0.cdx.json", folder / "candor-1.0.tar.gz"),
    "the checksums and the file": lambda folder: [
        _edited("candor-1.0.tar.gz", lambda content: b"x" + content[1:])(folder),
        (folder / "SHA256SUMS").write_text((folder / "SHA256SUMS").read_text().replace("0", "1")),
    ],
    "a line of the checksums away": _edited("SHA256SUMS", lambda content: content.partition(b"\n")[2]),
    "no signature": lambda folder: (folder / "SHA256SUMS.minisig").unlink(),
    "an empty signature": _edited("SHA256SUMS.minisig", lambda content: b""),
    "another trusted comment": _edited("SHA256SUMS.minisig", lambda content: content.replace(b"1764", b"1765")),
    "a signature by somebody else": _resigned,
}


@pytest.mark.parametrize("change", TAMPERED)
def test_tampered_release_is_refused(release: Path, change: str) -> None:
    TAMPERED[change](release)
    with pytest.raises(CommandError, match="The release is not to be trusted") as refused:
        call_command("verify_release", str(release), "--key", PUBLIC)
    assert refused.value.returncode == 1


def test_parts_are_those_of_the_lock_file() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    parts = program().list_of_parts(lock, "1.0")["components"]
    pinned = {
        line.split()[0].lower().replace("_", "-") for line in lock.splitlines() if "==" in line and line[0].isalnum()
    }
    assert {f"{one['name']}=={one['version']}" for one in parts} == pinned
    assert len(parts) > 50
    assert sum(len(one["hashes"]) for one in parts) == lock.count("--hash=sha256:")
    assert program().list_of_parts(lock, "1.0") == program().list_of_parts(lock, "1.0")


def test_root_of_an_image_has_what_the_dockerfile_copies() -> None:
    file = (ROOT / "Dockerfile").read_text()
    code = file.partition(" AS code\n")[2].partition("\nFROM ")[0]
    assert tuple(re.findall(r"^COPY (\S+) \S+$", code, re.MULTILINE)) == program().CODE
    assert "--invalidation-mode unchecked-hash ." in code, "compiled files that say no time"
    assert "**/*.po" in (ROOT / ".dockerignore").read_text().splitlines(), "a release leaves them out, too"
    assert tuple(re.findall(r"^RUN python bin/image-packages (\S+) /packages$", file, re.MULTILINE)) == program().IMAGES


def test_packages_of_an_image_are_without_what_is_never_run(tmp_path: Path) -> None:
    kept = [
        "botocore/data/s3/api.json",
        "botocore/data/endpoints.json",
        "numpy/core.py",
        "a/__init__.py",
        "a/tests/x.py",
    ]
    others = ["botocore/data/ec2/api.json", "numpy/lib/tests/test_x.py", "a/x.pyi", "a/de/LC_MESSAGES/x.po", "bin/a"]
    kept += ["a/de/LC_MESSAGES/x.mo", "django/contrib/admin/apps.py"]
    others += ["boto3/data/ec2/resources.json", "a/x.h", "rest_framework/static/x.css"]
    others += ["a/pt/LC_MESSAGES/x.mo", "django/contrib/gis/apps.py"]
    for name in [*kept, *others]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    record = tmp_path / "a-1.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("../../bin/a,sha256=x,1\na/__init__.py,sha256=y,0\n")
    program("image-packages").leave_out("web", tmp_path)
    assert {str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*") if one.is_file()} == {
        *kept, "a-1.dist-info/RECORD"
    }  # fmt: skip
    assert {code for code, _ in settings.LANGUAGES} == set(program("image-packages").LANGUAGES)
    assert record.read_text() == "a/__init__.py,sha256=y,0\n"
    assert all(any(one.iterdir()) for one in tmp_path.rglob("*") if one.is_dir())


@pytest.mark.long
def test_two_builds_have_the_same_bytes(tmp_path: Path) -> None:
    """From two clones at different places, under another umask, language and zone."""
    found, source = [], ROOT
    for number, more in enumerate(({"TZ": "UTC"}, {"TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8", "USER": "somebody"})):
        clone, into = tmp_path / f"clone{number}", tmp_path / f"built{number}"
        subprocess.run(["git", "clone", "-q", str(source), str(clone)], check=True)
        source = clone  # of the same commit, whatever is committed meanwhile
        asked = [sys.executable, "bin/release", "--into", str(into)]
        subprocess.run(asked, cwd=clone, env=os.environ | more, check=True, umask=number * 0o77)
        found.append({one.name: sha256(one.read_bytes()).hexdigest() for one in into.iterdir()})
    assert found[0] == found[1]
    assert len(found[0]) == 8
    parts = next(json.loads(one.read_text()) for one in (tmp_path / "built0").glob("*.cdx.json"))
    assert parts["bomFormat"] == "CycloneDX"
    root = next((tmp_path / "built0").glob("*-web-*.tar.gz"))
    with tarfile.open(root) as tar:
        names, modes = set(tar.getnames()), {one.mode for one in tar.getmembers()}
    assert {"candor/manage.py", "candor/build/help/index.html", "packages/django/__init__.py"} <= names
    assert not {one for one in names if not one.startswith(("candor/", "packages/"))}
    assert modes <= {0o644, 0o755}
