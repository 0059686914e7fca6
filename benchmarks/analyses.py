"""The speed of analyses of a million reports: of totals, which are kept, and of pairs, for which each report is read.

make bench
"""

import argparse
import os
import secrets
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collector.designs import Design

REPORTS = 1_000_000
CHUNK = 20_000


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as folder:
        os.environ["CANDOR_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        analyses()


def analyses() -> None:
    """Each kind as a job, from the waiting row to the result."""
    import django

    from collector.designs.services import freeze_design

    django.setup()
    from django.core.management import call_command
    from django.db import transaction

    from estimator.analyses import services as jobs
    from tests.factories import payloads

    call_command("migrate", verbosity=0)
    design = freeze_design(payloads.document())
    with transaction.atomic():
        fill(design)
    asked = {
        "comparison": {"quantity": "cheated:1", "against": "pairs"},
        "weighting": {"item": "mood", "share-y1": "40", "share-y2": "60"},
        "regression": {"outcome": "cheated", "reference": "y1"},
        "cross-table": {"rows": "cheated", "columns": "mood"},
    }
    for kind, said in asked.items():
        waiting = jobs.request(kind, said, [design])
        start = time.perf_counter()
        done = jobs.execute(waiting.pk)
        assert (done.state, done.reports) == ("done", REPORTS)
        print(f"{f'{kind} of {REPORTS:,} reports':<52}{1000 * (time.perf_counter() - start):>10,.0f} ms")


def fill(design: "Design") -> None:
    """Reports as they are once they are folded, and their totals."""
    from collector.models import FrozenDesign, Report, Tally
    from collector.reports import selectors

    frozen = FrozenDesign.objects.get(digest=design.digest)
    generator = np.random.default_rng(1)
    for _ in range(REPORTS // CHUNK):
        symbols = np.stack([generator.integers(0, size, CHUNK) for size in design.alphabets], axis=1).astype(np.uint8)
        strata = generator.integers(0, len(design.strata), CHUNK).tolist()
        Report.objects.bulk_create(
            Report(nonce=secrets.token_bytes(16), design=frozen, stratum=stratum, report=row.tobytes())
            for stratum, row in zip(strata, symbols, strict=True)
        )  # fmt: skip
    Tally.objects.bulk_create(
        Tally(design=frozen, stratum=stratum, position=position, symbol=symbol, count=int(count))
        for position, table in enumerate(selectors.recount(design.digest))
        for (stratum, symbol), count in np.ndenumerate(table)
    )


if __name__ == "__main__":
    main()
