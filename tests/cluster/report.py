"""What was struck and what came of it: a table and a picture, written into docs/evidence/high-availability.md."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks._svg import COLOURS, Panel, picture
from tests.chaos.checking import Outcome
from tests.cluster.striking import Acknowledging, Struck
from tests.tools import provenance

DOCS = Path(__file__).parents[2] / "docs"
BEGIN, END = "<!-- written by make chaos-cluster -->", "<!-- until here -->"
BIN = 5.0
"""Seconds that a point of the picture stands for."""

WORDS = {
    "primary": "primary killed",
    "etcd": "etcd's leader killed",
    "redis": "Redis' master killed",
    "partition": "machine cut off",
    "machine": "machine killed",
}
SOON = 30.0
"""Seconds within which there must be another primary in 95 of 100 strikes."""


def write(strikes: Sequence[Struck], outcome: Outcome, senders: Sequence[Acknowledging], *, in_logs: float) -> None:
    page = DOCS / "evidence" / "high-availability.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    said = "\n".join(lines(strikes, outcome, senders, in_logs=in_logs))
    page.write_text(f"{before}{BEGIN}\n{said}\n{END}{after}", encoding="utf-8")
    (DOCS / "images" / "cluster.svg").write_text(drawing(strikes, senders), encoding="utf-8")


def lines(
    strikes: Sequence[Struck], outcome: Outcome, senders: Sequence[Acknowledging], *, in_logs: float
) -> list[str]:
    seconds = strikes[-1].until - strikes[0].at
    elected = [one.elected for one in strikes if one.elected]
    soon = sum(one <= SOON for one in elected)
    moments = sum(strikes[0].at <= at <= strikes[-1].until for one in senders for at in one.moments)
    return [
        f"{len(strikes)} strikes in {seconds / 60:.0f} minutes, {moments / seconds:.0f} reports acknowledged a second",
        "meanwhile. All processes, and whoever sends, shared one machine of two cores. *Silent* is the longest time in",
        f"which nobody's report was acknowledged. {provenance.of_run()}",
        "",
        "| strike | times | silent: median, most | another primary after: median, most |",
        "| --- | ---: | ---: | ---: |",
        *(_row(kind, [one for one in strikes if one.kind == kind]) for kind in WORDS),
        "",
        "| | |",
        "| --- | ---: |",
        f"| reports acknowledged | {outcome.acknowledged:,} |",
        f"| acknowledged and lost | {outcome.lost} |",
        f"| stored twice, never sent, or changed | {outcome.unknown + outcome.changed} |",
        f"| totals and days equal the recount | {'yes' if outcome.totals_agree and outcome.days_agree else '**no**'} |",
        f"| another primary within {SOON:.0f} s | {soon} of {len(elected)} |",
        f"| acknowledged by a machine that was cut off | {sum(one.on_minor_side for one in strikes)} |",
        f"| answers other than 201, 200 and 503 | {sum(outcome.unfair.values())} |",
        f"| jobs stuck | {outcome.stuck} |",
        f"| standbys that had to be copied anew | {sum(bool(one.made_anew) for one in strikes)} |",
        f"| order of arrival in any machine's log after closing (correlation; none: below 0.4) | {in_logs:.2f} |",
        "",
        "![Reports acknowledged over time, with a dot for each strike](../images/cluster.svg)",
    ]


def _row(kind: str, strikes: Sequence[Struck]) -> str:
    if not strikes:
        return f"| {WORDS[kind]} | 0 | | |"
    elected = [one.elected for one in strikes if one.elected]
    found = [one.silent for one in strikes]
    return f"| {WORDS[kind]} | {len(strikes)} | {_both(found)} | {_both(elected) if elected else ''} |"


def _both(seconds: Sequence[float]) -> str:
    return f"{sorted(seconds)[len(seconds) // 2]:.1f} s, {max(seconds):.1f} s"


def drawing(strikes: Sequence[Struck], senders: Sequence[Acknowledging]) -> str:
    begin, last = strikes[0].at, strikes[-1].until - strikes[0].at
    counts = Counter(int((at - begin) // BIN) for one in senders for at in one.moments if begin <= at <= begin + last)
    points = [(BIN * place, counts[place] / BIN) for place in range(max(counts, default=0))]
    most = max((rate for _, rate in points), default=1.0) or 1.0
    step = max(1, int(last / 60 / 10))
    panel = Panel(
        "reports acknowledged a second, over minutes",
        (0.0, last),
        (0.0, most),
        {60.0 * minute: str(minute) for minute in range(0, int(last // 60) + 1, step)},
        {0.0: "0", most: f"{most:,.0f}"},
        width=760,
    )
    panel.curve(points, "#787774")
    legend = dict(zip(WORDS.values(), COLOURS, strict=False))
    for one in strikes:
        panel.dot(one.at - begin, 0, legend[WORDS[one.kind]])
    return picture([panel], 1, legend, "Reports acknowledged a second, with a dot for each strike")
