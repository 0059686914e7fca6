"""The static files as they are collected: compressed once, whole, and only under the names that pages ask for."""

import gzip
from pathlib import Path

import pytest

from config.storage import ModuleManifestStorage

STYLE = "p { color: #123456; }\n" * 100


def collect(place: Path) -> None:
    storage = ModuleManifestStorage(location=place, base_url="/static/")
    (place / "base.css").write_text(STYLE)
    list(storage.post_process({"base.css": (storage, "base.css")}))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    collect(tmp_path)
    return tmp_path


def test_static_file_is_compressed_under_hashed_name(place: Path) -> None:
    (packed,) = place.glob("*.gz")
    assert packed.name != "base.css.gz"
    assert gzip.decompress(packed.read_bytes()).decode() == STYLE
    names = {path.name for path in place.iterdir()}
    hashed = packed.name.removesuffix(".gz")
    assert names == {"base.css", "staticfiles.json", hashed, f"{hashed}.gz", f"{hashed}.br"}


def test_static_file_of_same_content_stays_compressed(place: Path) -> None:
    (packed,) = place.glob("*.gz")
    packed.write_bytes(b"made before")
    collect(place)
    assert packed.read_bytes() == b"made before"


def test_static_file_half_compressed_is_compressed_anew(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends while it writes leaves nothing under the name that is served."""
    for packed in [*place.glob("*.gz"), *place.glob("*.br")]:
        packed.unlink()

    def killed(self: Path, target: str) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            collect(place)
    assert not [*place.glob("*.gz"), *place.glob("*.br")]
    collect(place)
    (packed,) = place.glob("*.gz")
    assert gzip.decompress(packed.read_bytes()).decode() == STYLE
