"""A program that uses the API: a client with a token."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from surveys.accounts import tokens

PROBLEM = "application/problem+json"


class Program:
    """Speaks JSON to /api/v1/ in the name of a person, or of nobody."""

    def __init__(self, user: User | None = None, scope: str = "write") -> None:
        secret = tokens.make(user, "a program", scope=scope)[1] if user else ""
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        self._client = Client()

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """The answer; the names of headers are written with _ in place of -."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = "" if body is None else body if isinstance(body, str | bytes) else json.dumps(body)
        kind = more.pop("Content-Type", "application/json")
        asked = {"content_type": kind, "headers": self.headers | more}
        return self._client.generic(method, f"/api/v1/{path}", sent, **asked)  # type: ignore[return-value]

    def get(self, path: str, **headers: str) -> Any:
        return self.done("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.done("POST", path, body, **headers)

    def done(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """What was answered, where it was not refused."""
        answer = self(method, path, body, **headers)
        assert answer.status_code < 300, (answer.status_code, answer.content)
        return json.loads(answer.content) if answer.content else None

    def refused(self, status: int, method: str, path: str, body: Any = None, **headers: str) -> dict[str, Any]:
        """The problem, which has the shape of every other."""
        answer = self(method, path, body, **headers)
        assert answer.status_code == status, (answer.status_code, answer.content)
        assert answer["Content-Type"] == PROBLEM
        said: dict[str, Any] = json.loads(answer.content)
        assert {"type", "title", "status", "detail"} <= set(said) <= {"type", "title", "status", "detail", "errors"}
        assert (said["type"], said["status"]) == ("about:blank", status)
        assert said["title"]
        assert said["detail"]
        return said
