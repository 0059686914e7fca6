"""One attempt of a delivery: a POST to the very address that was validated; only the reply's status is read."""

import http.client
import threading
import time
from contextlib import suppress
from socket import SHUT_RDWR

from django.utils.translation import gettext
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from estimator.base.languages import filled
from randomized_response import __version__
from surveys.errors import DeliveryError
from surveys.models import Delivery
from surveys.outreach.webhooks import signing
from surveys.outreach.webhooks.addresses import WebhookTarget, resolve

SECONDS = 10.0
"""Seconds from the first packet to the status."""


def send(delivery: Delivery) -> int:
    """Post it; the status of the answer, whatever it is. Raises DeliveryError where there was none."""
    webhook, body = delivery.webhook, delivery.body.encode()
    target = resolve(webhook.url)
    headers = {
        "Host": _host(target),
        "Content-Type": "application/json",
        "User-Agent": f"Candor/{__version__}",
        "Candor-Event": delivery.event,
        "Candor-Delivery": delivery.key,
        **signing.headers(webhook, delivery.key, body, int(time.time())),
    }
    return _status(_connection(target), target.path, body, headers)


def _connection(target: WebhookTarget) -> HTTPConnection:
    if not target.secure:
        return HTTPConnection(target.address, target.port, timeout=SECONDS)
    # The name is asked for and held against the certificate by the handshake itself.
    return HTTPSConnection(target.address, target.port, timeout=SECONDS, server_hostname=target.host)


def _status(connection: HTTPConnection, path: str, body: bytes, headers: dict[str, str]) -> int:
    """The status of the reply; a receiver that sends very slowly is cut off."""
    over = threading.Event()

    def cut() -> None:
        over.set()
        with suppress(OSError):
            if connection.sock is not None:
                connection.sock.shutdown(SHUT_RDWR)

    watchdog = threading.Timer(SECONDS, cut)
    watchdog.start()
    try:
        connection.request("POST", path, body=body, headers=headers, preload_content=False)
        return int(connection.getresponse().status)
    except (HTTPError, http.client.HTTPException, OSError) as error:
        if over.is_set() or isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
            raise DeliveryError(
                filled(gettext("The receiver did not answer within {seconds:g} seconds."), seconds=SECONDS)
            ) from None
        # The error's own words may quote what the receiver said.
        raise DeliveryError(
            gettext("No connection, or an untrusted one ({name}).").format(name=type(error).__name__)
        ) from None
    finally:
        watchdog.cancel()
        connection.close()


def _host(target: WebhookTarget) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    usual = 443 if target.secure else 80
    return host if target.port == usual else f"{host}:{target.port}"
