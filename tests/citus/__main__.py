"""`python -m tests.citus [PYTEST'S OPTIONS]`, which is `make test-citus`: tests on a Citus cluster.

What is of a cluster alone (tests/citus), and the tests of storing, folding and redeeming again, each on a database that
is distributed after its migrations (tests/citus/plugin.py). Other tests may be named; docs/citus.md says which fail.
"""

import os
import subprocess
import sys

from tests.citus.cluster import running

TESTS = (
    "tests/citus", "tests/collector/test_storing.py", "tests/collector/test_redeeming.py",
    "tests/collector/test_folding.py",
    # The plans of queries on many nodes name no index of one server.
    "--deselect", "tests/collector/test_folding.py::test_selectors_query_by_index_not_by_full_scan",
)  # fmt: skip


def main(options: list[str]) -> int:
    with running() as cluster:
        cluster.create_database("candor")
        variables = {
            "DATABASE_URL": cluster.coordinator.url("candor"),
            "CITUS_PORTS": ",".join(str(one.port) for one in cluster.nodes),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        }
        named = [one for one in options if one.startswith("tests/")]
        command = [sys.executable, "-m", "pytest", "-p", "tests.citus.plugin", *options, *(() if named else TESTS)]
        return subprocess.run(command, env=os.environ | variables, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
