"""Rate limits per window of time: reports by address and by survey, and other counted requests.

Counted is by a keyed hash. Its key is random and replaced every day; neither it nor a count is ever on disk or
outlives its window. With Redis all processes of an installation count together, and each takes permits from there a
few at a time. While Redis is away nothing is counted and nothing refused: a report is worth more than a limit.
"""

import hmac
import ipaddress
import logging
import re
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils.asyncio import async_unsafe

from collector.errors import RequestRefused

if TYPE_CHECKING:
    from redis import Redis

RATE = re.compile(r"([0-9]{1,12})/(second|minute|hour|day)")
SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}

MOST_COUNTS = 100_000
"""Counts that a process holds per window. Beyond that it starts over rather than fill its memory."""

PART = 100
"""A process fetches 1/PART of a limit's permits from Redis at a time, so that few reports wait for it."""

ADDRESS = "candor.address"
"""The key of the result of `address_of` in a request's WSGI environment, where it is there already."""

AWAY = 5.0
"""Seconds without calls to Redis after it did not respond."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limit:
    """A rate limit: at most `most` `things` in each window of time; 0 for no limit."""

    things: str
    most: int
    unit: str

    @property
    def window(self) -> int:
        """The length of the window in seconds."""
        return SECONDS[self.unit]

    @classmethod
    def read(cls, things: str, rate: str) -> "Limit":
        """Parse a setting like "1200/hour" or "off". Raises ValueError, which names `things`, otherwise."""
        found = RATE.fullmatch(rate)
        if found is None and rate != "off":
            raise ValueError(f"The limit of {things} must be like 1200/hour, or off; got {rate!r}.")
        return cls(things, int(found[1]), found[2]) if found else cls(things, 0, "day")


class Limits:
    """The rate limit counts of this process, shared with others through the Redis at `url`."""

    def __init__(self, url: str | None = None) -> None:
        self._redis: Redis | None = None
        self._faults: tuple[type[Exception], ...] = ()
        if url:
            import redis  # only here: its 20 MB are for installations that have one

            # Nobody waits long for a count.
            self._redis = redis.Redis.from_url(url, socket_timeout=0.5, socket_connect_timeout=0.5)
            self._faults = (redis.RedisError,)
        self._away_until = 0.0
        self._day, self._key = -1, b""
        self._permits: dict[int, dict[bytes, int]] = {}
        """By the end of a window: what is left to each hash."""
        self._changing = threading.Lock()

    def take(self, limit: Limit, whom: str) -> None:
        """Count one thing of `whom` against the limit.

        Raises RequestRefused where there have been as many in this window as there may be; it says when the next one
        begins. In an event loop, SynchronousOnlyOperation where Redis has to be asked; nothing is counted then.
        """
        if not limit.most or time.monotonic() < self._away_until:
            return
        now = int(time.time())
        end = (now // limit.window + 1) * limit.window
        try:
            name = self._name(f"{limit.things}\n{end}\n{whom}", day=now // SECONDS["day"])
            granted = self._spend(name, end, now) or self._get_more(name, limit, end, now)
        except self._faults as error:
            logger.warning("nothing is limited until Redis answers: %s", type(error).__name__)
            self._away_until = time.monotonic() + AWAY
            return
        if not granted:
            raise RequestRefused(429, "limit", _sentence(limit, end - now), retry=end - now)

    def _spend(self, name: bytes, end: int, now: int) -> bool:
        """Use a permit of this process; return False if none is left."""
        with self._changing:
            for passed in [moment for moment in self._permits if moment <= now]:
                del self._permits[passed]
            left = self._permits.get(end, {}).get(name, 0)
            if left:
                self._permits[end][name] = left - 1
            return left > 0

    def _get_more(self, name: bytes, limit: Limit, end: int, now: int) -> bool:
        """Fetch permits and use one of them; return False if no more are available."""
        part = max(limit.most // PART, 1) if self._redis else limit.most
        with self._changing:
            permits = self._permits.setdefault(end, {})
            if len(permits) > MOST_COUNTS:
                permits.clear()
            asked_before = name in permits
            permits.setdefault(name, 0)
        granted = self._ask(name, part, limit.most, end - now) if self._redis else part * (not asked_before)
        with self._changing:
            permits[name] += max(granted - 1, 0)
        return granted > 0

    @async_unsafe
    def _ask(self, name: bytes, part: int, most: int, seconds: int) -> int:
        """Take permits from Redis and return their number: `part`, or what is left."""
        assert self._redis is not None
        key = b"candor:limit:" + name
        with self._redis.pipeline(transaction=True) as together:
            together.incrby(key, part)
            together.expire(key, seconds)
            taken, _ = together.execute()
        return min(part, most - (int(taken) - part))

    def _name(self, what: str, *, day: int) -> bytes:
        if day != self._day:
            self._key, self._day = self._key_of(day), day
        return hmac.digest(self._key, what.encode(), "sha256")[:16]

    def _key_of(self, day: int) -> bytes:
        key = secrets.token_bytes(32)
        if self._redis is None:
            return key
        return self._shared_key(f"candor:limit:key:{day}", key)

    @async_unsafe
    def _shared_key(self, place: str, key: bytes) -> bytes:
        """The day's key in Redis: this one, if no other process was there before."""
        assert self._redis is not None
        self._redis.set(place, key, nx=True, ex=SECONDS["day"])
        return bytes(self._redis.get(place) or key)  # type: ignore[arg-type]


@lru_cache(maxsize=1)
def shared() -> Limits:
    """The limits of this process."""
    return Limits(settings.REDIS_URL)


def take(name: str, whom: str) -> None:
    """Count one thing under a limit of settings.CANDOR_LIMITS; raises as `Limits.take` does."""
    shared().take(settings.CANDOR_LIMITS[name], whom)


def address_of(environ: Mapping[str, Any]) -> str:
    """The key that a request is counted under: its address, for IPv6 the /64 network of a household.

    With settings.CANDOR_PROXIES the address is the one that the outermost of our proxies saw. What a client writes
    into the header itself stands before that, so it changes nothing.
    """
    if known := environ.get(ADDRESS):
        return str(known)
    address, proxies = str(environ.get("REMOTE_ADDR", "")), settings.CANDOR_PROXIES
    if proxies:
        seen = [part.strip() for part in str(environ.get("HTTP_X_FORWARDED_FOR", "")).split(",") if part.strip()]
        address = _without_port(seen[-proxies]) if len(seen) >= proxies else address
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(read, ipaddress.IPv6Address):
        return str(read.ipv4_mapped or ipaddress.ip_network((read, 64), strict=False))
    return str(read)


def _without_port(written: str) -> str:
    """Strip the port of an address such as "192.0.2.1:4711" or "[2001:db8::1]:4711" (RFC 7239, section 6)."""
    if written.startswith("["):
        return written[1:].partition("]")[0]
    return written.partition(":")[0] if written.count(":") == 1 else written


def _sentence(limit: Limit, seconds: int) -> str:
    wait = f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"
    return f"At most {limit.most:,} {limit.things} are accepted per {limit.unit}. Try again in {wait}."
