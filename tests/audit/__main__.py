"""The full wire audit: `python -m tests.audit` writes docs/audit-wire.md, and fails where anything leaks."""

import sys
from pathlib import Path

from tests.audit.standalone import standalone

TARGET = Path(__file__).parents[2] / "docs" / "audit-wire.md"
YES_NO = 20_000
"""10,000 for each of two answers."""
OTHERS = 10_000
"""2,000 for each of five answers, more where there are fewer."""
SLOWED = 10_000
"""5,000 for each answer to a yes/no question."""
RETRIES, RESTLESS, VISITS = 500, 500, 300


def main() -> bool:
    # Only here: these need Django's settings.
    from tests.audit import auditing, report
    from tests.audit.catching import catch_all
    from tests.audit.driving import chromium, version
    from tests.audit.findings import failed, table
    from tests.audit.leaks import LEAKS
    from tests.audit.shelf import fill_shelf
    from tests.audit.surveys import EVERY_PLACE, ON_THE_DEVICE, ONE_CHOICE_FIRST, YES_NO_FIRST

    first, *others = map(fill_shelf, (YES_NO_FIRST, ONE_CHOICE_FIRST, *EVERY_PLACE, ON_THE_DEVICE))
    with chromium() as work:
        all_caught, leaks = catch_all(LEAKS, work, first)
        browser, found = work(version), []
        for shelf, number in ((first, YES_NO), *((other, OTHERS) for other in others)):
            found += auditing.audit(work, shelf, number)
            print(f"{shelf.survey}: {len(found)} findings so far, {len(failed(found))} failed", flush=True)
        found += auditing.audit_slowed(work, first, SLOWED)
        found += auditing.audit_retries(work, first, RETRIES)
        found += auditing.audit_restless(work, others[0], RESTLESS)
        found += auditing.audit_restless(work, others[-1], RESTLESS)
        found += auditing.audit_collector(work, first, YES_NO_FIRST, VISITS)
        found += auditing.audit_collector(work, others[1], EVERY_PLACE[0], VISITS)
    submissions = YES_NO + OTHERS * len(others) + SLOWED + RETRIES + 2 * RESTLESS + 4 * VISITS
    TARGET.write_text(report.document(found, leaks, browser, submissions), encoding="utf-8")
    print(table(failed(found)) if failed(found) else f"nothing leaks: {len(found)} findings", flush=True)
    return all_caught and not failed(found)


if __name__ == "__main__":
    with standalone():
        sound = main()
    sys.exit(0 if sound else 1)
