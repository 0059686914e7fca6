"""`python -m tests.citus [PYTEST'S OPTIONS]`, which is `make test-citus`: tests on a Citus cluster.

What is of a cluster alone (tests/citus), and the tests of designs, invitations, storing, folding, closing, archives and
backups again, each on a database that is distributed after its migrations (tests/citus/plugin.py), but for those that
LEFT_OUT names. Other tests may be named.
"""

import os
import subprocess
import sys

from tests.citus.cluster import running

TESTS = (
    "tests/citus",
    "tests/collector/test_blind.py",
    "tests/collector/test_concurrency.py",
    "tests/collector/test_designs.py",
    "tests/collector/test_endpoint.py",
    "tests/collector/test_folding.py",
    "tests/collector/test_invitation_batches.py",
    "tests/collector/test_invitations.py",
    "tests/collector/test_own_coin.py",
    "tests/collector/test_parts.py",
    "tests/collector/test_redeeming.py",
    "tests/collector/test_rehearsals.py",
    "tests/collector/test_services.py",
    "tests/collector/test_state_machine.py",
    "tests/collector/test_steps.py",
    "tests/collector/test_storing.py",
    "tests/collector/test_writer.py",
    "tests/storage/test_archive_kills.py",
    "tests/storage/test_archive_parts.py",
    "tests/storage/test_archives.py",
    "tests/storage/test_backup.py",
    "tests/storage/test_reopening.py",
    "tests/storage/test_retention.py",
    "tests/storage/test_schema.py",
    "tests/storage/test_signature.py",
    "tests/storage/test_stored_backups.py",
    "tests/storage/test_upgrade.py",
)
BACK = "tables are put back on one server before anything is migrated, either way"
LEFT_OUT = {
    "tests/collector/test_parts.py::test_migration_back_with_a_split_design_is_refused": BACK,
    "tests/collector/test_storing.py::test_store_known_report_waits_for_standbys": (
        "a node waits for its own; in its place: test_store_known_report_writes_a_record_on_its_node"
    ),
    "tests/collector/test_writer.py::test_writer_batch_is_one_statement_using_keys": (
        "the coordinator has to see the number of each call's design: it plans each anew, and reads no rows"
    ),
    "tests/collector/test_writer.py::test_writer_database_error_stores_nothing_and_recovers[read-only]": (
        "a connection's setting is the coordinator's alone, which hands the call on: the node stores the report"
    ),
    "tests/storage/test_archives.py::test_migration_back_with_an_archive_is_refused": BACK,
    "tests/storage/test_retention.py::test_purged_report_is_in_no_database_file": (
        "it looks at the files of one server; in its place: test_purged_reports_are_in_no_file_of_any_node"
    ),
}
"""Tests of these files that cannot be the same on a cluster, and why.

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
