"""What was killed and what became of the reports, as a page with a picture."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks._svg import COLOURS, Panel, picture
from tests.chaos.checking import Outcome
from tests.chaos.killing import Killer
from tests.chaos.named import WHO, Struck
from tests.chaos.sending import Sender
from tests.tools import provenance

DOCS = Path(__file__).parents[2] / "docs"
BIN = 5.0
"""Seconds that a point of the picture stands for."""


@dataclass(frozen=True)
class Result:
    """One kind of installation, after all its kills."""

    kind: str
    killer: Killer
    senders: list[Sender]
    outcome: Outcome


@dataclass(frozen=True)
class Deaths:
    """One kind of installation, after a death at each of its named points."""

    kind: str
    struck: list[Struck]
    outcome: Outcome
    found: bool
    """Whether the audit found the fault that was put in on purpose."""

    @property
    def sound(self) -> bool:
        return self.outcome.sound and self.found and all(one.sound for one in self.struck)


def write(results: list[Result]) -> None:
    (DOCS / "evidence" / "chaos.md").write_text(page(results), encoding="utf-8")
    (DOCS / "images" / "chaos.svg").write_text(drawing(results), encoding="utf-8")


def page(results: list[Result]) -> str:
    kills = sum(sum(result.killer.kills.values()) for result in results)
    return "\n".join(
        [
            "# Processes killed at random",
            "",
            "*For engineers and reviewers.*",
            "",
            "Written by `make audit-crashes`; do not edit. Reports were sent as fast as they were answered; each kind",
            f"of process was killed with -9 at random moments, {kills} times in all. Whoever got no answer, or was",
            "told 503, sent the same bytes again. Afterwards the tables were read by code that shares nothing with the",
            f"collector. {provenance.of_run()}",
            "",
            "![Reports acknowledged over time](../images/chaos.svg)",
            "",
            *_table("", [result.kind for result in results], _rows(results)),
            "",
            "## Who was killed",
            "",
            *_table("process", [result.kind for result in results], _kills(results)),
            "",
        ]
    )


def write_deaths(deaths: list[Deaths]) -> None:
    (DOCS / "evidence" / "faults.md").write_text(page_of_deaths(deaths), encoding="utf-8")


def page_of_deaths(deaths: list[Deaths]) -> str:
    lines = [
        "# Processes killed at named points",
        "",
        "*For engineers and reviewers.*",
        "",
        "Written by `make audit-crashes`; do not edit. It also kills at random moments: [chaos](chaos.md). Here are",
        f"{sum(len(one.struck) for one in deaths)} deaths, one at each place where one could matter: before every",
        "statement that writes, before and after every commit, message and file. Reports came in meanwhile. Whoever",
        "had asked asked again; what workers do was left to them. Right after each death totals and days were compared",
        "with a recount of the kept reports in one state of the tables. What it was about was looked at then, and in",
        f"the end, after the others had gone on. {provenance.of_run()}",
        "",
        *_table("", [one.kind for one in deaths], _checks(deaths)),
        "",
        "The fault that was put in is a worker that commits the totals before it moves the reports that they count,",
        "and dies in between (`tests/chaos/broken.py`).",
        "",
        "What was there right after the death, and what in the end:",
        "",
        *_table("point, and who dies", [one.kind for one in deaths], _points(deaths), right=False),
        "",
    ]
    return "\n".join(lines)


def _checks(deaths: list[Deaths]) -> list[tuple[str, list[str]]]:
    outcomes = [one.outcome for one in deaths]
    return [
        ("deaths", [str(len(one.struck)) for one in deaths]),
        ("totals equalled the recount right after", [str(sum(p.fitted for p in one.struck)) for one in deaths]),
        ("all or nothing right after", [str(sum(p.fair for p in one.struck)) for one in deaths]),
        ("all done in the end", [str(sum(p.in_the_end == p.wanted for p in one.struck)) for one in deaths]),
        ("reports acknowledged meanwhile", [f"{one.acknowledged:,}" for one in outcomes]),
        ("acknowledged and lost", [str(one.lost) for one in outcomes]),
        ("stored and never sent, or changed", [str(one.unknown + one.changed) for one in outcomes]),
        ("totals and days equal the recount", [_yes(one.totals_agree and one.days_agree) for one in outcomes]),
        ("jobs stuck", [str(one.stuck) for one in outcomes]),
        ("a fault that was put in is found", [_yes(one.found) for one in deaths]),
    ]


def _points(deaths: list[Deaths]) -> list[tuple[str, list[str]]]:
    names = {point.point: None for one in deaths for point in one.struck}
    found = [{point.point: point for point in one.struck} for one in deaths]
    return [
        (f"{name} ({WHO.get(name.split(':')[0], 'worker')})", [_left(one.get(name)) for one in found]) for name in names
    ]


def _left(one: Struck | None) -> str:
    if one is None:
        return "–"
    fault = "" if one.sound else "**unsound**: "
    if not one.at_once:
        return f"{fault}nothing but what waits"
    return f"{fault}{one.at_once}" + (f" → {one.in_the_end}" if one.in_the_end != one.at_once else "")


def drawing(results: list[Result]) -> str:
    panels = []
    for result in results:
        begin = min(moment for moment, _ in result.killer.moments)
        times = [time - begin for sender in result.senders for time in sender.times if time >= begin]
        counts = Counter(int(time // BIN) for time in times)
        points = [(BIN * place, counts[place] / BIN) for place in range(max(counts, default=0))]
        panels.append(_panel(result, points))
    names = {name: None for result in results for name in result.killer.kills}
    legend = dict(zip(names, COLOURS, strict=False))
    for panel, result in zip(panels, results, strict=True):
        begin = min(moment for moment, _ in result.killer.moments)
        for moment, name in result.killer.moments:
            panel.dot(moment - begin, 0, legend[name])
    return picture(panels, 1, legend, "Reports acknowledged a second, with a dot for each process that was killed")


def _panel(result: Result, points: list[tuple[float, float]]) -> Panel:
    """Reports a second over minutes."""
    last = max((x for x, _ in points), default=1.0) or 1.0
    most = max((y for _, y in points), default=1.0) or 1.0
    minutes = range(int(last // 60) + 1)
    panel = Panel(
        f"{result.kind}: reports acknowledged a second, over minutes",
        (0.0, last),
        (0.0, most),
        {60.0 * minute: str(minute) for minute in minutes},
        {0.0: "0", most: f"{most:,.0f}"},
        width=760,
    )
    panel.curve(points, "#787774")
    return panel


def _rows(results: list[Result]) -> list[tuple[str, list[str]]]:
    answers = [sum((sender.answers for sender in result.senders), Counter[str]()) for result in results]
    outcomes = [result.outcome for result in results]
    return [
        ("reports sent", [f"{one.sent:,}" for one in outcomes]),
        ("acknowledged", [f"{one.acknowledged:,}" for one in outcomes]),
        ("stored", [f"{one.stored:,}" for one in outcomes]),
        ("answers 503", [f"{one['503']:,}" for one in answers]),
        ("no answer", [f"{one['no answer']:,}" for one in answers]),
        ("acknowledged and lost", [str(one.lost) for one in outcomes]),
        ("stored and never sent", [str(one.unknown) for one in outcomes]),
        ("changed", [str(one.changed) for one in outcomes]),
        ("totals equal the recount", [_yes(one.totals_agree) for one in outcomes]),
        ("days add up", [_yes(one.days_agree) for one in outcomes]),
        ("other answers", [str(sum(one.unfair.values())) for one in outcomes]),
        ("jobs stuck", [str(one.stuck) for one in outcomes]),
    ]


def _kills(results: list[Result]) -> list[tuple[str, list[str]]]:
    names = {name: None for result in results for name in result.killer.kills}
    return [(name, [str(result.killer.kills[name] or "–") for result in results]) for name in names]


def _table(first: str, heads: list[str], rows: list[tuple[str, list[str]]], *, right: bool = True) -> list[str]:
    lines = [f"| {' | '.join([first, *heads])} |", f"| --- {('| ---: ' if right else '| --- ') * len(heads)}|"]
    return lines + [f"| {' | '.join([name, *cells])} |" for name, cells in rows]


def _yes(true: bool) -> str:
    return "yes" if true else "**no**"
