"""The wire audit in Firefox and WebKit: `python -m tests.audit.engines [SHARE]` writes docs/evidence/audit-engines.md.

What must have one value has one there too, reports follow the exact tables, and the leaks that are put into the client
are caught. Times are audited in Chromium alone (`python -m tests.audit`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.audit.features import INVARIANTS
from tests.audit.findings import Finding, failed, table
from tests.audit.standalone import standalone
from tests.tools import provenance

if TYPE_CHECKING:  # these need Django's settings
    from tests.audit.driving import Work
    from tests.audit.leaks import Leak
    from tests.audit.shelf import Shelf

TARGET = Path(__file__).parents[2] / "docs" / "evidence" / "audit-engines.md"
SHARE = next((int(word) for word in sys.argv[1:] if word.isdigit()), 1)
ENGINES = ("firefox", "webkit")
SUBMISSIONS = {"audit-a": 1_000 // SHARE, "audit-d": 500 // SHARE, "audit-h": 500 // SHARE, "audit-r": 300 // SHARE}
SEEDED = 40
"""Submissions to a client with a leak."""

TEXT = """# Wire audit in other engines

*For auditors, and for everybody who doubts that the true answer stays in the browser.*

Written by `make audit-wire`; a change by hand is lost with the next run. {run}

[The wire audit](audit-wire.md) drives Chromium. Here {browsers} answer the surveys `audit-a`, `audit-d`, `audit-h` and
`audit-r` of it, {submissions} times in all: requests, headers, bodies, what is left on the device and the random words
drawn have one value each, whatever is answered, and reports follow the exact tables. WebKit's driver cannot run a
script before those of the page, so there the page brings the recorder with it and comes without its policies; its
modules are the same. Times are audited in Chromium alone.

**{verdict}**

## Leaks that were put into the client

Each must be caught in {seeded} submissions, by the test of what it changes.

| leak | {engines} |
| --- | {lines} |
{leaks}

## Findings

{findings}
"""


def seeded() -> Iterator[Leak]:
    """The leaks that change something with one value, and not how often something is sent."""
    from tests.audit.leaks import LEAKS

    named = (*INVARIANTS, "databases, caches", "words in the console", "nonces used twice")
    for leak in LEAKS:
        of_one_value = leak.caught_by != "nonce" and any(name.startswith(leak.caught_by) for name in named)
        if leak.audit == "wire" and of_one_value:
            yield leak


def main() -> bool:
    from tests.audit import auditing, driving
    from tests.audit.shelf import fill_shelf
    from tests.audit.surveys import ARMS, ON_THE_DEVICE, REMEMBERED, YES_NO_FIRST

    shelves = [fill_shelf(one) for one in (YES_NO_FIRST, ON_THE_DEVICE, ARMS, REMEMBERED)]
    found: list[Finding] = []
    browsers, caught = [], {leak.name: dict[str, str]() for leak in seeded()}
    for engine in ENGINES:
        with driving.browsing(engine) as work:
            for shelf in shelves:
                mine = auditing.audit_engine(work, shelf, SUBMISSIONS[shelf.survey])
                print(f"{engine} {shelf.survey}: {len(failed(mine))} of {len(mine)} findings failed", flush=True)
                found += [Finding(f"{engine}, {one.survey}", *_rest(one)) for one in mine]
            for leak in seeded():
                caught[leak.name][engine] = caught_by(work, shelves[0], leak)
                print(f"{engine} {leak.name}: {caught[leak.name][engine]}", flush=True)
            browsers.append(work(driving.version))
    sound = not failed(found) and all("**" not in name for names in caught.values() for name in names.values())
    verdict = f"{len(found)} findings, nothing leaks; {len(caught)} leaks, each caught in each engine."
    rows = (f"| {name} | {' | '.join(names[engine] for engine in ENGINES)} |" for name, names in caught.items())
    TARGET.write_text(
        TEXT.format(
            run=provenance.of_run(), browsers=" and ".join(browsers), verdict=verdict if sound else "LEAKS",
            submissions=f"{len(ENGINES) * sum(SUBMISSIONS.values()):,}", seeded=SEEDED,
            engines=" | ".join(browsers), lines=" | ".join(["---"] * len(ENGINES)),
            leaks="\n".join(rows), findings=table(found),
        ),
        encoding="utf-8",
    )  # fmt: skip
    print(table(failed(found)) if failed(found) else verdict, flush=True)
    return sound


def caught_by(work: Work, shelf: Shelf, leak: Leak) -> str:
    """The feature that failed with this leak in the client; in bold that none did."""
    from tests.audit.catching import alarms, caught

    name = caught(leak, alarms(replace(leak, submissions=SEEDED), work, shelf))
    return name or "**not caught**"


def _rest(one: Finding) -> tuple[str, str, str, bool]:
    return one.feature, one.test, one.statistic, one.passed


if __name__ == "__main__":
    with standalone():
        whole = main()
    sys.exit(0 if whole else 1)
