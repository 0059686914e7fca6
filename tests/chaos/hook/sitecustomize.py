"""Python imports this at its start where this folder is on its path: each process of an installation under test."""

import os

if os.environ.get("CANDOR_TEST_FAULTS"):
    from tests.chaos import striking

    striking.install()
