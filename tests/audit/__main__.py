"""The wire audit: `python -m tests.audit [SHARE]` writes docs/evidence/audit-wire.md, and fails where anything leaks.

SHARE, one of 1, 2, 3, ..., makes that part of the submissions: 4 makes a quarter. The document says how many were made.

What a part found is kept in var/audit under a name made of all that it depends on: the pages with their scripts, the
audit's own code, the browser. So an audit that was cut off goes on where it was, and never with what has changed since.
"""

import argparse
import multiprocessing
import os
import sys
from pathlib import Path
from typing import Any

from tests.audit.parts import kept_part, part
from tests.audit.standalone import prepare, standalone

TARGET = Path(__file__).parents[2] / "docs" / "evidence" / "audit-wire.md"
SHARE = next((int(word) for word in sys.argv[1:] if word.isdigit()), 1)
YES_NO = 20_000 // SHARE
"""10,000 for each of two answers."""
OTHERS = 8_000 // SHARE
"""2,000 for each of four answers, more where there are fewer."""
SLOWED = 2_000 // SHARE
"""1,000 for each answer to a yes/no question: a difference shows six times as much there, and so long takes each."""
RETRIES, RESTLESS, VISITS = 500 // SHARE, 500 // SHARE, 300 // SHARE


def main() -> bool:
    # Only here: these need Django's settings.
    from tests.audit import auditing, report
    from tests.audit.catching import catch_all
    from tests.audit.driving import chromium
    from tests.audit.findings import failed, table
    from tests.audit.leaks import LEAKS
    from tests.audit.shelf import fill_shelf
    from tests.audit.surveys import (
        ARMS,
        EVERY_PLACE,
        ON_THE_DEVICE,
        ONE_CHOICE_FIRST,
        REMEMBERED,
        TOLD_OPENLY,
        WORK_BITS,
        YES_NO_FIRST,
    )

    first, second, last, remembered = map(fill_shelf, (YES_NO_FIRST, ONE_CHOICE_FIRST, ON_THE_DEVICE, REMEMBERED))
    openly, arms = map(fill_shelf, (TOLD_OPENLY, ARMS))
    every_place = [fill_shelf(definition) for definition in EVERY_PLACE]
    audited = [(first, YES_NO), (second, OTHERS), *((shelf, OTHERS) for shelf in every_place)]
    audited += [(last, OTHERS), (remembered, OTHERS), (openly, OTHERS), (arms, OTHERS)]
    parts: list[tuple[Any, ...]] = [
        ("audit_slowed", first, SLOWED),
        *(("audit", shelf, number) for shelf, number in audited),
        ("audit_retries", first, RETRIES),
        ("audit_returning", remembered, RETRIES),
        ("audit_work", fill_shelf(ON_THE_DEVICE | {"slug": "audit-w"}, work_bits=WORK_BITS), RESTLESS, WORK_BITS),
        ("audit_leaving", first, 6),
        ("audit_killed", first, 12),
        ("audit_restless", second, RESTLESS),
        ("audit_restless", last, RESTLESS),
        ("audit_restless", openly, RESTLESS),
    ]
    # A process and a browser for each part, as many at once as there are processors that we may use: which of two
    # answers is slower does not depend on what else is going on.
    processors = len(os.sched_getaffinity(0))
    fresh = multiprocessing.get_context("spawn").Pool(processors, initializer=prepare, maxtasksperchild=1)
    with fresh as processes:
        named = processes.apply(part, ("version",))
        begun = [(given, processes.apply_async(kept_part, (named, given))) for given in parts]
        catching = {leak: processes.apply_async(kept_part, (named, ("catch", first, leak))) for leak in LEAKS}
        found = []
        for given, result in begun:
            mine = result.get()
            print(f"{given[0]} {given[1].survey}: {len(failed(mine))} of {len(mine)} findings failed", flush=True)
            if failed(mine):
                print(table(failed(mine)), flush=True)
            found += mine
        all_caught, leaks = catch_all(LEAKS, lambda leak: catching[leak].get())
    with chromium() as work:
        found += auditing.audit_collector(work, first, YES_NO_FIRST, VISITS)
        found += auditing.audit_collector(work, every_place[0], EVERY_PLACE[0], VISITS)
    submissions = sum(given[2] for given in parts) + 4 * VISITS
    TARGET.write_text(report.document(found, leaks, named, submissions, YES_NO // 2, OTHERS // 4), encoding="utf-8")
    print(table(failed(found)) if failed(found) else f"nothing leaks: {len(found)} findings", flush=True)
    return all_caught and not failed(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.audit", description=__doc__.splitlines()[0])
    parser.add_argument("share", nargs="?", type=int, help="2 makes half of the submissions, 4 a quarter")
    parser.parse_args()
    with standalone():
        sound = main()
    sys.exit(0 if sound else 1)
