"""The folder broker under readers that never rest: every message whole, in order, and taken once."""

import json
import shutil
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from config import broker

MESSAGES = 2_000


def connect(folder: Path) -> Connection:
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "control_folder": str(folder / "control")}
    return Connection("folder://localhost", transport_options=options)


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[broker.Channel]:
    broker.register()
    with connect(tmp_path) as connection:
        yield connection.channel()


@pytest.mark.skipif("os.environ.get('REDIS_URL')", reason="messages go through the Redis that was named")
def test_settings_use_folder_broker(settings: object) -> None:
    from config.celery import app

    with app.connection_for_write() as connection:
        assert isinstance(connection.transport, broker.Transport)


def test_broker_busy_reader_gets_whole_messages(tmp_path: Path, channel: broker.Channel) -> None:
    """With kombu's own channel this reads an empty message within the first hundreds."""
    got: list[int] = []
    faults: list[Exception] = []

    def read() -> None:
        with connect(tmp_path) as connection:
            mine = connection.channel()
            while len(got) < MESSAGES and not faults:
                try:
                    got.append(mine._get("work")["number"])
                except Empty:
                    continue
                except Exception as fault:
                    faults.append(fault)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(MESSAGES):
        channel._put("work", {"number": number})
    for reader in readers:
        reader.join(timeout=60)
    assert faults == []
    assert sorted(got) == list(range(MESSAGES))
    assert not list(tmp_path.glob("*.draft"))


def test_broker_delivers_in_order(channel: broker.Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([9.0, 10.0, 100.0, 1000.0])
    monkeypatch.setattr(broker.time, "monotonic", lambda: next(clock))
    for number in range(4):
        channel._put("work", {"number": number})
    assert [channel._get("work")["number"] for _ in range(4)] == [0, 1, 2, 3]


def test_broker_message_of_other_queue_stays(channel: broker.Channel) -> None:
    channel._put("other", {"number": 1})
    with pytest.raises(Empty):
        channel._get("work")
    assert channel._get("other") == {"number": 1}


def test_broker_queue_table_is_never_seen_partial(tmp_path: Path, channel: broker.Channel) -> None:
    """Every look at a table that is being made finds it missing or whole."""
    faults: list[Exception] = []
    names = [f"exchange-{uuid.uuid4()}" for _ in range(300)]

    def look() -> None:
        with connect(tmp_path) as connection:
            mine = connection.channel()
            for name in names:
                while not (tables := _tables(mine, name, faults)) and not faults:
                    pass
                assert faults or [table.queue for table in tables] == ["work"]

    reader = threading.Thread(target=look)
    reader.start()
    for name in names:
        channel._queue_bind(name, "key", "", "work")
    reader.join(timeout=60)
    assert faults == []


def _tables(channel: broker.Channel, name: str, faults: list[Exception]) -> list[object]:
    try:
        return channel.get_table(name)
    except json.JSONDecodeError as fault:
        faults.append(fault)
        return []


def test_broker_folder_deleted_is_recreated(tmp_path: Path) -> None:
    broker.register()
    with connect(tmp_path / "broker") as connection:
        channel = connection.channel()
        channel._put("work", {"number": 1})
        shutil.rmtree(tmp_path / "broker")
        channel._put("work", {"number": 2})
        assert channel._get("work") == {"number": 2}
        shutil.rmtree(tmp_path / "broker")
        channel._queue_bind("jobs", "work", "", "work")
        assert ("work", "", "work") in [tuple(row) for row in channel.get_table("jobs")]
