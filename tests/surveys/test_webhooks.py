"""Webhooks against a real receiver: signed, tried again and given up, sent nowhere inside, and silent about reports."""

import base64
import hmac
import json
import re
import secrets
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from collector.designs.selectors import get_design
from collector.errors import InputError
from collector.reports import folding
from estimator.base import jobs as leases
from estimator.models import Run
from estimator.runs import services as estimator
from surveys import tasks
from surveys.errors import DeliveryError
from surveys.lifecycle.services import close_survey
from surveys.models import AuditEntry, Delivery, Survey, Version, Webhook
from surveys.outreach.webhooks import addresses, events, sending, services, signing
from tests.factories.runs import fill
from tests.tools.gate import few

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.django_db


@dataclass
class Receiver:
    """Answers with the next of its statuses, and remembers what came."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)


@pytest.fixture(scope="module")
def server() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            receiver.headers.append(dict(self.headers))
            self.send_response(receiver.statuses.pop(0) if receiver.statuses else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(b"a secret of the receiver")

        def log_message(self, *words: Any) -> None:
            """Nothing is said."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        receiver.url = f"http://127.0.0.1:{http.server_port}/hook?token=1"
        thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield receiver
        http.shutdown()


@pytest.fixture
def receiver(server: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Receiver:
    settings.CANDOR_WEBHOOKS_INSIDE = [ip_network("127.0.0.1/32")]
    monkeypatch.setattr(leases, "wake", lambda task, job_id: None)
    server.statuses, server.headers, server.bodies = [], [], []
    return server


@pytest.fixture
def hook(version: Version, receiver: Receiver, alice: User) -> Webhook:
    chosen = [events.CLOSED, events.ESTIMATE_READY]
    return services.add(version.survey, receiver.url, chosen, [], by=alice)[0]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Moves the clock on."""
    ahead, real = [timedelta(0)], timezone.now

    def move(time: timedelta) -> None:
        ahead[0] += time

    monkeypatch.setattr(timezone, "now", lambda: real() + ahead[0])
    return move


def sent(delivery: Delivery) -> Delivery:
    services.execute(delivery.pk)
    return Delivery.objects.get(pk=delivery.pk)


def the_readers_function() -> Callable[..., bool]:
    """What docs/how-to/webhooks.md hands to whoever writes a receiver."""
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "how-to" / "webhooks.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["is_candors"]  # type: ignore[no-any-return]


def test_webhook_is_signed_as_documented(hook: Webhook, receiver: Receiver) -> None:
    close_survey(Survey.objects.get())
    tasks.notice_events()
    (delivery,) = Delivery.objects.all()
    assert sent(delivery).state == "done"
    (headers,), (body,) = receiver.headers, receiver.bodies
    digest = hook.survey.versions.get().design_id
    assert json.loads(body) == {
        "delivery": delivery.key, "event": "closed", "survey": "campus", "version": 1, "design": digest, "run": None,
        "reports": None,
    }  # fmt: skip
    assert {name: headers[name] for name in ("Content-Type", "Candor-Event", "Candor-Delivery")} == {
        "Content-Type": "application/json", "Candor-Event": "closed", "Candor-Delivery": delivery.key,
    }  # fmt: skip
    is_candors, secret, at = the_readers_function(), signing.secret_of(hook), headers["webhook-timestamp"]
    assert headers["webhook-id"] == delivery.key
    assert is_candors(secret, headers, body)
    assert not is_candors(secret, headers, body + b" ")
    assert not is_candors(signing.secret_of(Webhook(salt="another")), headers, body)
    assert not is_candors(secret, headers, body, now=int(at) + 301)
    for name, other in (("webhook-timestamp", str(int(at) + 1)), ("webhook-id", "another")):
        assert not is_candors(secret, dict(headers) | {name: other}, body)
    services.execute(delivery.pk)
    tasks.notice_events()
    assert (len(receiver.bodies), Delivery.objects.count()) == (1, 1)


def test_webhook_secret_is_in_no_table_and_changes(hook: Webhook, receiver: Receiver, settings: Any) -> None:
    first = signing.secret_of(hook)
    assert first.removeprefix("whsec_") not in str(list(Webhook.objects.values()))
    second = services.rotate(hook)
    assert second == signing.secret_of(Webhook.objects.get()) != first
    sent(services.send_test(hook))
    assert the_readers_function()(second, receiver.headers[0], receiver.bodies[0])
    settings.SECRET_KEY = "of another installation"
    assert signing.secret_of(hook) != second


def test_webhook_signature_matches_standard_webhooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the reference library does: `Webhook(secret).sign(id, time, body)` of standardwebhooks 1.1.0 printed this."""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    monkeypatch.setattr(signing, "_key", lambda webhook: key)
    found = signing.headers(Webhook(), "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', 1614265330)
    assert found["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signing.secret_of(Webhook()) == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_webhook_legacy_signature_still_verifies() -> None:
    hook = Webhook(salt="some salt")
    old = "candor_" + base64.b64decode(signing.secret_of(hook).removeprefix("whsec_")).hex()
    at, _, signed = signing.headers(hook, "key", b"{}", 1767225600)["Candor-Signature"].partition(",v1=")
    assert at == "t=1767225600"
    assert signed == hmac.new(old.encode(), b"1767225600.{}", "sha256").hexdigest()


def test_webhook_sends_requested_estimates_only(hook: Webhook) -> None:
    digest = hook.survey.versions.get().design_id
    asked = estimator.run_now(digest)
    estimator.execute(estimator.request_run(digest, trigger=Run.Trigger.SCHEDULE).pk)
    tasks.notice_events()
    assert [(one.event, json.loads(one.body)["run"]) for one in Delivery.objects.all()] == [
        ("estimate_ready", asked.key)
    ]


def test_webhook_threshold_is_sent_once_and_late(
    version: Version, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 199 the first hundred is told, with the number that was chosen and not that which is stored."""
    hook = services.add(version.survey, receiver.url, [events.REACHED], [200, 100])[0]
    design = get_design(version.design_id)
    fill(design, count=99)
    folding.fold(design.digest)
    tasks.notice_events()
    assert not Delivery.objects.exists()
    fill(design, count=100)
    tasks.notice_events()
    assert not Delivery.objects.exists(), "what waits to be counted moves with each report"
    folding.fold(design.digest)
    monkeypatch.setattr(secrets, "randbelow", lambda bound: bound - 1)
    before = timezone.now()
    tasks.notice_events()
    (delivery,) = Delivery.objects.all()
    assert (json.loads(delivery.body)["reports"], hook.thresholds) == (100, [100, 200])
    assert delivery.next_at >= before + timedelta(seconds=3599)
    assert services.resume_waiting() == []
    services.execute(delivery.pk)
    assert receiver.bodies == [], "it is not yet time"
    for _ in range(3):
        tasks.notice_events()
    assert Delivery.objects.count() == 1
    assert "199" not in delivery.body


def test_webhook_retries_back_off_then_stop(
    hook: Webhook, receiver: Receiver, clock: Callable[[timedelta], None]
) -> None:
    receiver.statuses = [500] * services.MOST_ATTEMPTS
    delivery, pauses = services.send_test(hook), []
    for attempt in range(1, services.MOST_ATTEMPTS):
        delivery = sent(delivery)
        assert (delivery.state, delivery.attempts, delivery.status) == ("queued", attempt, 500)
        pause = delivery.next_at - timezone.now()
        assert sent(delivery).attempts == attempt, "not before its time"
        assert services.resume_waiting() == []
        pauses.append(pause / services.pause_after(attempt))
        clock(pause + timedelta(seconds=1))
        assert services.resume_waiting() == [delivery.pk]
    assert all(0.79 <= pause <= 1.21 for pause in pauses)
    assert len(set(pauses)) > 1
    total = sum((services.pause_after(one) for one in range(1, services.MOST_ATTEMPTS)), timedelta())
    assert timedelta(days=3) < total < timedelta(days=4)
    delivery = sent(delivery)
    assert (delivery.state, delivery.fault) == ("failed", "The receiver answered 500.")
    assert len(set(receiver.bodies)) == 1
    assert {headers["Candor-Delivery"] for headers in receiver.headers} == {delivery.key}
    services.resend(delivery)
    assert sent(delivery).state == "done"


def test_webhook_retry_succeeds(hook: Webhook, receiver: Receiver, clock: Callable[..., None]) -> None:
    receiver.statuses = [503, 204]
    delivery = sent(services.send_test(hook))
    clock(timedelta(minutes=2))
    delivery = sent(delivery)
    assert (delivery.state, delivery.attempts, delivery.status, delivery.fault) == ("done", 2, 204, "")


@pytest.mark.parametrize(
    ("status", "state", "fault"),
    [
        (301, "queued", "The receiver answered with a redirect (301), which is not followed."),
        (307, "queued", "The receiver answered with a redirect (307), which is not followed."),
        (410, "failed", "The receiver answered 410."),
    ],
)
def test_webhook_redirect_not_followed_gone_stops(
    hook: Webhook, receiver: Receiver, status: int, state: str, fault: str
) -> None:
    receiver.statuses = [status]
    delivery = sent(services.send_test(hook))
    assert (delivery.state, delivery.fault, len(receiver.bodies)) == (state, fault, 1)
    assert "secret of the receiver" not in str(list(Delivery.objects.values()))


INSIDE = (
    "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.5.4", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "::1", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "2002:0a00:0001::", "64:ff9b::7f00:1", "ff02::1", "240.0.0.1",
    # In no private network, and yet no public host's.
    "168.63.129.16", "192.0.0.192", "192.0.0.9", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1",
    "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "233.252.0.1", "239.255.255.255",
    "255.255.255.255", "100.127.255.255", "100.100.100.200", "0.1.2.3",
    "::", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:0:8.8.8.8", "64:ff9b::a9fe:a9fe",
    "64:ff9b::a83f:8110", "64:ff9b:1::1", "64:ff9b:1::808:808", "100::1", "100:0:0:1::1",
    "2001::1", "2001:0:53aa:64c:0:fbff:ad1c:1",
    "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff::1",
    "2001:db8::1", "2002:808:808::1", "2620:4f:8000::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "1234::1",
    "fc00::1", "fd00:ec2::254", "febf::1", "fec0::1", "feff::1", "ff05::2", "e000::1",
)  # fmt: skip

PUBLIC = (
    "93.184.216.34", "8.8.8.8", "1.1.1.1", "168.63.129.15", "168.63.129.17", "192.0.1.1", "100.63.255.255",
    "100.128.0.1", "172.32.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255", "2606:4700::1111",
    "2001:200::1", "2001:4860:4860::8888", "2003::1", "2a00::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
)  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_webhook_public_address_is_allowed(settings: Any, address: str) -> None:
    settings.CANDOR_WEBHOOKS_INSIDE = []
    assert addresses.check(f"https://{f'[{address}]' if ':' in address else address}/").scheme == "https"


@pytest.mark.parametrize(
    "host",
    [
        "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.1", "10.1", "0", "0x", "1.2.3.256",
        "1.2.3.4.5", "example.127", "127.0.0.1.", "127.0.0.1..", "0X7F.0.0.1", "[::ffff:127.0.0.1%25lo0]",
        "[fe80::1%25eth0]", "localhost.",
    ],
)  # fmt: skip
def test_unusual_spelling_of_host_is_refused(settings: Any, host: str) -> None:
    settings.CANDOR_WEBHOOKS_INSIDE = []
    with pytest.raises(DeliveryError):
        addresses.resolve(f"https://{host}/")


@pytest.mark.parametrize("address", few(INSIDE, slice(None, None, 5)))
def test_webhook_private_address_is_refused_by_default(
    settings: Any, monkeypatch: pytest.MonkeyPatch, survey: Survey, address: str
) -> None:
    """As a number in the address, and behind a name."""
    settings.CANDOR_WEBHOOKS_INSIDE = []
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(InputError, match="inside a private network"):
        services.add(survey, f"https://{host}/", [events.CLOSED], [])
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in ("93.184.216.34", address)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **more: found)
    with pytest.raises(DeliveryError, match="inside a private network"):
        addresses.resolve("https://example.org/")
    found.pop()
    assert addresses.resolve("https://example.org/x?y").address == "93.184.216.34"


def test_webhook_resolves_host_once_per_attempt(
    hook: Webhook, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked once for a try, and the connection goes where that answer led."""
    port = int(re.search(r":(\d+)/", receiver.url)[1])  # type: ignore[index]
    answers, connected = ["127.0.0.1", "10.0.0.1"], []

    def getaddrinfo(host: Any, *words: Any, **more: Any) -> list[Any]:
        if host == "localhost":
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answers.pop(0), port))]
        connected.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    Webhook.objects.update(url=f"http://localhost:{port}/")
    first = services.send_test(hook)
    assert sent(first).state == "done"
    assert (connected, answers, receiver.headers[0]["Host"]) == (["127.0.0.1"], ["10.0.0.1"], f"localhost:{port}")
    second = sent(services.send_test(hook))
    assert (second.state, second.status, len(receiver.bodies)) == ("queued", None, 1)
    assert "private network" in second.fault


def test_webhook_slow_receiver_times_out(hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then would keep a worker for ever, since each is in time."""
    monkeypatch.setattr(sending, "SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Webhook.objects.update(url=f"http://127.0.0.1:{listening.getsockname()[1]}/")
        over = threading.Event()

        def dawdle() -> None:
            connection, _ = listening.accept()
            with connection:
                while not over.wait(0.1):
                    try:
                        connection.sendall(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=dawdle)
        thread.start()
        delivery = sent(services.send_test(Webhook.objects.get()))
        over.set()
        thread.join(timeout=10)
    assert (delivery.state, delivery.fault) == ("queued", "The receiver did not answer within 0.5 seconds.")


def test_webhook_untrusted_certificate_sends_nothing(hook: Webhook, receiver: Receiver) -> None:
    """The receiver speaks no TLS at all, which looks the same: nothing is sent before trust."""
    Webhook.objects.update(url=receiver.url.replace("http:", "https:"))
    delivery = sent(services.send_test(Webhook.objects.get()))
    assert (delivery.state, delivery.status, receiver.bodies) == ("queued", None, [])
    assert delivery.fault.startswith("No connection, or an untrusted one")


def test_webhook_certificate_must_match_host(hook: Webhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is trusted, of the right name and of another, at the same address; nothing is sent to the other."""
    key, certificate, came = tmp_path / "key.pem", tmp_path / "certificate.pem", list[bytes]()
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    named = ["-days", "2", "-subj", "/CN=right.test", "-addext", "subjectAltName=DNS:right.test"]
    subprocess.run([*made, *named, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *words: Any) -> None:
            """Nothing is said."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.socket = context.wrap_socket(http.socket, server_side=True)
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        found, port = [], http.server_port
        for name in ("right.test", "wrong.test"):
            target = addresses.WebhookTarget(True, name, port, "/", "127.0.0.1")
            monkeypatch.setattr(sending, "resolve", lambda url, target=target: target)
            delivery = sent(services.send_test(hook))
            found.append((delivery.state, delivery.status))
        http.shutdown()
    assert found == [("done", 200), ("queued", None)]
    assert "CertVerification" in delivery.fault
    assert len(came) == 1


def test_webhook_delivery_that_crashes_worker_stops(hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(delivery: Delivery) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(sending, "send", broken)
    delivery = services.send_test(hook)
    for _ in range(leases.MOST_TRIES):
        with pytest.raises(ZeroDivisionError):
            services.execute(delivery.pk)
    services.execute(delivery.pk)
    assert services.resume_waiting() == []
    delivery.refresh_from_db()
    assert (delivery.state, delivery.fault) == ("failed", "The computation ended with ZeroDivisionError.")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"url": "http://example.org/"}, "url"),
        ({"url": "ftp://localhost/"}, "url"),
        ({"url": "https://user:word@example.org/"}, "url"),
        ({"url": "https:///path"}, "url"),
        ({"url": "https://example.org:99999/"}, "url"),
        ({"url": "https://exa mple.org/"}, "url"),
        ({"url": "https://example.org/\x7f"}, "url"),
        ({"url": "https://[2606:4700::1%25lo]/"}, "url"),
        ({"url": "https://example.org/\r\nX-Header: 1"}, "url"),
        ({"url": "https://example.org/" + "a" * 500}, "url"),
        ({"events": []}, "events"),
        ({"events": ["report"]}, "events"),
        ({"events": [events.REACHED]}, "thresholds"),
        ({"thresholds": [99]}, "thresholds"),
        ({"thresholds": [150]}, "thresholds"),
        ({"thresholds": [0]}, "thresholds"),
    ],
)
def test_webhook_invalid_input_names_field(survey: Survey, changed: dict[str, Any], field: str) -> None:
    said = {"url": "https://example.org/", "events": [events.CLOSED], "thresholds": []} | changed
    with pytest.raises(InputError) as refusal:
        services.add(survey, **said)
    assert refusal.value.field == field
    assert not Webhook.objects.exists()


def test_webhook_audit_log_has_host_not_path(survey: Survey, alice: User) -> None:
    hook, _ = services.add(survey, "https://example.org/a-secret-path", [events.CLOSED], [], by=alice)
    services.delete(hook, by=alice)
    told = AuditEntry.objects.filter(act__contains="webhook").values_list("act", "detail")
    assert list(told) == [("deleted a webhook", "example.org"), ("created a webhook", "example.org")]


def test_webhook_deleted_with_survey_not_with_user(survey: Survey, bob: User) -> None:
    hook, _ = services.add(survey, "https://example.org/", [events.CLOSED], [], by=bob)
    services.send_test(hook)
    bob.delete()
    assert Webhook.objects.get().made_by is None
    survey.delete()
    assert not Delivery.objects.exists()
