"""The address that takes reports: a status and a sentence for everything that can arrive there."""

from io import BytesIO
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client, override_settings
from django.urls import reverse

from collector.designs import Design
from collector.designs.services import close_design
from collector.endpoint.application import Response
from collector.endpoint.parsing import LARGEST_BODY
from collector.reports import selectors
from tests.factories import payloads
from tests.tools.door import DOOR, call, door_with, environ_of, send

pytestmark = pytest.mark.django_db
ADDRESS = reverse("collector:reports", args=["campus"])


def stored(design: Design) -> int:
    return selectors.received_count(design.digest)


def test_endpoint_new_report_201_repeated_200(design: Design) -> None:
    body = payloads.body(design)
    first, second = send(body), send(body)
    assert (first.status, list(first.said)) == (201, ["receipt"])
    assert (second.status, second.said) == (200, first.said)


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "application/json;charset=UTF-8"])
def test_endpoint_json_with_charset_answers_201(design: Design, content_type: str) -> None:
    assert send(payloads.body(design), content_type=content_type).status == 201


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "",
     "application/json,application/json", "application/json, text/plain", "text/plain,application/json"],
)  # fmt: skip
def test_endpoint_other_content_type_answers_415(design: Design, content_type: str) -> None:
    answer = send(payloads.body(design), CONTENT_TYPE=content_type)
    assert answer.status == 415
    assert answer.error == {"field": "Content-Type", "message": "Content-Type must be application/json."}


@pytest.mark.parametrize(
    "headers",
    [
        {"HTTP_ORIGIN": "https://elsewhere.example"},
        {"HTTP_ORIGIN": "null"},
        {"HTTP_ORIGIN": ""},
        {"HTTP_ORIGIN": "http://[::1"},
        {"HTTP_ORIGIN": None},
        {"HTTP_SEC_FETCH_SITE": "cross-site"},
        {"HTTP_SEC_FETCH_SITE": "same-site"},
        {"HTTP_SEC_FETCH_SITE": "none"},
        {"HTTP_ORIGIN": "https://127.0.0.1:8000"},
        {"HTTP_ORIGIN": "http://127.0.0.1"},
        {"HTTP_ORIGIN": "http://127.0.0.1:8001"},
        {"HTTP_ORIGIN": "http://localhost:8000"},
        {"HTTP_ORIGIN": "http://127.0.0.1:8000/"},
        {"HTTP_ORIGIN": "ftp://127.0.0.1:8000"},
        {"HTTP_ORIGIN": "//127.0.0.1:8000"},
        {"HTTP_ORIGIN": "http://me@127.0.0.1:8000"},
        {"HTTP_ORIGIN": "http://127.0.0.1:8000,http://127.0.0.1:8000"},
        {"HTTP_ORIGIN": "http://127.0.0.1:8000, https://elsewhere.example"},
        {"HTTP_SEC_FETCH_SITE": "same-origin,same-origin"},
        {"HTTP_SEC_FETCH_SITE": "same-origin, cross-site"},
        {"HTTP_SEC_FETCH_SITE": ""},
    ],
)
def test_endpoint_cross_site_request_answers_403(design: Design, headers: dict[str, str | None]) -> None:
    assert send(payloads.body(design), **headers).status == 403
    assert stored(design) == 0


@pytest.mark.parametrize(
    ("site", "host", "origin", "status"),
    [
        # Behind what ends https, which may take the port off as well.
        ("https://candor.example", "candor.example", "https://candor.example", 201),
        ("https://candor.example", "candor.example", "http://candor.example", 403),
        ("https://candor.example:443/", "candor.example", "https://candor.example", 201),
        ("https://candor.example:8443", "candor.example", "https://candor.example:8443", 201),
        ("https://candor.example:8443", "candor.example:8443", "https://candor.example:8443", 201),
        ("https://candor.example:8443", "candor.example", "https://candor.example", 403),
        ("https://candor.example", "candor.example:8443", "https://candor.example:8443", 403),
        ("https://candor.example", "Candor.Example", "https://candor.example", 201),
        ("http://candor.example:8000", "candor.example:8000", "http://candor.example:8000", 201),
        ("http://candor.example:8000", "candor.example:8000", "https://candor.example:8000", 403),
        # On the machine itself.
        ("https://candor.example", "localhost:8000", "http://localhost:8000", 201),
        ("https://candor.example", "localhost:8000", "https://candor.example", 403),
        ("https://candor.example", "localhost:8000", "https://localhost:8000", 403),
        ("http://127.0.0.1:8000", "127.0.0.1:18000", "http://127.0.0.1:18000", 201),
        ("http://127.0.0.1:8000", "localhost:8000", "http://localhost:8000", 201),
    ],
)
def test_endpoint_compares_origin_with_scheme_and_port(
    design: Design, settings: Any, site: str, host: str, origin: str, status: int
) -> None:
    settings.CANDOR_URL, settings.ALLOWED_HOSTS = site, ["candor.example", "localhost", "127.0.0.1"]
    assert send(payloads.body(design), HTTP_HOST=host, HTTP_ORIGIN=origin).status == status


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1.elsewhere.example", "", None, "[", "127.0.0.1:80:80"])
def test_endpoint_unknown_host_answers_400(design: Design, host: str | None) -> None:
    answer = send(payloads.body(design), HTTP_HOST=host, HTTP_ORIGIN=f"http://{host}")
    assert (answer.status, answer.error["field"]) == (400, "Host")
    assert stored(design) == 0


def test_endpoint_refusals_answer_status_and_message(design: Design) -> None:
    body = payloads.body(design, nonce="ee" * 16)
    assert send(payloads.body(design, design="0" * 64)).status == 404
    assert send(body, path="/s/another/reports").status == 404
    refused = send(payloads.body(design, report="0200"))
    assert refused.status == 422
    assert refused.error == {"field": "report", "message": "report: symbol 0 must be from 0 to 1; got 2."}
    assert send(body).status == 201
    assert send(payloads.body(design, nonce="ee" * 16, report="0101")).status == 409
    close_design(design.digest)
    assert send(payloads.body(design)).status == 410
    assert stored(design) == 1


class Unread:
    """A body that nobody may touch."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("the body is read")


@pytest.mark.parametrize(
    ("length", "status"),
    [("16385", 413), ("9" * 20, 413), (None, 411), ("", 411), ("-1", 411), ("1e3", 411), ("²", 411)],
)
def test_endpoint_checks_length_before_reading_body(design: Design, length: str | None, status: int) -> None:
    environ = environ_of(b" ", CONTENT_LENGTH=length) | {"wsgi.input": Unread()}
    answers: list[str] = []
    DOOR(environ, lambda status, headers: answers.append(status))
    assert answers[0].startswith(str(status))


def test_endpoint_large_body_answers_413_with_limit(design: Design) -> None:
    answer = send(b" " * 20_000)
    assert answer.status == 413
    assert answer.error["message"] == f"The body must be at most {LARGEST_BODY} bytes; got 20000."


def test_endpoint_truncated_body_answers_400(design: Design) -> None:
    body = payloads.body(design)
    environ = environ_of(body, CONTENT_LENGTH=str(len(body) + 1))
    environ["wsgi.input"] = BytesIO(body)
    assert call(environ).status == 400
    assert stored(design) == 0


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
def test_endpoint_other_methods_answer_405(design: Design, method: str) -> None:
    answer = send(b"", method=method)
    assert (answer.status, answer.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "path", ["/s/campus/reports/", "/s/cam pus/reports", "/s//reports", "/s/campus/reports\n", "//s/campus/reports"]
)
def test_endpoint_other_path_is_left_to_django(design: Design, path: str) -> None:
    assert send(payloads.body(design), PATH_INFO=path).status == 404


@pytest.mark.parametrize("secure", [0, 31_536_000])
def test_endpoint_sends_same_headers_as_django(design: Design, secure: int) -> None:
    """Two ways to the browser, one set of headers."""
    with override_settings(SECURE_HSTS_SECONDS=secure):
        django = dict(Client().get(ADDRESS).headers)
        answers = [send(payloads.body(design)), send(b"", CONTENT_TYPE="text/plain"), send(b"", HTTP_HOST="elsewhere")]
    for name in ("Allow", "Content-Type", "Content-Length"):
        django.pop(name, None)
    assert [answer.status for answer in answers] == [201, 415, 400]
    for answer in answers:
        own = {name: value for name, value in answer.headers.items() if not name.startswith("Content-T")}
        assert int(own.pop("Content-Length")) == len(answer.content)
        assert answer.headers["Content-Type"] == "application/json"
        assert own == django


def test_endpoint_error_does_not_quote_nonce(design: Design) -> None:
    answer = send(payloads.body(design, nonce="not a nonce"))
    assert answer.error == {"field": "nonce", "message": "nonce must be 32 hex digits."}


class Failing:
    """A writer that fails, in words which quote what it was given."""

    def __init__(self, kind: type[Exception]) -> None:
        self.kind = kind

    def put(self, report: Any, then: Any = None) -> Any:
        raise self.kind(f"failing row contains {report.nonce.hex()}")

    submit = put


@pytest.mark.parametrize("kind", [OperationalError, KeyError])
def test_endpoint_store_error_503_log_without_report(design: Design, kind: type[Exception], caplog: Any) -> None:
    caplog.set_level("DEBUG")
    sent = payloads.report(design)
    environ = environ_of(payloads.body(design, **sent), HTTP_USER_AGENT="a browser", REMOTE_ADDR="192.0.2.77")
    answer = call(environ, door_with(Failing(kind)))
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert answer.error == {"field": "report", "message": "The response could not be stored. Please try again."}
    assert f"a report could not be looked at: {kind.__name__}" in caplog.text
    assert not any(word in caplog.text for word in (sent["nonce"], sent["report"], "a browser", "192.0.2.77", "campus"))
    assert sent["nonce"] not in answer.content.decode()


@pytest.mark.parametrize("kind", [OperationalError, KeyError])
def test_endpoint_submit_answers_like_blocking_call(design: Design, kind: type[Exception]) -> None:
    body = payloads.body(design)
    answers: list[Response] = []
    for door in (DOOR, DOOR, door_with(Failing(kind))):
        door.submit(environ_of(body), answers.append)
    DOOR.submit(environ_of(b"{}"), answers.append)
    assert [answer.status for answer in answers] == [201, 200, 503, 422]
    assert answers[1].content == send(body).content
    assert dict(answers[2].headers)["Retry-After"] == "5"
