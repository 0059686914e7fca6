"""One version everywhere: in the library, the panel, at /healthz, on the images, and in what is cited."""

import re
from pathlib import Path

import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client

from randomized_response import __version__

ROOT = Path(__file__).resolve().parents[2]


def test_version_is_cited() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == __version__
    assert {"cff-version", "message", "title", "authors", "license"} <= set(cited)


def test_version_is_on_the_images() -> None:
    labels = re.findall(r'org\.opencontainers\.image\.version="([^"]*)"', (ROOT / "Dockerfile").read_text())
    assert labels == [__version__]


def test_version_is_told_to_monitoring() -> None:
    assert Client().get("/healthz").content.decode() == f"ok {__version__}\n"


@pytest.mark.django_db
def test_version_is_in_the_panel(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert f"Randomised surveys {__version__}" in client.get("/panel/", follow=True).content.decode()
