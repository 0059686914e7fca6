"""A token may what its person may, and one that reads changes nothing: at every address of the API.

Sessions are asked for by test_access.py, from the same rows.
"""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.accounts import tokens
from tests.panel.access import METHODS, ROWS, Cast, ask, expected, verdict
from tests.tools.gate import few

pytestmark = pytest.mark.django_db
API = {name: row for name, row in ROWS.items() if name.startswith("api:")}


def faults(cast: Cast, who: str, scope: str, methods: tuple[str, ...]) -> Iterator[str]:
    user = User.objects.get(pk=cast.clients[who].session["_auth_user_id"])
    client = Client(headers={"Authorization": f"Bearer {tokens.make(user, who, scope=scope)[1]}"})
    for name, row in API.items():
        there, missing = cast.requests(name, row)
        for method in methods:
            answer = ask(client, method, *there)
            found, wanted = verdict(answer), expected(who, cast.held[who], row, method, True)
            if scope == "read" and method != "GET":
                wanted = "refused"
            if found != wanted:
                yield f"{who} with {scope}: {method} {name} is {found} ({answer.status_code}), not {wanted}"
            if wanted == "missing" and answer.content != ask(client, method, *missing).content:
                yield f"{who} with {scope}: {method} {name} tells whether it is there"
            if answer.status_code >= 400 and answer["Content-Type"] != "application/problem+json":
                yield f"{who} with {scope}: {method} {name}: {answer.status_code} is no problem document"


EVERYBODY = "no staff", "stranger", "viewer", "analyst", "editor", "owner", "superuser"


@pytest.mark.parametrize("who", few(EVERYBODY, slice(1, 3)))
def test_api_write_token_access_by_role(cast: Cast, who: str) -> None:
    assert "\n".join(faults(cast, who, "write", METHODS if who == "owner" else METHODS[:2])) == ""


@pytest.mark.parametrize("who", few(EVERYBODY, slice(1, 3)))
def test_api_read_token_access_by_role(cast: Cast, who: str) -> None:
    assert "\n".join(faults(cast, who, "read", METHODS if who == "owner" else METHODS[:2])) == ""
