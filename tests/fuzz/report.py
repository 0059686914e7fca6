"""docs/evidence/fuzz.md: what was sent, and what was answered."""

import platform
from importlib.metadata import version

from django.db import connection

from tests.fuzz.cases import Tally
from tests.fuzz.walking import Walked

TEXT = """# Fuzzing of requests and identifiers

*For security reviewers and engineers.*

Written by `make audit-fuzz`; a change by hand is lost with the next run.

{cases} requests were made of the OpenAPI document at `/api/schema/` and sent through the application, and a stranger
asked for {ids} ids. It took {minutes} minutes. {versions}; seed {seed}.

**{verdict}**

## Requests
schemathesis makes half of the requests so that they fit the document and half so that they do not. Of itself it would
hardly ever name what is there; so ids, the digest and the fields of a report are put right in some of them, each time a
different part. An owner of the survey with a token that writes, somebody signed in whose survey it is not, and nobody
ask.

Each answer is checked: no status of 500 or above, no status, content type or header that the document does not have, no
body of another shape, and no refusal that quotes a value of eight letters or more that was sent. (A researcher
who is told by 400, 409 or 422 what is wrong with a parameter or a definition of hers is told the value; no answer of
anybody is asked for there.) What a request to /api/ changed is undone before the next.

| request | who | {statuses} |
|---|---|{rule}|
{answers}

Answers of 429 are the limit on responses from one address.

## Ids
For every address that takes an id, a stranger asked for what is there and another's, for its neighbours (the next
numbers, another digit or letter) and for any others. Each answer must be that for what is nowhere, byte for byte.

| about | ids |
|---|---|
{walked}

## What this does not show
- Requests go through the application in one process, without the web server; tests/system sends some through it.
- What a browser or a person sends on purpose is in the other tests; see `tests/collector/test_hostile_requests.py`.
{faults}"""

PARTS = "Django", "schemathesis", "hypothesis"


def document(tally: Tally, walked: Walked, seconds: float, seed: int) -> str:
    """The page as Markdown."""
    statuses = sorted({status for *_, status in tally.answers})
    faults = [*(f"{where}: {fault}" for where, fault in tally.faults.items()), *walked.faults]
    verdict = (
        f"{len(faults)} FAULTS." if faults else "Every answer was as the document says; nothing was told to a stranger."
    )
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PARTS)]
    return TEXT.format(
        cases=f"{tally.cases:,}",
        ids=f"{walked.asked:,}",
        minutes=f"{seconds / 60:.1f}",
        versions=f"{', '.join(versions)}, {connection.vendor}",
        seed=seed,
        verdict=verdict,
        statuses=" | ".join(map(str, statuses)),
        rule="|".join("---" for _ in statuses),
        answers="\n".join(_rows(tally, statuses)),
        walked="\n".join(f"| {kind} | {count:,} |" for kind, count in sorted(walked.by_kind.items())),
        faults="\n## Faults\n" + "\n".join(f"- {fault}" for fault in faults) + "\n" if faults else "",
    )


def _rows(tally: Tally, statuses: list[int]) -> list[str]:
    asked = sorted({(operation, who) for operation, who, _ in tally.answers})
    return [
        f"| `{operation}` | {who} | {' | '.join(_count(tally.answers[operation, who, one]) for one in statuses)} |"
        for operation, who in asked
    ]


def _count(number: int) -> str:
    return f"{number:,}" if number else ""
