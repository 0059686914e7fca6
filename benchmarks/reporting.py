"""Time of the estimate report of a million reports, as a page and as a PDF: docs/evidence/report-speed.md.

    python -m benchmarks.reporting

Four questions (yes/no, one choice, a scale, a number) in three groups, on SQLite. The totals are written directly: how
long counting takes is measured elsewhere. Each time is the first one of a new process.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

REPORTS = 1_000_000
PAGE = Path(__file__).parents[1] / "docs/evidence/report-speed.md"
SECTION = re.compile(r"(<!-- written by benchmarks/reporting.py -->\n).*?(<!-- until here -->)", re.S)
HEAD = "| what | seconds | kB |\n|---|---|---|\n"
LANGUAGES = ("en", "de")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--here", metavar="WHAT", help="measure this one in this very process")
    here = parser.parse_args().here
    if here:
        print(json.dumps(measure(here)))
        return
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as folder:
        environment = {**os.environ, "CANDOR_DATA": folder, "DATABASE_URL": ""}
        environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        rows = []
        for what in ("estimates", *(f"{shape}, {language}" for shape in ("html", "pdf") for language in LANGUAGES)):
            command = [sys.executable, "-m", "benchmarks.reporting", "--here", what]
            told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
            seconds, size = json.loads(told.splitlines()[-1])
            rows.append(
                f"| {what} | {seconds:.2f} | {size / 1000:,.0f} |\n" if size else f"| {what} | {seconds:.2f} | |\n"
            )
            print(rows[-1], end="", flush=True)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(SECTION.sub(lambda page: page[1] + HEAD + "".join(rows) + page[2], text), encoding="utf-8")


def measure(what: str) -> tuple[float, int]:
    """Seconds, and the bytes of the file."""
    import django

    django.setup()
    from estimator.models import Run
    from estimator.reports import files
    from estimator.runs import services

    if what == "estimates":
        digest = _filled()
        start = time.perf_counter()
        services.run_now(digest)
        return time.perf_counter() - start, 0
    shape, language = what.split(", ")
    run = Run.objects.get()
    start = time.perf_counter()
    made = (files.html_file if shape == "html" else files.pdf_file)(run, language)
    return time.perf_counter() - start, len(made)


def _filled() -> str:
    """A closed design whose totals hold a million reports; its digest."""
    from django.core.management import call_command

    from collector.designs.services import close_design, freeze_design
    from collector.models import FrozenDesign, Tally
    from tests.factories import kinds, payloads

    call_command("migrate", verbosity=0)
    items = [dict(item) for item in kinds.items() if item["key"] in ("smokes", "substance", "mood", "drinks")]
    for item in items:
        item["section"] = "first"
    groups = [{"key": f"g{n}", "label": {"en": f"Group {n}"}, "share": None} for n in range(1, 4)]
    document: dict[str, Any] = kinds.document(items=items, sections=kinds.document()["sections"][:1])
    design = freeze_design(document | {"strata": payloads.document()["strata"] | {"groups": groups}})
    generator = np.random.default_rng(1)
    sizes = generator.multinomial(REPORTS, [0.5, 0.3, 0.2])
    frozen = FrozenDesign.objects.get(digest=design.digest)
    Tally.objects.bulk_create(
        Tally(design=frozen, stratum=stratum, position=position, symbol=symbol, count=int(count))
        for stratum, size in enumerate(sizes)
        for position, alphabet in enumerate(design.alphabets)
        for symbol, count in enumerate(
            generator.multinomial(size, np.arange(alphabet, 0, -1) / (alphabet * (alphabet + 1) / 2))
        )
    )
    close_design(design.digest)
    return design.digest


if __name__ == "__main__":
    main()
