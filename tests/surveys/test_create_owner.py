"""`manage.py create_owner`: the first account of an installation, with a password that no command line holds."""

import getpass
import io
import json
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from surveys.management.base import REFUSED, USAGE
from surveys.models import AuditEntry

PASSWORD = "seven green bottles"
pytestmark = pytest.mark.django_db


def created(*words: object) -> dict[str, str]:
    out = io.StringIO()
    call_command("create_owner", *words, "--json", stdout=out)
    return json.loads(out.getvalue())


def refusal(*words: object) -> CommandError:
    with pytest.raises(CommandError) as caught:
        call_command("create_owner", *words, stdout=io.StringIO())
    assert not User.objects.filter(username="ada").exists()
    return caught.value


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.write_text(f"{PASSWORD}\nanother line\n")
    return path


def test_create_owner_from_file_signs_in(file: Path) -> None:
    told = created("ada", "--email", "ada@example.org", "--password-from", file)
    assert told == {"name": "ada", "panel": "http://127.0.0.1:8000/panel/"}
    ada = User.objects.get()
    assert (ada.email, ada.is_staff, ada.is_superuser) == ("ada@example.org", True, True)
    answer = Client().post(reverse("admin:login"), {"username": "ada", "password": PASSWORD, "next": "/panel/"})
    assert (answer.status_code, answer["Location"]) == (302, "/panel/")
    entry = AuditEntry.objects.get(act="created an account")
    assert (entry.name, entry.detail) == ("", "ada, with access to all surveys")


def test_create_owner_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}\n"))
    created("ada", "--password-from", "-")
    assert User.objects.get().check_password(PASSWORD)


def test_create_owner_asks_twice_on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    typed = iter([PASSWORD, "seven green bottlas", PASSWORD, PASSWORD])
    monkeypatch.setattr(getpass, "getpass", lambda prompt: next(typed))
    assert "differ" in str(refusal("ada"))
    created("ada")
    assert User.objects.get().check_password(PASSWORD)


def test_create_owner_without_terminal_names_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}\n"))
    fault = refusal("ada")
    assert "--password-from FILE" in str(fault)
    assert fault.returncode == USAGE


def test_create_owner_link_signs_in_once() -> None:
    link = created("ada", "--link")["link"]
    assert not User.objects.get().has_usable_password()
    code = link.partition("#")[2]
    answers = [Client().post(reverse("sign-in"), {"code": code}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 403]


@pytest.mark.parametrize(
    ("name", "email", "password", "said"),
    [
        ("ada", "", "green", "at least 12 characters"),
        ("ada", "", "password1234", "too common"),
        ("ada", "nothing", PASSWORD, "email: Enter a valid email address."),
        ("ada lovelace", "", PASSWORD, "name: Enter a valid username."),
        ("", "", PASSWORD, "name: This field cannot be blank."),
    ],
)
def test_create_owner_refuses(name: str, email: str, password: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(password)
    fault = refusal(name, "--email", email, "--password-from", file)
    assert said in str(fault)
    assert password not in str(fault)
    assert fault.returncode == REFUSED


def test_create_owner_taken_name_is_refused(file: Path) -> None:
    created("ada", "--password-from", file)
    with pytest.raises(CommandError, match=r"The account 'ada' already exists\. .* changepassword ada"):
        created("ada", "--link")
    assert User.objects.get().has_usable_password()
