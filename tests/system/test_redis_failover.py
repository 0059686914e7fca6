"""Workers outlive a failover of Redis: real ones on a real master that becomes a replica, and a master again."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis
from celery import Celery

from tests.system.installation import ROOT, wait_until
from tests.tools.redis import running_redis

POOLS = {"prefork": "celery", "solo": "folding"}
"""As in deploy/ha: a worker with a process for tasks, and the one that folds; each with a queue of its own here."""

SECONDS = 120


def send(url: str, queue: str) -> None:
    """By a connection of its own: that of before has the old master's errors in it."""
    with Celery("candor", broker=url, set_as_current=False) as app:
        app.send_task("nobody.knows", queue=queue)


@pytest.mark.long
def test_workers_outlive_master_that_becomes_replica(tmp_path: Path) -> None:
    with ExitStack() as running:
        first, second = (running.enter_context(running_redis()) for _ in range(2))
        own = {"DJANGO_SETTINGS_MODULE": "config.settings", "REDIS_URL": first.url, "CANDOR_DATA": str(tmp_path)}
        environment = {name: value for name, value in (os.environ | own).items() if name != "DATABASE_URL"}
        workers = {}
        for pool, queue in POOLS.items():
            log = running.enter_context((tmp_path / pool).open("wb"))
            command = [sys.executable, "-m", "celery", "-q", "-A", "config", "worker", "--loglevel", "warning"]
            more = ["--pool", pool, "--concurrency", "1", "--queues", queue, "--hostname", f"{pool}@machine1"]
            workers[pool] = subprocess.Popen([*command, *more], env=environment, cwd=ROOT, stdout=log, stderr=log)
            running.callback(workers[pool].wait)
            running.callback(workers[pool].kill)
        app = Celery("candor", broker=first.url, set_as_current=False)
        names = {f"{pool}@machine1" for pool in POOLS}
        wait_until(lambda: set(app.control.inspect(timeout=1).ping() or ()) == names, SECONDS)
        with redis.Redis.from_url(first.url) as there:
            there.config_set("masterauth", second.password)
            there.replicaof("127.0.0.1", str(second.port))
            with pytest.raises(redis.ResponseError):
                there.set("somebody", "writes")
            # Both have seen it: the one waits for messages, the other asks for them.
            for pool in POOLS:
                wait_until(lambda said=tmp_path / pool: "onnection" in said.read_text(), SECONDS)
            there.replicaof("NO", "ONE")
            for queue in POOLS.values():
                send(first.url, queue)
            wait_until(lambda: not any(there.llen(queue) for queue in POOLS.values()), SECONDS)
        assert set(app.control.inspect(timeout=5).ping() or ()) == names
        assert [one.poll() for one in workers.values()] == [None, None], "the same processes go on"
