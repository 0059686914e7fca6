"""What somebody who means harm sends to the door, through the whole application: refused before anything is written.

What a body must be, field by field, is in test_parsing.py.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory

from collector.designs import Design
from collector.designs.selectors import is_open
from collector.reports import selectors, storing
from tests.factories import payloads
from tests.tools.door import APPLICATION

NONCE = "0123456789abcdef" * 2
SQL = [
    "' OR '1'='1",
    "campus'; DROP TABLE collector_report; --",
    "y1') UNION SELECT password FROM auth_user --",
    "1; SELECT pg_sleep(10)",
    '" OR ""="',
    "%' ESCAPE '!",
    "\\x27",
]
NUMBERS = "NaN", "Infinity", "-Infinity", "1e999", "-0", "-0.0", str(2**63), "1" * 5_000, "-1", "true", "false"
OTHERS = (
    "null",
    "[]",
    "{}",
    '[["00"]]',
    '"1"',
    '"-1"',
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '"\\u202e00"',
    '"\\u0660\\u0661"',
)

Environ = dict[str, Any]
Sent = tuple[str, int | set[int], bytes, Environ]
"""What it is, the status of the refusal, the body, and what of the request is unusual."""


class Unread:
    """A body of which not a byte may be read."""

    def read(self, *_: int) -> bytes:
        raise AssertionError("the body was read")

    readline = read


def call(body: bytes, **changes: Any) -> tuple[int, dict[str, str], bytes]:
    origin = {"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000"}
    request = RequestFactory().generic("POST", "/s/campus/reports", body, "application/json", headers=origin)
    sent = request.environ | {"CONTENT_TYPE": "application/json"} | changes
    environ = {name: value for name, value in sent.items() if value is not None}
    started: list[Any] = []
    chunks = APPLICATION(environ, lambda *given: started.append(given))
    content = b"".join(chunks)
    if hasattr(chunks, "close"):
        chunks.close()
    return int(started[0][0].split()[0]), dict(started[0][1]), content


def bodies(design: Design) -> Iterator[Sent]:
    fields = payloads.report(design, nonce=NONCE)
    good = json.dumps(fields)
    for name in fields:
        for value in (*NUMBERS, *OTHERS):
            changed = json.dumps(fields | {name: "VALUE"}).replace('"VALUE"', value)
            yield f"{name} is {value[:20]}", 422, changed.encode(), {}
        yield f"{name} twice", 422, f'{good[:-1]}, "{name}": {json.dumps(fields[name])}}}'.encode(), {}
        yield f"{name} twice, escaped", 422, f'{good[:-1]}, "\\u{ord(name[0]):04x}{name[1:]}": ""}}'.encode(), {}
        yield f"{name} missing", 422, json.dumps({n: v for n, v in fields.items() if n != name}).encode(), {}
        for deep in ("[" * 15_000, '{"a":' * 3_000):
            yield f"{name} is deep", 422, json.dumps(fields | {name: "VALUE"}).replace('"VALUE"', deep).encode(), {}
    for statement in SQL:
        yield f"stratum is {statement}", 422, json.dumps(fields | {"stratum": statement}).encode(), {}
    for report in ("0200", "0003", "ff00", "-1-1", "00", "0000000"):
        yield f"report is {report}", 422, json.dumps(fields | {"report": report}).encode(), {}
    yield "a field too many", 422, json.dumps(fields | {"answer": "yes"}).encode(), {}
    yield "a prototype", 422, f'{good[:-1]}, "__proto__": {{}}}}'.encode(), {}
    yield "two documents", 422, (good + good).encode(), {}
    yield "NUL behind it", 422, good.encode() + b"\0", {}
    for charset in ("utf-8-sig", "utf-16", "utf-32"):
        yield charset, 422, good.encode(charset), {}
    yield "latin-1", 422, good.replace("y1", "\xe9").encode("latin-1"), {}
    yield "a lone surrogate", 422, good.replace("y1", "\ud800").encode("utf-8", "surrogatepass"), {}
    zipped = {"HTTP_CONTENT_ENCODING": "gzip"}
    yield "zipped", 422, gzip.compress(good.encode()), zipped
    yield "a bomb", 422, gzip.compress(bytes(10_000_000), 9), zipped


def requests(design: Design) -> Iterator[Sent]:
    good = payloads.body(design, nonce=NONCE)
    yield "10 MB", 413, b"", {"CONTENT_LENGTH": "10000000", "wsgi.input": Unread()}
    for length in (None, "", "-1", "+9", "1e3", "0x10", "9 9", "9, 9"):
        unread = {"CONTENT_LENGTH": length, "wsgi.input": Unread()}
        yield f"length {length!r}", {411, 413}, b"", unread
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True, "CONTENT_LENGTH": None}
    yield "chunked", {411, 413}, good, chunked
    for kind in (
        "application/json; charset=latin-1", "application/json; charset=utf-16", "application/json\r\nX-Sent: 1",
        "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "text/json", "*/*",
    ):  # fmt: skip
        yield f"content type {kind!r}", 415, good, {"CONTENT_TYPE": kind}
    form = f"design={design.digest}&design={'0' * 64}&nonce={NONCE}&stratum=y1&report=0000".encode()
    yield "a form's fields twice", 422, form, {}
    for name in ("HTTP_ORIGIN", "HTTP_SEC_FETCH_SITE"):
        for value in ("http://127.0.0.1:8000\r\nX-Sent: 1", "same-origin\r\nX-Sent: 1", "same-origin, same-origin"):
            yield f"{name} {value!r}", 403, good, {name: value}
    for slug in (
        *SQL,
        "campus\r\nSet-Cookie: a=b",
        "campus\r\n\r\n<x-sent>",
        "campus\0",
        "../s/campus",
        "campus/",
        "cámpus",
    ):
        path = f"/s/{slug}/reports".encode().decode("latin-1")
        yield f"slug {slug!r}", 404, good, {"PATH_INFO": path}
    yield "another survey", 404, good, {"PATH_INFO": "/s/other/reports"}


@pytest.mark.django_db(transaction=True)
def test_endpoint_hostile_bodies_write_nothing(design: Design, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them is refused with its status, in the same few words, and the nonce can be used afterwards."""
    written, found = list[Any](), list[str]()
    insert = storing.insert

    def watched(reports: Any) -> Any:
        written.extend(reports)
        return insert(reports)

    def only_reading(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        assert sql.startswith(("SELECT", "BEGIN")), sql
        return execute(sql, *given)

    monkeypatch.setattr(storing, "insert", watched)
    for number, (what, wanted, body, changes) in enumerate([*bodies(design), *requests(design)]):
        with connection.execute_wrapper(only_reading):
            status, headers, content = call(body, REMOTE_ADDR=f"10.0.0.{number % 250}", **changes)
        if status not in (wanted if isinstance(wanted, set) else {wanted}):
            found.append(f"{what}: {status}, not {wanted}")
        if headers["Content-Type"] == "application/json" and list(json.loads(content)["error"]) != ["field", "message"]:
            found.append(f"{what}: {content!r}")
        if "Set-Cookie" in headers or "X-Sent" in headers or NONCE.encode() in content or b"x-sent" in content:
            found.append(f"{what}: {headers}, {content!r}")
    assert "\n".join(found) == ""
    assert written == []
    polluted = {
        "QUERY_STRING": f"design={'0' * 64}&nonce=1&nonce=2&slug=other",
        "HTTP_X_HTTP_METHOD_OVERRIDE": "DELETE",
    }
    assert call(payloads.body(design, nonce=NONCE), **polluted)[0] == 201
    assert [one.nonce.hex() for one in written] == [NONCE]
    assert selectors.received_count(design.digest) == 1


@pytest.mark.django_db
def test_panel_lists_ignore_sql_in_query_strings(admin_client: Client, design: Design) -> None:
    """What stands in a query string is a value, or nothing: the page comes, or the way to the page without it."""
    for statement in SQL:
        for asked in (
            ["q"],
            ["o", "p"],
            ["state__exact"],
            ["q", "team__id__exact"],
            ["id__in"],
            ["team__users__password"],
        ):
            answer = admin_client.get("/panel/surveys/survey/", dict.fromkeys(asked, statement))
            assert answer.status_code in (200, 302, 400), (asked, statement)
    assert is_open(design.digest)
