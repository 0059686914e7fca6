"""Every attack by slow senders, on an installation as `make run` and as `make stack` have it: `python -m tests.slow`.

It writes docs/evidence/slow-senders.md, and fails where fewer than 95 % of others' reports are taken. Words after it
choose attacks by their numbers; these are printed alone.
"""

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.audit.standalone import prepare
from tests.slow.attack import KINDS, Attack, Result
from tests.system.installation import ROOT, Installation
from tests.system.stack import Stack
from tests.tools import provenance

PAGE = ROOT / "docs" / "evidence" / "slow-senders.md"
SECONDS = 30.0
LEAST = 0.95

CROWDS = [(kind, 4, 24) for kind in KINDS] + [
    ("a body that drips", 10, 60),
    ("a body that drips", 4, 600),
    ("nothing at all", 4, 1200),
    ("answers that nobody reads", 4, 600),
]
"""Each kind as it was found, then more addresses and more connections."""

INTRODUCTION = f"""# Slow senders

*For operators and engineers.*

Written by `make audit-slow-senders`; a change by hand is lost with the next run. {{run}}

Connections that are as slow as they may be, each begun anew as soon as it is ended, for {SECONDS:g} seconds a line;
meanwhile respondents with other addresses send a report every half second, once. At least {LEAST:.0%} of those are to
be taken. Attackers, respondents and the platform share one machine. How they are held off:
[receiving responses](receiving-responses.md#failures-and-overload). Before, the first line was 0 %
(66 of 66 refused in 106 seconds).
"""

HEAD = "| attack | addresses x connections | reports taken | their wait: median, longest | held: median, longest |"


@contextmanager
def running(stack: bool) -> Iterator[Installation]:
    """An installation with one open survey."""
    folder = Path(tempfile.mkdtemp(prefix="candor-slow-"))
    folder.chmod(0o755)
    installation = Stack(folder, folder / "s") if stack else Installation(folder)
    try:
        installation.start(*(["--stack"] if stack else []), "--no-demo", seconds=600)
        _open_survey(installation, folder / "survey.yaml")
        yield installation
    finally:
        if installation.launcher and installation.launcher.poll() is None:
            installation.interrupt()
        shutil.rmtree(folder, ignore_errors=True)


def _open_survey(installation: Installation, file: Path) -> None:
    from surveys.definition import definitions
    from tests.factories import payloads

    file.write_text(definitions.dump(payloads.definition()))
    installation.manage("shell", "-c", "from django.contrib.auth.models import User; User(is_staff=True).save()")
    installation.manage("import_survey", str(file))
    installation.manage("open_survey", "campus")


def attacked(installation: Installation, kind: str, addresses: int, connections: int) -> Result:
    from collector.designs import check
    from tests.factories import payloads

    static = installation.data / "static"
    large = max(static.rglob("*.css"), key=lambda file: file.stat().st_size).relative_to(static)
    attack = Attack(KINDS[kind], installation.port, addresses, connections, large=f"/static/{large}")
    design = check(payloads.opened())
    return asyncio.run(attack.run(SECONDS, lambda nonce: payloads.body(design, nonce=nonce)))


def row(kind: str, addresses: int, connections: int, result: Result) -> str:
    held = f"{statistics.median(result.held):.1f} s, {max(result.held):.1f} s" if result.held else "to the end"
    wait = f"{statistics.median(result.waits):.2f} s, {max(result.waits):.2f} s"
    sent = f"{result.statuses[201]} of {result.statuses.total()}"
    return f"| {kind} | {addresses} x {connections} | {sent} | {wait} | {held} |"


def main() -> bool:
    chosen = [CROWDS[int(word)] for word in sys.argv[1:]] or CROWDS
    lines, sound, begun = [INTRODUCTION.format(run=provenance.of_run())], True, time.monotonic()
    for name, stack in (("`make run`: SQLite, one web process", False), ("`make stack`: PostgreSQL, two", True)):
        lines.append(f"## {name}")
        lines.append(HEAD)
        lines.append("|---|---|---|---|---|")
        with running(stack) as installation:
            for crowd in chosen:
                result = attacked(installation, *crowd)
                sound = sound and result.taken >= LEAST
                lines.append(row(*crowd, result))
                print(lines[-1], flush=True)
        lines.append("")
    lines.append(f"It took {(time.monotonic() - begun) / 60:.0f} minutes.")
    if chosen is CROWDS:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sound


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.slow", description=__doc__.splitlines()[0])
    parser.add_argument("attacks", nargs="*", help="their numbers; all of them if left out")
    parser.parse_args()
    prepare()
    sys.exit(0 if main() else 1)
