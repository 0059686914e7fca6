"""An installation behind https: Django's own checks find nothing, and every answer says to stay with https."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

ROOT = Path(__file__).parents[2]


def checked(folder: Path, url: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CANDOR_DATA": str(folder), "CANDOR_URL": url}
    for of_the_tests in ("DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"):  # the browser tests need the second
        environment.pop(of_the_tests, None)
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.long
def test_deploy_checks_https_find_nothing(tmp_path: Path) -> None:
    found = checked(tmp_path, "https://survey.example.org")
    assert found.returncode == 0, found.stderr


def test_deploy_checks_plain_http_warn(tmp_path: Path) -> None:
    assert "security.W012" in checked(tmp_path, "http://survey.example.org").stderr


@pytest.mark.parametrize("address", ["/s/nothing/", "/panel/", "/static/nothing.js", "/nothing"])
def test_response_https_sends_hsts(db: None, settings: Any, address: str) -> None:
    settings.SECURE_HSTS_SECONDS = 31_536_000
    assert Client().get(address)["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    settings.SECURE_HSTS_SECONDS = 0
    assert "Strict-Transport-Security" not in Client().get(address)


def test_cookies_have_their_prefixes_over_https(tmp_path: Path) -> None:
    """Of __Host- a browser demands https, this host and the whole path; of __Secure- https."""
    script = (
        "from django.conf import settings as s; from config.messages import Storage; "
        "from surveys.panel.accounts.single_sign_on import COOKIE; "
        "print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, Storage.storage_classes[0].cookie_name, "
        "s.LANGUAGE_COOKIE_NAME, COOKIE, "
        "s.SESSION_COOKIE_PATH, s.CSRF_COOKIE_PATH, s.SESSION_COOKIE_DOMAIN, s.CSRF_COOKIE_DOMAIN)"
    )
    environment = os.environ | {"CANDOR_DATA": str(tmp_path), "CANDOR_URL": "https://survey.example.org"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", script]
    asked = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=True)
    names = "__Host-sessionid __Host-csrftoken __Host-messages __Secure-candor_language __Secure-candor_institution"
    assert asked.stdout.split() == [*names.split(), "/", "/", "None", "None"]
