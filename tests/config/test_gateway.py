"""The gateway: what it makes of a request, and that nobody holds it up."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from django.utils.asyncio import async_unsafe

from collector.endpoint.application import ReportEndpoint, Response
from collector.errors import RequestRefused
from config import gateway
from config.gateway import Gateway, ReportFutures, deadline_of, environ_of

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: in this one a browser's tests may have left an event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class Proto:
    """What the server gives for an answer; its body comes after some seconds."""

    def __init__(self, body: bytes = b"", seconds: float = 0) -> None:
        self.body, self.seconds, self.reads = body, seconds, 0
        self.answers: list[tuple[int, dict[str, str], bytes]] = []

    async def __call__(self) -> bytes:
        self.reads += 1
        await asyncio.sleep(self.seconds)
        return self.body

    def response_bytes(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.answers.append((status, dict(headers), content))


class Stub:
    """A door that answers every report with its body, and everything else with a word."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        start("200 OK", [("A", "b")])
        return [environ["wsgi.input"].read()]

    def takes(self, environ: dict[str, Any]) -> bool:
        return bool(environ["PATH_INFO"] == "/s/campus/reports")

    def submit(self, environ: dict[str, Any], then: Callable[[Response], None]) -> None:
        self.bodies.append(environ["wsgi.input"].read())
        then(Response(201, [], self.bodies[-1]))

    submit_at_once = submit

    refuse = ReportEndpoint.refuse
    _answer = ReportEndpoint._answer

    def _headers(self, path: str) -> dict[str, str]:
        return {"Everywhere": path}


def scope_of(path: str = "/s/campus/reports", method: str = "POST", client: str = "192.0.2.7:5", **headers: str) -> Any:
    pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return SimpleNamespace(
        client=client, server="127.0.0.1:8000", method=method, path=path, query_string="a=b", http_version="1.1",
        scheme="http", headers=SimpleNamespace(items=lambda: pairs),
    )  # fmt: skip


def ask(scope: Any, proto: Proto, places: int = 64) -> tuple[int, dict[str, str], bytes]:
    run(Gateway(Stub(), places=places).__rsgi__(scope, proto))  # type: ignore[arg-type]
    (answer,) = proto.answers
    return answer


def test_gateway_passes_body_of_report_and_page() -> None:
    assert ask(scope_of(content_length="2"), Proto(b"{}")) == (201, {}, b"{}")
    assert ask(scope_of("/panel/", content_length="3"), Proto(b"a=b")) == (200, {"A": "b"}, b"a=b")


@pytest.mark.parametrize(
    "parameters",
    ["charset=punycode", "charset=zlib", 'charset="idna"', "CHARSET = utf-16",
     "charset*=zz''x", "boundary*=zz''B; charset=utf-8"],
)  # fmt: skip
def test_gateway_other_charset_answers_415_unread(parameters: str) -> None:
    """Its decoder would be one that the sender chose: 1 MB said to be Punycode takes minutes."""
    proto = Proto(b"a=b")
    for path in ("/panel/login/", "/api/v1/surveys/", "/s/campus/reports"):
        proto.answers.clear()
        asked = scope_of(path, content_type=f"multipart/form-data; boundary=B; {parameters}", content_length="3")
        status, _, content = ask(asked, proto)
        assert (status, proto.reads, b"must be utf-8" in content) == (415, 0, True)
    for usual in ("utf-8", '"UTF-8"', "utf8; boundary=B"):
        asked = scope_of("/panel/", content_type=f"application/json; charset={usual}", content_length="3")
        assert ask(asked, Proto(b"a=b"))[0] == 200


def test_gateway_slow_body_answers_408(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "DEADLINE", 0.05)
    for path in ("/s/campus/reports", "/panel/login/"):
        status, headers, content = ask(scope_of(path, content_length="2"), Proto(b"{}", seconds=30))
        assert (status, headers["Everywhere"]) == (408, path)
        assert b"The body must be here within 0.05 seconds." in content


def test_gateway_deadline_grows_with_length() -> None:
    assert [deadline_of(length) for length in (1, 16_384, 16_384 + 640 * 1024)] == [10, 10, 20]


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("GET", {"content_length": "9"}),
        ("POST", {}),
        ("POST", {"transfer_encoding": "chunked"}),
        ("POST", {"content_length": "1e3"}),
        ("POST", {"content_length": "0" * 5000 + "2"}),
        ("POST", {"content_length": "16385"}),
    ],
)
def test_gateway_unwanted_body_is_not_read(method: str, headers: dict[str, str]) -> None:
    proto = Proto(b"{}")
    assert ask(scope_of("/s/campus/", method, **headers), proto)[2] == b""
    assert proto.reads == 0


def test_gateway_large_upload_is_not_read() -> None:
    proto = Proto()
    ask(scope_of("/panel/upload/", content_length="5000001"), proto)
    assert proto.reads == 0


def test_gateway_truncated_body_answers_400() -> None:
    assert ask(scope_of(content_length="3"), Proto(b"{}"))[0] == 400


def test_gateway_slow_address_keeps_half_of_places() -> None:
    door = Stub()

    async def attack() -> list[int]:
        front = Gateway(door, places=8)  # type: ignore[arg-type]
        slow = [Proto(b"{}", 30) for _ in range(8)]
        tasks = [asyncio.create_task(front.__rsgi__(scope_of(content_length="2"), one)) for one in slow]
        await asyncio.sleep(0.1)
        other = Proto(b"[]")
        await front.__rsgi__(scope_of(client="192.0.2.8:5", content_length="2"), other)
        for task in tasks:
            task.cancel()
        return [answer[0] for proto in (*slow, other) for answer in proto.answers]

    assert run(attack()) == [503] * 4 + [201]
    assert door.bodies == [b"[]"]


def test_gateway_page_requests_alternate_by_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may wait for half of what is free, and its turns alternate with those of others."""
    monkeypatch.setattr(gateway.connections, "connection_limit", lambda: 8)
    answered: list[str] = []

    class Slow(Stub):
        def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
            time.sleep(0.02)
            answered.append(environ["REMOTE_ADDR"])
            return super().__call__(environ, start)

    async def attack() -> list[int]:
        front = Gateway(Slow(), threads=1)  # type: ignore[arg-type]
        asked = [("192.0.2.7:5", Proto()) for _ in range(8)] + [("192.0.2.8:5", Proto())]
        await asyncio.gather(*(front.__rsgi__(scope_of("/panel/", "GET", client), one) for client, one in asked))
        return [one.answers[0][0] for _, one in asked]

    assert run(attack()) == [200] * 4 + [503] * 4 + [200]
    assert answered == ["192.0.2.7"] * 2 + ["192.0.2.8"] + ["192.0.2.7"] * 2


def test_gateway_environ_holds_request_headers() -> None:
    pairs = [("host", "x"), ("content-type", "a"), ("content-type", "b"), ("x_forwarded_for", "1"), ("cookie", "a=1")]
    scope = scope_of("/s/caf\u00e9", client="[2001:db8::1]:443")
    scope.headers.items = lambda: [*pairs, ("cookie", "b=2")]
    environ = environ_of(scope)
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/s/caf\u00e9"
    assert environ["CONTENT_TYPE"] == "a,b", "twice is neither of them"
    assert environ["HTTP_COOKIE"] == "a=1; b=2"
    assert environ["REMOTE_ADDR"] == "2001:db8::1"
    assert "HTTP_X_FORWARDED_FOR" not in environ, "an underscore would look like a hyphen"
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"]) == ("127.0.0.1", "8000")


def test_gateway_application_error_500_without_details(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Stub):
        def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
            raise ValueError("an answer")

    proto = Proto()
    run(Gateway(Failing()).__rsgi__(scope_of("/panel/", "GET"), proto))  # type: ignore[arg-type]
    status, headers, body = proto.answers[0]
    assert (status, headers["content-type"], headers["server"], body) == (500, "text/plain", "", b"")
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["x-content-type-options"] == "nosniff"
    assert "an answer" not in caplog.text


def test_report_futures_answer_from_any_thread() -> None:
    with ThreadPoolExecutor(8) as pool:

        def submit(environ: dict[str, Any], then: Callable[[Response], None]) -> None:
            pool.submit(then, Response(201, [], str(environ["number"]).encode()))

        async def everyone() -> list[bytes]:
            futures = ReportFutures(submit, submit)
            answers = await asyncio.wait_for(asyncio.gather(*(futures.put({"number": n}) for n in range(500))), 30)
            return [answer.content for answer in answers]

        assert run(everyone()) == [str(number).encode() for number in range(500)]


def test_report_futures_wait_in_threads_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lookup would hold up every request of the process: the event loop leaves it to a thread."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "")  # a browser test may have allowed it
    threads: list[str] = []

    def submit(environ: dict[str, Any], then: Callable[[Response], None]) -> None:
        looked_up(environ)
        threads.append(threading.current_thread().name)
        then(Response(201, [], b""))

    looked_up = async_unsafe(lambda environ: environ["number"])

    async def one() -> Response:
        return await ReportFutures(submit, submit).put({"number": 1})

    assert run(one()).status == 201
    assert threads == ["report_0"]


def test_gateway_missing_answer_is_503(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(Stub):
        def submit(self, environ: dict[str, Any], then: Callable[[Response], None]) -> None:
            raise RequestRefused(422, "a", "b")

        submit_at_once = submit

    monkeypatch.setattr(gateway, "PATIENCE", 0.05)
    proto = Proto(b"{}")
    run(Gateway(Silent()).__rsgi__(scope_of(content_length="2"), proto))  # type: ignore[arg-type]
    assert proto.answers[0][0] == 503
    assert proto.answers[0][1]["Retry-After"] == "5"
