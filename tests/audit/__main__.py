"""The full wire audit: `python -m tests.audit` writes docs/audit-wire.md, and fails where anything leaks."""

import sys
from pathlib import Path

from tests.audit.standalone import standalone

TARGET = Path(__file__).parents[2] / "docs" / "audit-wire.md"
YES_NO = 20_000
"""10,000 for each of two answers."""
ONE_CHOICE = 10_000
"""2,500 for each of four answers, more where there are fewer."""
RETRIES, RESTLESS, VISITS = 500, 500, 300


def main() -> bool:
    # Only here: these need Django's settings.
    from tests.audit import auditing, report
    from tests.audit.catching import catch_all
    from tests.audit.driving import chromium, version
    from tests.audit.findings import failed, table
    from tests.audit.leaks import LEAKS
    from tests.audit.shelf import fill_shelf
    from tests.audit.surveys import ONE_CHOICE_FIRST, YES_NO_FIRST

    first, second = fill_shelf(YES_NO_FIRST), fill_shelf(ONE_CHOICE_FIRST)
    with chromium() as work:
        all_caught, leaks = catch_all(LEAKS, work, first)
        browser, found = work(version), []
        for step, shelf, number in ((auditing.audit, first, YES_NO), (auditing.audit, second, ONE_CHOICE)):
            found += step(work, shelf, number)
            print(table(found), flush=True)
        found += auditing.audit_retries(work, first, RETRIES)
        found += auditing.audit_restless(work, second, RESTLESS)
        found += auditing.audit_collector(work, first, YES_NO_FIRST, VISITS)
    submissions = YES_NO + ONE_CHOICE + RETRIES + RESTLESS + 2 * VISITS
    TARGET.write_text(report.document(found, leaks, browser, submissions), encoding="utf-8")
    print(table(failed(found)) if failed(found) else f"nothing leaks: {len(found)} findings", flush=True)
    return all_caught and not failed(found)


if __name__ == "__main__":
    with standalone():
        sound = main()
    sys.exit(0 if sound else 1)
