"""The page of what was tried: docs/evidence/changed-pages.md."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.attacks.changes import Attack
from tests.tools import provenance
from tests.tools.browser import ENGINES

PAGE = provenance.ROOT / "docs" / "evidence" / "changed-pages.md"
NAMES = {"chromium": "Chromium", "firefox": "Firefox", "webkit": "WebKit"}
INTRODUCTION = """# Servers that change the page

*For ethics boards, data-protection officers, engineers: what is noticed, and by whom, where a server does not send
what was published.*

Written by `make audit-pages`; do not edit. A server changes one thing for some people, drawn by the seed {seed}.
Three browsers open the link with its fingerprint, and
[the check from outside](../how-to/check-pages.md) asks in three languages from two addresses, having seen the
honest log before. Of {attacks} attacks {unnoticed} went unnoticed by both; {blocked} had no effect
in any browser that they were sent to, and the check found {found}{as_her}.
"""
LIMITS = """
*blocked*: the change had no effect. *runs*: it had. *not sent*: this browser was not among those attacked. *not
read*: respondents' browsers do not read it.

What runs is what no browser can refuse: the page is the server's, with the hashes and headers that it names. A
change for one person, known by her address and by her browser, is found only by
who asks as she does: from her network, with `--headers` a copy of what her browser sends. A server that tells
browsers by how they speak TLS can tell the check from a browser even so.

## Honest loads

| browser | loads of the page by its link | refused, or with a word in the console |
| --- | --- | --- |
"""


@dataclass
class Row:
    """An attack and what became of it."""

    attack: Attack
    effects: dict[str, bool | None] = field(default_factory=dict)
    """By engine: whether it took effect; None where it was not sent it."""
    checked: str = ""
    """What the check said; empty where it found nothing."""
    checked_as_her: str = ""
    """What it said as it asked as the person who is attacked."""

    @property
    def blocked(self) -> bool:
        sent = [effect for effect in self.effects.values() if effect is not None]
        return self.attack.change.effect != "none" and bool(sent) and not any(sent)

    @property
    def noticed(self) -> bool:
        return bool(self.checked or self.checked_as_her or self.blocked)

    def cell(self, engine: str) -> str:
        if self.attack.change.effect == "none":
            return "not read"
        return {True: "runs", False: "blocked", None: "not sent"}[self.effects[engine]]

    def of_the_check(self) -> str:
        if self.checked:
            return "finds it"
        return "finds it, asking as her" if self.checked_as_her else "**–**"


Loads = tuple[str, int, list[str]]
"""The browser's version, how often it loaded the page, and what went wrong."""


def write(rows: Sequence[Row], loads: Mapping[str, Loads], seed: int) -> None:
    as_her = sum(not row.checked and bool(row.checked_as_her) for row in rows)
    text = INTRODUCTION.format(
        seed=seed,
        attacks=len(rows),
        unnoticed=sum(not row.noticed for row in rows),
        blocked=sum(row.blocked for row in rows),
        found=sum(bool(row.checked) for row in rows),
        as_her=f", and {as_her} more when it asked as the person attacked" if as_her else "",
    )
    text += f"\n| what is changed | for whom | {' | '.join(NAMES.values())} | the check |\n|" + " --- |" * 6 + "\n"
    for row in rows:
        cells = " | ".join(row.cell(engine) for engine in ENGINES)
        text += f"| {row.attack.change.what} | {row.attack.whom} | {cells} | {row.of_the_check()} |\n"
    text += LIMITS
    for engine, (version, number, faults) in loads.items():
        text += f"| {NAMES[engine]} {version} | {number:,} | {len(faults)} |\n"
    PAGE.write_text(f"{text}\n{provenance.of_run()}\n")
