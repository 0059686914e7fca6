"""A backup of a cluster, restored on SQLite, one PostgreSQL and another cluster: the same numbers and bytes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from collector.models import Report, WaitingReport
from config.postgresql import USER
from surveys.maintenance import backup, backup_checks
from tests.citus.cluster import create_database, drop_database, environment, make_tables, other_database
from tests.citus.plugin import PORTS, SHARDS
from tests.storage import whole
from tests.tools.backups import empty_database, members, signed_by

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def other_cluster(name: str, data: Path) -> Iterator[str]:
    """The address of another database of all nodes, with its tables distributed."""
    create_database(name, PORTS)
    url = f"postgresql://{USER}@127.0.0.1:{PORTS[0]}/{name}"
    try:
        make_tables(environment(url, data), shards=SHARDS)
        yield url
    finally:
        drop_database(name, PORTS)


def test_backup_of_a_cluster_is_restored_everywhere(tmp_path: Path) -> None:
    """From here to SQLite, to one PostgreSQL, to another cluster, and back."""
    whole.build()
    files = [tmp_path / f"{number}.zip" for number in range(5)]
    backup.back_up(files[0])
    told = json.loads(json.dumps(whole.told()))
    empty_database()

    def restored(place: int, url: str) -> object:
        data = tmp_path / f"data{place}"
        return whole.restored_elsewhere(files[place], files[place + 1], url=url, data=data)

    assert restored(0, "") == told
    with other_database(PORTS[0], "other") as url:
        assert restored(1, url) == told
    with other_cluster("others", tmp_path / "data2") as url:
        assert restored(2, url) == told
    backup.restore(files[3], signed_by=signed_by(files[3]), inspect=backup_checks.compare)
    assert (Report.objects.count(), WaitingReport.objects.count()) == (110, 11)
    assert json.loads(json.dumps(whole.told())) == told
    backup.back_up(files[4])
    assert all(members(one) == members(files[0]) for one in files)
