"""`python -m tests.citus [PYTEST'S OPTIONS]`, which is `make test-citus`: tests on a Citus cluster.

What is of a cluster alone (tests/citus), and the tests of storing, folding, closing, archives and backups again, each
on a database that is distributed after its migrations (tests/citus/plugin.py), but for those that LEFT_OUT names.
Other tests may be named.
"""

import os
import subprocess
import sys

from tests.citus.cluster import running

TESTS = (
    "tests/citus",
    "tests/collector/test_concurrency.py",
    "tests/collector/test_folding.py",
    "tests/collector/test_invitation_batches.py",
    "tests/collector/test_own_coin.py",
    "tests/collector/test_parts.py",
    "tests/collector/test_redeeming.py",
    "tests/collector/test_rehearsals.py",
    "tests/collector/test_services.py",
    "tests/collector/test_state_machine.py",
    "tests/collector/test_steps.py",
    "tests/collector/test_storing.py",
    "tests/storage/test_archive_parts.py",
    "tests/storage/test_archives.py",
    "tests/storage/test_backup.py",
    "tests/storage/test_reopening.py",
    "tests/storage/test_retention.py",
)
BACK = "tables are put back on one server before anything is migrated, either way"
OF_THE_FILE = "of the backup's file alone, whatever the database"
LEFT_OUT = {
    "tests/collector/test_folding.py::test_selectors_query_by_index_not_by_full_scan": (
        "the plans of queries on many nodes name no index of one server"
    ),
    "tests/collector/test_parts.py::test_migration_back_with_a_split_design_is_refused": BACK,
    "tests/collector/test_rehearsals.py::test_raw_sql_update_mixing_simulated_and_real_raises": (
        "Citus itself refuses to change the number of a report's design, with another error than the trigger's"
    ),
    "tests/collector/test_storing.py::test_store_known_report_waits_for_standbys": (
        "a node waits for its own; in its place: test_store_known_report_writes_a_record_on_its_node"
    ),
    "tests/storage/test_archives.py::test_archive_takes_few_bytes_and_bounded_memory": "of the file alone",
    "tests/storage/test_archives.py::test_migration_back_with_an_archive_is_refused": BACK,
    "tests/storage/test_backup.py::test_restore_flipped_bit_is_rejected_or_harmless": OF_THE_FILE,
    "tests/storage/test_backup.py::test_restore_invalid_backup_is_rejected": OF_THE_FILE,
    "tests/storage/test_retention.py::test_purged_report_is_in_no_database_file": (
        "it looks at the files of one server; in its place: test_purged_reports_are_in_no_file_of_any_node"
    ),
}
"""Tests of these files that cannot be the same on a cluster, or say nothing of it, and why.

tests/storage/test_order_attack.py, test_link_attack.py and test_wal.py are left out as a whole: they look at the rows,
stamps and files of one server: test_order_on_nodes.py and test_links_on_nodes.py look at those of each node.
"""


def main(options: list[str]) -> int:
    with running() as cluster:
        cluster.create_database("candor")
        variables = {
            "DATABASE_URL": cluster.coordinator.url("candor"),
            "CITUS_PORTS": ",".join(str(one.port) for one in cluster.nodes),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        }
        named = [one for one in options if one.startswith("tests/")]
        chosen = () if named else (*TESTS, *(f"--deselect={test}" for test in LEFT_OUT))
        command = [sys.executable, "-m", "pytest", "-p", "tests.citus.plugin", *options, *chosen]
        return subprocess.run(command, env=os.environ | variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
