"""A token may what its person may, and one that reads changes nothing: at every address of the API.

Sessions are asked for by test_access.py, from the same rows.
"""

import json
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from surveys.people import tokens
from tests.panel.test_access import METHODS, ROWS, Cast, cast, expected, verdict

pytestmark = pytest.mark.django_db
API = {name: row for name, row in ROWS.items() if name.startswith("api:")}
WHO = "stranger", "viewer", "editor", "owner"

__all__ = ["cast"]


def faults(cast: Cast, who: str, scope: str) -> Iterator[str]:
    user = User.objects.get(pk=cast.clients[who].session["_auth_user_id"])
    client = Client(headers={"Authorization": f"Bearer {tokens.make(user, who, scope=scope)[1]}"})
    for name, row in API.items():
        there, missing = cast.requests(name, row)
        for method in METHODS:
            answers = []
            for address, body in (there, missing):
                with transaction.atomic():
                    sent = "" if method == "GET" else json.dumps(body)
                    answers.append(client.generic(method, address, sent, content_type="application/json"))
                    transaction.set_rollback(True)
            found, wanted = verdict(answers[0]), expected(who, cast.held[who], row, method, True)  # type: ignore[arg-type]
            if scope == "read" and method != "GET":
                wanted = "refused"
            if found != wanted:
                yield f"{who} with {scope}: {method} {name} is {found} ({answers[0].status_code}), not {wanted}"
            if wanted == "missing" and answers[0].content != answers[1].content:
                yield f"{who} with {scope}: {method} {name} tells whether it is there"
            if answers[0].status_code >= 400 and answers[0]["Content-Type"] != "application/problem+json":
                yield f"{method} {name}: {answers[0].status_code} is no problem document"


@pytest.mark.parametrize("scope", ["read", "write"])
def test_every_address_with_a_token(cast: Cast, scope: str) -> None:
    assert "\n".join(fault for who in WHO for fault in faults(cast, who, scope)) == ""
