"""`python -m tests.attacks [--seed N] [--share S]`, which is `make audit-pages`.

Each attack of the seed is tried on Chromium, Firefox and WebKit, and on the check from outside; then the honest page is
loaded 10,000 times. Writes docs/evidence/changed-pages.md, and fails where neither a browser nor the check noticed an
attack, or where anything was refused in an honest load.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright
from tqdm import tqdm

from tests.audit.standalone import prepare, standalone
from tests.tools.browser import ENGINES

if TYPE_CHECKING:
    from tests.attacks.changes import Attack
    from tests.attacks.report import Loads
    from tests.attacks.site import Site

SEED = 20261128
LOADS = {"chromium": 6000, "firefox": 2000, "webkit": 2000}


def main(seed: int, share: float) -> bool:
    prepare()
    from tests.attacks import changes, checks, report
    from tests.attacks.proxy import proxy
    from tests.attacks.site import site

    with standalone(), proxy() as through, tempfile.TemporaryDirectory() as folder:
        served, attacks = site(), changes.attacks(seed)
        seen = Path(folder) / "seen.json"
        honest = checks.found(served, None, through, seen, hers={})
        rows = [report.Row(attack) for attack in attacks]
        loads, hers = {}, {}
        for engine in ENGINES:
            number = round(LOADS[engine] * share)
            with ThreadPoolExecutor(max_workers=1) as thread:  # playwright has an event loop, Django would refuse
                hers[engine], effects, loads[engine] = thread.submit(drive, engine, served, attacks, number).result()
            for row, effect in zip(rows, effects, strict=True):
                row.effects[engine] = effect
        headers = checks.written(hers["chromium"], Path(folder) / "headers")
        for row in tqdm(rows, desc="check"):
            row.checked = checks.found(served, row.attack, through, seen, hers=hers["chromium"])
            if not row.checked:
                again = checks.found(served, row.attack, through, seen, hers=hers["chromium"], headers=headers)
                row.checked_as_her = again
    report.write(rows, loads, seed)
    print(json.dumps(loads, indent=1), honest)
    return not honest and all(row.noticed for row in rows) and not any(faults for _, _, faults in loads.values())


def drive(
    engine: str, served: "Site", attacks: "list[Attack]", number: int
) -> tuple[Mapping[str, str], list[bool | None], "Loads"]:
    """A browser's headers, the effect of each attack in it, and its honest loads."""
    from tests.attacks import driving
    from tests.browser.launching import launched

    with sync_playwright() as playwright, launched(playwright, engine) as browser:
        headers = driving.says_of_itself(browser, served)
        hers = headers.get("User-Agent", "")
        effects = [driving.takes_effect(browser, served, one, hers) for one in tqdm(attacks, desc=engine)]
        faults = driving.honest_loads(browser, served, number)
        return headers, effects, (browser.version, number, faults)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--share", type=float, default=1.0, help="of the honest loads")
    options = parser.parse_args()
    sys.exit(0 if main(options.seed, options.share) else 1)
