"""The full wire audit: `python -m tests.audit` writes docs/audit-wire.md, and fails where anything leaks."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.audit.standalone import standalone

TARGET = Path(__file__).parents[2] / "docs" / "audit-wire.md"
YES_NO = 20_000
"""10,000 for each of two answers."""
OTHERS = 8_000
"""2,000 for each of four answers, more where there are fewer."""
ON_DEVICE = 8_000
"""2,000 for each of four answers, half as many to a question that half of the people are asked."""
SLOWED = 5_000
"""2,500 for each answer to a yes/no question."""
RETRIES, RESTLESS, VISITS = 500, 500, 300


def part(name: str, *details: Any) -> Any:
    """One part of the audit, with a browser of its own."""
    from tests.audit import auditing, catching
    from tests.audit.driving import chromium, version

    with chromium() as work:
        if name == "version":
            return work(version)
        step = catching.catch_all if name == "catch_all" else getattr(auditing, name)
        return step(work, *details)


def main() -> bool:
    # Only here: these need Django's settings.
    from tests.audit import auditing, report
    from tests.audit.driving import chromium
    from tests.audit.findings import failed, table
    from tests.audit.leaks import LEAKS
    from tests.audit.shelf import fill_shelf
    from tests.audit.surveys import EVERY_PLACE, ON_THE_DEVICE, ONE_CHOICE_FIRST, YES_NO_FIRST

    first, second, last = map(fill_shelf, (YES_NO_FIRST, ONE_CHOICE_FIRST, ON_THE_DEVICE))
    every_place = [fill_shelf(definition) for definition in EVERY_PLACE]
    audited = [(first, YES_NO), (second, OTHERS), *((shelf, OTHERS) for shelf in every_place), (last, ON_DEVICE)]
    parts: list[tuple[Any, ...]] = [
        ("audit_slowed", first, SLOWED),
        *(("audit", shelf, number) for shelf, number in audited),
        ("audit_retries", first, RETRIES),
        ("audit_restless", second, RESTLESS),
        ("audit_restless", last, RESTLESS),
    ]
    # A browser for each processor: which of two answers is slower does not depend on what else is going on.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as processes:
        catching = processes.submit(part, "catch_all", LEAKS, first)
        browser = processes.submit(part, "version")
        found = []
        for given, future in [(given, processes.submit(part, *given)) for given in parts]:
            found += future.result()
            print(f"{given[0]} {given[1].survey}: {len(failed(found))} of {len(found)} findings failed", flush=True)
        all_caught, leaks = catching.result()
        named = browser.result()
    with chromium() as work:
        found += auditing.audit_collector(work, first, YES_NO_FIRST, VISITS)
        found += auditing.audit_collector(work, every_place[0], EVERY_PLACE[0], VISITS)
    submissions = sum(given[2] for given in parts) + 4 * VISITS
    TARGET.write_text(report.document(found, leaks, named, submissions), encoding="utf-8")
    print(table(failed(found)) if failed(found) else f"nothing leaks: {len(found)} findings", flush=True)
    return all_caught and not failed(found)


if __name__ == "__main__":
    with standalone():
        sound = main()
    sys.exit(0 if sound else 1)
