"""Two beats on two machines: one sends, and where it dies the other goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings

from config.beat_lease import LEASE, NAME, RETRY, LeasedScheduler
from config.celery import app
from config.redis_server import RedisServer
from tests.system.installation import wait_until
from tests.tools.redis import running_redis

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture
def client(server: RedisServer, settings: Any) -> redis.Redis:
    settings.REDIS_URL = server.url
    client = redis.Redis.from_url(server.url)
    client.flushall()
    return client


def scheduler(monkeypatch: pytest.MonkeyPatch, sent: list[str]) -> LeasedScheduler:
    monkeypatch.setattr(LeasedScheduler, "apply_async", lambda self, entry, **given: sent.append(entry.task))
    return LeasedScheduler(app=app)


def past_extension(one: LeasedScheduler) -> LeasedScheduler:
    one._extend_at = 0.0
    return one


@pytest.mark.long
def test_beat_without_lease_sends_nothing(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    first, second = scheduler(monkeypatch, sent), scheduler(monkeypatch, sent)
    assert first.holds_lease()
    time.sleep(2.1)
    assert second.tick() == RETRY
    assert sent == []
    first.tick()
    assert sent == ["estimator.fold_waiting"]
    assert 0 < client.pttl(NAME) <= 1000 * LEASE


def test_beat_that_ends_leaves_lease_at_once(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = scheduler(monkeypatch, []), scheduler(monkeypatch, [])
    assert first.holds_lease()
    assert not second.holds_lease()
    first.close()
    assert past_extension(second).holds_lease()
    assert not past_extension(first).holds_lease()


def test_beat_extends_lease_and_takes_lost_one_again(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis loses it with a failover to a replica that had not heard of it yet."""
    first = scheduler(monkeypatch, [])
    assert first.holds_lease()
    client.pexpire(NAME, 500)
    assert past_extension(first).holds_lease()
    assert client.pttl(NAME) > 1000 * LEASE / 2
    client.flushall()
    assert past_extension(first).holds_lease()
    client.set(NAME, "another's")
    assert not past_extension(first).holds_lease()
    assert client.get(NAME) == b"another's"


def test_beat_redis_away_sends_nothing(
    settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    alone = scheduler(monkeypatch, [])
    for _ in range(3):
        assert past_extension(alone).tick() == RETRY
    assert [one.getMessage() for one in caplog.records] == ["nothing is sent until Redis answers: ConnectionError"]


def test_settings_lease_follows_redis() -> None:
    assert (settings.CELERY_BEAT_SCHEDULER == "config.beat_lease:LeasedScheduler") is bool(settings.REDIS_URL)


def senders(client: redis.Redis) -> set[int]:
    """The processes that have sent since the last look."""
    with client.pipeline() as both:
        both.lrange("folding", 0, -1)
        both.delete("folding")
        messages, _ = both.execute()
    origins = (json.loads(one)["headers"]["origin"] for one in messages)
    return {int(origin.removeprefix("gen").partition("@")[0]) for origin in origins}


@pytest.mark.long
def test_beat_killed_other_begins_within_lease(client: redis.Redis, server: RedisServer, tmp_path: Path) -> None:
    """Two real processes, each with a data folder of its own as on two machines."""
    command = [sys.executable, "-m", "celery", "-q", "-A", "config", "beat", "--loglevel", "warning"]
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE")}
    with ExitStack() as ended:
        beats = {}
        for name in ("one", "two"):
            environment = kept | {"REDIS_URL": server.url, "CANDOR_DATA": str(tmp_path / name)}
            beat = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL)
            ended.callback(beat.wait)
            ended.callback(beat.kill)
            beats[beat.pid] = beat
        seen: set[int] = set()
        wait_until(lambda: bool(seen.update(senders(client)) or seen), 120)
        (holder,) = seen
        os.kill(holder, signal.SIGKILL)
        killed = time.monotonic()
        senders(client)
        (other,) = set(beats) - {holder}
        wait_until(lambda: other in senders(client), 120)
        # Its lease, the other's next try, the schedule's two seconds, and what a busy machine takes.
        assert time.monotonic() - killed < LEASE + RETRY + 2 + 10
        assert beats[other].poll() is None
