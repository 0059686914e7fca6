"""An installation on nodes, of which one is added or one stores nothing: no report is lost, and none is stored twice.

Senders send the same bytes again until they are acknowledged. Meanwhile nothing but 503 may be answered, and something
always is.
"""

from pathlib import Path

from collector.endpoint import writer
from tests.citus.cluster import add_node, running
from tests.citus.site import NAME, PATIENCE, site
from tests.system.installation import wait_until

APART = 0.03
"""Seconds between the reports of a survey, of which there are seven."""

UNSET = """
SELECT count(*) FROM run_command_on_shards('collector_waitingreport', $$
SELECT 'autovacuum_vacuum_threshold=0' = ANY(reloptions) FROM pg_class WHERE oid = '%s'::regclass
$$) WHERE result <> 't'
"""
"""Shards without the vacuum settings, which each rewriting sets again."""


def test_rebalance_among_reports_loses_and_doubles_none(tmp_path: Path) -> None:
    with running(workers=3) as cluster, site(cluster, 2, tmp_path) as there:
        *_, added = cluster.nodes
        there.begin(apart=APART)
        there.go_on(2)
        add_node(NAME, cluster.coordinator.port, added.port)
        there.asked("SELECT citus_rebalance_start()")
        wait_until(lambda: there.asked("SELECT state FROM citus_rebalance_status()") == [("finished",)], 3 * PATIENCE)
        moved = there.go_on(0)
        assert [ports for ports in there.places().values() if added.port in ports], "surveys lie there now"
        end = there.go_on(3)
        assert all(one.between(moved, end)["201"] for one in there.senders)
        there.end()
        there.require_each_once()
        assert there.asked(UNSET) == [(0,)], "those that moved have the settings of the others"


def test_report_that_cannot_be_stored_in_time_gets_503(tmp_path: Path) -> None:
    with running() as cluster, site(cluster, 2, tmp_path) as there:
        there.begin(apart=APART)
        begin = there.go_on(2)
        with there.locked(there.designs[0]):
            end = there.go_on(writer.PATIENCE + 3)
        assert there.senders[0].between(begin, end)["503"], "it was answered while it was stuck"
        there.end()
        there.require_each_once()
