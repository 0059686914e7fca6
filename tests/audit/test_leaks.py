"""Tests of the tests: each seeded leak is caught, by the test that is there for it.

The gate seeds the first leak in the channel, in few sequences of words (`test_wire.py` seeds one in the wire);
`make test-long` each that is caught in seconds, `make audit-wire` those that take longest.

A leak in the wire is caught with certainty, one in the channel but for once in 10,000 runs or less. A machine would
have to be slower by 25 ms at random, from one submission to the next, to hide the delay.
"""

from dataclasses import replace

import pytest

from tests.audit.catching import alarms, caught
from tests.audit.driving import Work
from tests.audit.leaks import LEAKS, Leak
from tests.audit.shelf import Shelves
from tests.tools.gate import few

# No test here uses the database; the mark has pytest-django make it, for the pages.
pytestmark = pytest.mark.django_db

QUICK = [leak for leak in LEAKS if not leak.long]
FIRST = next(replace(leak, quick=True) for leak in QUICK if leak.audit == "exact")


@pytest.mark.parametrize(
    "leak",
    few([pytest.param(FIRST, id=FIRST.audit), *(pytest.param(leak, id=leak.name) for leak in QUICK)]),
)
def test_seeded_leak_is_caught_by_its_check(leak: Leak, work: Work, shelves: Shelves) -> None:
    names = alarms(leak, work, shelves["audit-a"])
    assert caught(leak, names), f"only these failed: {names}"


def test_seeded_leaks_are_at_least_fifteen() -> None:
    assert len(LEAKS) >= 15
