"""The help pages at /panel/help/: files of one folder, public, with their types; a sentence where there is none."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from config.help_site import CONTENT_TYPES
from config.middleware import PANEL_POLICY
from config.rate_limits import LIMITED

pytestmark = pytest.mark.django_db

FILES = {
    "index.html": b"<h1>Start</h1>",
    "how-to/analyse.html": b"<h1>Analyse</h1>" + b"<p>text</p>" * 100,
    "assets/bundle.a5f9d56c.min.js": b"let x",
    "search/search_index.json": b"{}",
    "examples/client.py": b"import this",
    "images/panel.png": b"\x89PNG",
}
OUTSIDE = (
    "../secret.txt",
    "..%2Fsecret.txt",
    "how-to/../../secret.txt",
    "%2e%2e/secret.txt",
    "/etc/hostname",
    "link.txt",
    "a\0b",
    "x" * 5000,
    "how-to",
    "how-to/",
    "missing.html",
)


@pytest.fixture
def site(tmp_path: Path, settings: Any) -> Path:
    settings.HELP_SITE = folder = tmp_path / "help"
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    return folder


@pytest.mark.parametrize("name", FILES)
def test_help_file_has_its_content_and_type(site: Path, client: Client, name: str) -> None:
    response = client.get(f"/panel/help/{name}")
    assert (response.status_code, response.content) == (200, FILES[name])
    assert response["Content-Type"] == CONTENT_TYPES.get(Path(name).suffix, "text/plain; charset=utf-8")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == PANEL_POLICY
    assert not response.cookies


def test_help_start_is_index_page(site: Path, client: Client) -> None:
    assert client.get("/panel/help/").content == FILES["index.html"]


@pytest.mark.parametrize("name", OUTSIDE, ids=lambda name: name[:30])
def test_help_outside_its_folder_is_missing(site: Path, client: Client, name: str) -> None:
    response = client.get(f"/panel/help/{name}")
    assert response.status_code == 404
    assert b"secret" not in response.content
    assert "There is no help page at this address" in response.content.decode()


def test_help_not_built_says_how(tmp_path: Path, client: Client, settings: Any) -> None:
    settings.HELP_SITE = tmp_path / "nothing"
    for path in ("/panel/help/", "/panel/help/how-to/analyse.html"):
        response = client.get(path)
        assert response.status_code == 404
        assert "make docs" in response.content.decode()


def test_help_page_unchanged_is_not_sent_again(site: Path, client: Client) -> None:
    path = "/panel/help/how-to/analyse.html"
    first = client.get(path)
    assert first["Cache-Control"] == "no-cache"
    assert client.get(path, headers={"If-None-Match": first["ETag"]}).status_code == 304
    (site / "how-to" / "analyse.html").write_bytes(b"other")
    assert client.get(path, headers={"If-None-Match": first["ETag"]}).content == b"other"


def test_help_file_named_by_hash_is_kept_a_year(site: Path, client: Client) -> None:
    kept = client.get("/panel/help/assets/bundle.a5f9d56c.min.js")["Cache-Control"]
    assert {"immutable", "public", "max-age=31536000"} == set(kept.split(", "))


def test_help_page_is_compressed_on_request(site: Path, client: Client) -> None:
    response = client.get("/panel/help/how-to/analyse.html", headers={"Accept-Encoding": "gzip"})
    assert response["Content-Encoding"] == "gzip"
    assert len(response.content) < len(FILES["how-to/analyse.html"])


def test_help_takes_get_and_head_alone(site: Path, client: Client) -> None:
    assert client.head("/panel/help/").status_code == 200
    assert client.post("/panel/help/").status_code == 405


def test_help_needs_no_second_factor(site: Path, client: Client, alice: User, settings: Any) -> None:
    """Who has to set one up can read how."""
    settings.CANDOR_SECOND_FACTOR = "required"
    client.force_login(alice)
    assert client.get("/panel/surveys/survey/").status_code == 302
    assert client.get("/panel/help/").status_code == 200


def test_help_pages_are_no_counted_files() -> None:
    assert not any(path.fullmatch("/panel/help/index.html") for _, _, path in LIMITED)
    assert any(path.fullmatch("/panel/run/abc/report.html") for _, _, path in LIMITED)


def test_help_folder_is_where_it_is_built() -> None:
    script = Path(settings.ROOT, "bin/build-help").read_text()
    assert 'BUILD = ROOT / "build"' in script
    assert 'BUILD / "help"' in script
    assert Path(settings.ROOT) / "build" / "help" == settings.HELP_SITE
