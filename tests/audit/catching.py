"""Run the audits against a client with a leak, and see which test catches it."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path

from tests.audit import auditing, exactness, recalled
from tests.audit.driving import Work
from tests.audit.findings import failed
from tests.audit.leaks import Leak
from tests.audit.shelf import Shelf
from tests.audit.surveys import WORK_BITS

TIMES = 1, 2, 4
"""A leak that is near the noise of a busy machine is looked for again in so many times its number of submissions."""

OTHERWISE = {"exact": "every sequence of words", "recalled": "the vectors", "leaving": "every answer, until two bodies"}
"""What is looked at where it is not submissions."""

Caught = tuple[str | None, int]
"""The test that caught a leak, and in how many submissions."""


def alarms(leak: Leak, work: Work, shelf: Shelf) -> list[str]:
    """Names of the features that failed with this leak in the client."""
    if leak.audit == "exact":
        with tempfile.TemporaryDirectory() as folder:
            return exactness.differences(exactness.altered_client(Path(folder), leak.changes), short=leak.quick)
    if leak.audit == "recalled":
        with tempfile.TemporaryDirectory() as folder:
            return recalled.differences(exactness.altered_client(Path(folder), leak.changes))
    altered = reduce(lambda one, change: one.altered(*change), leak.changes, shelf)
    if leak.audit == "retries":
        found = auditing.audit_retries(work, altered, leak.submissions)
    elif leak.audit == "work":
        found = auditing.audit_work(work, altered, leak.submissions, WORK_BITS)
    elif leak.audit == "leaving":
        found = auditing.audit_leaving(work, altered, 1)
    else:
        found = auditing.audit(work, altered, leak.submissions, repeat=False)
    return [finding.feature for finding in failed(found)]


def caught(leak: Leak, names: Sequence[str]) -> str | None:
    """The name of the test that was to catch the leak, if it did."""
    return next((name for name in names if name.startswith(leak.caught_by)), None)


def catch(work: Work, shelf: Shelf, leak: Leak) -> Caught:
    """What caught the leak, and in how many submissions."""
    tried = [replace(leak, submissions=times * leak.submissions) for times in TIMES[: None if leak.long else 1]]
    for one in tried:
        if name := caught(one, alarms(one, work, shelf)):
            return name, one.submissions
    return None, tried[-1].submissions


def catch_all(leaks: Iterable[Leak], catch_one: Callable[[Leak], Caught]) -> tuple[bool, str]:
    """Whether all were caught, and the list as Markdown; each line is printed as it comes."""
    rows, complete = [], True
    for leak in leaks:
        name, submissions = catch_one(leak)
        complete = complete and name is not None
        number = OTHERWISE.get(leak.audit) or f"{submissions:,}"
        rows.append(f"| {leak.name} | {name or '**not caught**'} | {number} |")
        print(rows[-1], flush=True)
    return complete, "\n".join(["| leak | caught by | submissions |", "| --- | --- | --- |", *rows])
