"""The platform's speed: taking reports against an empty page of the same server, folding against numpy's counting.

    make bench

Both halves of each ratio are measured in the same run on the same machine; absolute rates drift with the machine.
"""

import argparse
import http.client
import json
import os
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

CONNECTIONS = 8
REQUESTS = 4_000
REPORTS = 200_000
ITEMS = 20


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as folder:
        os.environ["CANDOR_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        intake(Path(folder))
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as folder:
        os.environ["CANDOR_DATA"] = folder
        folding()


def intake(folder: Path) -> None:
    """Reports a second over HTTP, each on disk before it is answered."""
    from surveys.definition import definitions
    from tests.factories import payloads
    from tests.system.installation import Installation

    site = Installation(folder)
    site.start("--no-demo")
    try:
        (folder / "survey.yaml").write_text(definitions.dump(payloads.definition()))
        site.manage("shell", "-c", "from django.contrib.auth.models import User; User(is_staff=True).save()")
        site.manage("import_survey", str(folder / "survey.yaml"))
        digest = json.loads(site.manage("open_survey", "campus", "--json"))["digest"]
        headers = {"Content-Type": "application/json", "Origin": site.url}

        def report(connection: http.client.HTTPConnection) -> int:
            body = {"design": digest, "nonce": secrets.token_hex(16), "stratum": "y1", "report": "0102"}
            connection.request("POST", "/s/campus/reports", json.dumps(body), headers)
            return answer(connection)

        def empty(connection: http.client.HTTPConnection) -> int:
            connection.request("GET", "/healthz")
            return answer(connection)

        floor, _ = load(site.port, empty, expected=200)
        rate, waits = load(site.port, report, expected=201)
        stored = site.stored()
    finally:
        site.interrupt()
    assert stored == REQUESTS, "every report that was answered with 201 is there"
    print(f"{'empty page (healthz, one query)':<52}{floor:>10,.0f} /s")
    print(f"{'reports stored, SQLite, synchronous=FULL':<52}{rate:>10,.0f} /s   {rate / floor:5.2f} x the empty page")
    quantiles = statistics.quantiles(waits, n=100)
    print(f"{'wait for 201, median and 99 %':<52}{1000 * quantiles[49]:>7.1f} ms {1000 * quantiles[98]:7.1f} ms")


def answer(connection: http.client.HTTPConnection) -> int:
    response = connection.getresponse()
    response.read()
    return response.status


def load(
    port: int, request: Callable[[http.client.HTTPConnection], int], *, expected: int
) -> tuple[float, list[float]]:
    """Requests a second over all connections, and how long each took."""

    def work(_: int) -> list[float]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        waits = []
        for _ in range(REQUESTS // CONNECTIONS):
            start = time.perf_counter()
            assert request(connection) == expected
            waits.append(time.perf_counter() - start)
        connection.close()
        return waits

    start = time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        waits = [wait for part in pool.map(work, range(CONNECTIONS)) for wait in part]
    return REQUESTS / (time.perf_counter() - start), waits


def folding() -> None:
    """Stored reports to totals, and the recount that checks them."""
    import django

    django.setup()
    from django.core.management import call_command

    from collector.designs.services import freeze_design
    from collector.models import FrozenDesign, WaitingReport
    from collector.reports import folding as folder
    from collector.reports import selectors
    from tests.factories import payloads

    call_command("migrate", verbosity=0)
    item = payloads.document()["items"][0]
    design = freeze_design(payloads.document(items=[item | {"key": f"q{number}"} for number in range(ITEMS)]))
    symbols = np.random.default_rng(1).integers(0, 2, size=(REPORTS, ITEMS), dtype=np.uint8)
    frozen = FrozenDesign.objects.get(digest=design.digest)
    rows = (
        WaitingReport(nonce=secrets.token_bytes(16), design=frozen, stratum=n % 2, report=bytes(symbols[n]))
        for n in range(REPORTS)
    )
    WaitingReport.objects.bulk_create(rows, batch_size=5_000)
    floor = timed(lambda: [np.bincount(symbols[:, item], minlength=2) for item in range(ITEMS)])
    print(f"{f'numpy bincount alone, {REPORTS:,} reports x {ITEMS} items':<52}{1000 * floor:>10,.0f} ms")
    steps = {
        "folding them, exactly once": lambda: folder.fold(design.digest),
        "recounting them from the store": lambda: selectors.recount(design.digest),
    }
    for name, step in steps.items():
        seconds = timed(step)
        print(f"{name:<52}{1000 * seconds:>10,.0f} ms   {seconds / floor:5.0f} x")


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
