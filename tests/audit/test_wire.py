"""The quick wire audit: 5,000 submissions by a real browser. The full one is `make audit-wire`.

A sound client fails these tests about once in 10,000 runs: 62 findings at 1e-6 against the tables, 30 conditional ones
at 1e-6 with their repetition, ten bounds of epsilon at 1e-6. Times are compared between answers in random order: a busy
machine makes them wide, but not different.
"""

import pytest

from tests.audit import auditing
from tests.audit.driving import Work
from tests.audit.findings import failed, table
from tests.audit.shelf import Shelf
from tests.audit.surveys import YES_NO_FIRST


@pytest.mark.parametrize(("number", "submissions"), [(0, 2_900), (1, 1_900)], ids=["yes/no first", "one choice first"])
def test_what_leaves_the_browser_is_the_channel(
    work: Work, shelves: tuple[Shelf, Shelf], number: int, submissions: int
) -> None:
    leaks = failed(auditing.audit(work, shelves[number], submissions))
    assert not leaks, table(leaks)


def test_a_server_that_loses_requests_sees_the_same_bytes_again(work: Work, shelves: tuple[Shelf, Shelf]) -> None:
    leaks = failed(auditing.audit_retries(work, shelves[0], 50))
    assert not leaks, table(leaks)


def test_nothing_leaves_while_everything_on_the_page_is_tried(work: Work, shelves: tuple[Shelf, Shelf]) -> None:
    leaks = failed(auditing.audit_restless(work, shelves[1], 50))
    assert not leaks, table(leaks)


def test_the_collector_stores_what_was_sent(transactional_db: None, work: Work, shelves: tuple[Shelf, Shelf]) -> None:
    """With a page load for each of 50 submissions, which look like those of the quick way to the last byte."""
    leaks = failed(auditing.audit_collector(work, shelves[0], YES_NO_FIRST, 50))
    assert not leaks, table(leaks)
