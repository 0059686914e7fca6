"""A real mail server, on a port of its own, that keeps what it is sent and does what a test wants with it."""

import email
import email.policy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from config.processes import free_port

FROM = "study@example.org"


@dataclass
class Mailbox:
    """What was delivered, in the order in which it came. `answers` says what a recipient is answered, by address."""

    mails: list[tuple[str, EmailMessage]] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    before: Callable[[str], None] = lambda address: None
    """Is called with the address before a mail is taken."""

    async def handle_RCPT(  # noqa: N802 - the server names it so
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address not in self.answers:
            envelope.rcpt_tos.append(address)
        return self.answers.get(address, "250 OK")

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        (address,), content = envelope.rcpt_tos, envelope.content
        assert isinstance(content, bytes)
        self.before(address)
        parsed: Any = email.message_from_bytes(content, policy=email.policy.default)
        self.mails.append((address, parsed))
        return "250 OK"

    @property
    def addresses(self) -> list[str]:
        return [address for address, _mail in self.mails]

    def texts(self) -> list[str]:
        return [mail.get_content() for _address, mail in self.mails]


@contextmanager
def mail_server(settings: Any) -> Iterator[Mailbox]:
    """Have the installation of this process send its mail to a server that runs while this lasts."""
    with serving() as (box, port):
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        settings.DEFAULT_FROM_EMAIL = FROM
        yield box


@contextmanager
def serving() -> Iterator[tuple[Mailbox, int]]:
    """A mail server on a free port."""
    box = Mailbox()
    port = free_port()
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield box, port
    finally:
        controller.stop()


def environment(port: int) -> dict[str, str]:
    """What has an installation of its own send there."""
    return {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(port), "EMAIL_SECURITY": "none", "EMAIL_FROM": FROM}
