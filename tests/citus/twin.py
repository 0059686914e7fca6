"""Surveys with reports from a seed, and all numbers that come of them, which must not depend on where they are stored.

    python -m tests.citus.twin

makes the tables in the database that DATABASE_URL names, the surveys in them, and says their numbers in JSON.
"""

import json
import os
import sys
from hashlib import sha256
from random import Random
from typing import Any

FIELDS = (
    "position", "measure", "choice", "stratum", "n", "sent", "unbiased", "constrained", "standard_error",
    "noise_standard_error", "low", "high", "interval", "noise_low", "noise_high", "noise_interval",
    "direct_question_n", "flags",
)  # fmt: skip
REPORTS = 400
BATCH = 37
ANALYSES = {
    "cross-table": {"rows": "cheated", "columns": "mood", "group": ""},
    "comparison": {"quantity": "cheated:1", "against": "pairs"},
}


def build(*, parts: int = 1) -> list[str]:
    """Four closed surveys: every kind of question, by hand and on paper too, by invitation, and one in so many parts.

    Their reports come in batches, some twice, and are folded in steps meanwhile. Returns the digests.
    """
    from collector.designs.parts import split_design
    from collector.designs.services import close_design, freeze_design
    from collector.invitations import batches
    from collector.reports import folding
    from tests.factories import kinds, payloads

    every_kind = kinds.every_kind(strata={"wording": {"en": "How old?"}, "groups": kinds.GROUPS}).document
    invited = payloads.document(slug="invited", invitations={"kind": "secret"})
    documents = [every_kind, payloads.document(), invited, payloads.document(slug="large")]
    designs = [freeze_design(one) for one in documents]
    batches.add(designs[2].digest, [_hash(number) for number in range(REPORTS)], stratum=None, kind="file")
    if parts > 1:
        split_design(designs[3].digest, parts)
    for design in designs:
        _store(design)
        close_design(design.digest)
        folding.fold(design.digest)
    return [design.digest for design in designs]


def _hash(number: int) -> bytes:
    return sha256(f"invitation {number}".encode()).digest()


def _store(design: Any) -> None:
    from collector.reports import folding, storing
    from collector.reports.storing import NewReport

    drawn = Random(design.digest)
    reports = [
        NewReport(
            drawn.randbytes(16),
            design.digest,
            drawn.randrange(len(design.strata)),
            bytes(drawn.randrange(size) for size in design.alphabets),
            drawn.choice([0, 0, 0, 1, 2]) if design.slug == "campus" else 0,
            _hash(number) if design.invitations else None,
        )
        for number in range(REPORTS)
    ]
    for first in range(0, REPORTS, BATCH):
        storing.store(reports[max(first - 5, 0) : first + BATCH])
        folding.fold(design.digest)


def told(digests: list[str]) -> dict[str, Any]:
    """Every number of these designs: floats as text, to their last bit."""
    from collector.designs.selectors import get_design
    from collector.reports import selectors
    from estimator.analyses import services as analyses
    from estimator.exports.formats import FORMATS
    from estimator.runs import services

    found: dict[str, Any] = {}
    for digest in digests:
        run, design = services.run_now(digest), get_design(digest)
        asked = ANALYSES if "cheated" in [item.key for item in design.items] else {}
        done = [analyses.execute(analyses.request(kind, fields, [design]).pk) for kind, fields in asked.items()]
        found[digest] = {
            "totals": [table.tolist() for table in selectors.totals(digest)],
            "recount": [table.tolist() for table in selectors.recount(digest)],
            "counts": [count(digest) for count in (selectors.report_count, selectors.received_count)],
            "by hand": [count(digest) for count in (selectors.coin_report_count, selectors.sheet_count)],
            "days": [day.count for day in selectors.daily_counts(digest)],
            "run": [run.input_digest, run.reports, run.coin_reports, run.tallies, run.groups],
            "estimates": sorted(repr(row) for row in run.estimates.values_list(*FIELDS)),
            "analyses": [[one.state, one.input_digest, one.result_digest] for one in done],
            "reports": sha256(FORMATS["reports-csv"].whole(run)).hexdigest(),
        }
    return found


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    sys.stdout.write(json.dumps(told(build())))


if __name__ == "__main__":
    main()
