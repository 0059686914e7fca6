"""Proof of work for reports of surveys that require it: a hash that is slow to find and fast to check.

Sent is a counter of 8 bytes for which SHA-256 of this beginning, the design's digest, the nonce and the counter begins
with as many zero bits as the survey asks for. Nonce and digest are all that it is made of, and they are there before
the first answer. The respondents' page sends the smallest such counter (client/proof.js), so a nonce has one, whatever
was answered. A nonce stores one report, so a sum does too; nothing is kept here to know it again.
"""

import hashlib
import logging
import re
import time
from collections.abc import Callable

from django.db import Error
from django.utils.asyncio import async_unsafe

from collector.errors import RequestRefused
from collector.reports.storing import NewReport

HEADER = "Candor-Work"
VARIABLE = "HTTP_CANDOR_WORK"
COUNTER = re.compile(r"[0-9a-f]{16}")

MOST_BITS = 20
"""The maximum that the respondents' page computes."""

LATELY = 1.0
"""Seconds for which a process caches the bits that a survey requires."""

logger = logging.getLogger(__name__)


def check(sent: str, report: NewReport, bits: int) -> None:
    """Refuse with 429 if `bits` (0 to MOST_BITS) are required and `sent` is not this report's proof of work."""
    if bits and not (COUNTER.fullmatch(sent) and zero_bits(report.digest, report.nonce, bytes.fromhex(sent)) >= bits):
        sentence = f"This survey requires a proof of work: a hash that begins with {bits} zero bits."
        raise RequestRefused(429, "Candor-Work", sentence, bits=bits)


def zero_bits(digest: str, nonce: bytes, counter: bytes) -> int:
    """The number of leading zero bits of the hash."""
    found = hashlib.sha256(b"candor work 1\n" + digest.encode() + b"\n" + nonce + counter).digest()
    return len(found) * 8 - int.from_bytes(found).bit_length()


class RequiredWork:
    """The bits that surveys require, looked up at most once a second; between, and without database, what they
    asked for before."""

    def __init__(self, look_up: Callable[[str], int]) -> None:
        self._look_up = look_up
        self._known: dict[str, tuple[int, float]] = {}

    def __call__(self, slug: str) -> int:
        """The bits that a survey requires; the slug must be that of a survey, since it is cached."""
        bits, until = self._known.get(slug, (0, 0.0))
        return bits if time.monotonic() < until else self._look_up_again(slug, bits, until)

    @async_unsafe
    def _look_up_again(self, slug: str, bits: int, until: float) -> int:
        now = time.monotonic()
        if until:
            self._known[slug] = bits, now + LATELY  # whoever comes while this one asks goes by what was
        try:
            bits = self._look_up(slug)
        except Error as error:
            if not until:
                raise
            logger.warning("what is asked for could not be looked up: %s", type(error).__name__)
        self._known[slug] = bits, now + LATELY
        return bits
