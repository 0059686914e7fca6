"""Horizontal bars with a limit, and vertical bars over days.

Places across are per cents of the picture's width and text keeps its size, so it is as legible on a phone as on a
desktop. Colours are classes of the style sheet.
"""

from collections.abc import Sequence

from django.utils.safestring import SafeString

from estimator.base.charts.svg import chart, element, escape, line, text

ROW, BAR, TOP = 44, 14, 26
"""Heights for horizontal bars: of a row, of its bar, and of the space above all of them."""
LEFT, RIGHT = 1.0, 99.0
"""Start and end of the area of vertical bars, in per cent of the width."""
ROOF, FOOT, HEIGHT = 24, 124, 146
"""Of vertical bars: the top of the highest, the baseline, and the height of the picture."""


SPARK_WIDTH, SPARK_HEIGHT = 96, 24

Bar = tuple[str, str, Sequence[tuple[str, float]]]
"""Its name, its value in words, and the bars that lie over each other: class and length of each, the longest first."""

ChartColumn = tuple[float, float, float]
"""An upright bar from and to a part of the width, and its part of the height."""


def bars(rows: Sequence[Bar], *, key: str, title: str, words: str, limit: tuple[float, str]) -> SafeString:
    """Draw horizontal bars, and a labelled line at the limit.

    `key` is also the beginning of the classes; `words` says what the picture shows.
    """
    longest = max(limit[0], *(length for *_, bars in rows for _kind, length in bars)) * 1.04
    height = TOP + ROW * len(rows)
    x = f"{100 * limit[0] / longest:.2f}%"
    parts = [part for place, row in enumerate(rows) for part in _row(row, TOP + ROW * place, longest, key)]
    parts.append(line(f"{key}-ceiling", (x, x), (TOP - 6, height - 4)))
    parts.append(element("text", escape(limit[1]), class_=f"{key}-sum", x=x, y=14, text_anchor="end"))
    return chart(key, key, title, words, "".join(parts), width="100%", height=height, focusable="false")


def _row(row: Bar, y: int, longest: float, key: str) -> list[str]:
    name, value, bars = row
    named = element("tspan", escape(name), class_=f"{key}-name")
    named += f" {element('tspan', escape(value), class_=f'{key}-sum')}"
    size = {"x": 0, "y": y + 20, "height": BAR, "rx": 2}
    lengths = ((kind, f"{100 * length / longest:.2f}%") for kind, length in bars)
    drawn = (element("rect", class_=kind, width=length, **size) for kind, length in lengths)
    return [element("text", named, x=0, y=y + 14), *drawn]


def columns(
    made: Sequence[ChartColumn], *, key: str, title: str, words: str, most: str, ends: tuple[str, str], kind: str = ""
) -> SafeString:
    """Draw vertical bars; `most` labels the height of the highest, `ends` the ends of the horizontal axis.

    `kind` is the class of the picture, the key if none is given.
    """
    parts = [
        _level(ROOF),
        text("tick", f"{LEFT}%", ROOF - 6, most),
        _level(FOOT),
        *map(_column, made),
        text("tick", f"{LEFT}%", HEIGHT - 4, ends[0]),
        text("tick", f"{RIGHT}%", HEIGHT - 4, ends[1], "end"),
    ]
    return chart(kind or key, key, title, words, "".join(parts), width="100%", height=HEIGHT)


def spark(made: Sequence[ChartColumn], *, words: str) -> SafeString:
    """Draw small vertical bars without axes, for a row of a list; `words` says what they show."""
    drawn = []
    for start, end, height in made:
        high = max(SPARK_HEIGHT * height, 1.0)
        size = {"width": f"{max(SPARK_WIDTH * (end - start) - 0.5, 0.8):.1f}", "height": f"{high:.1f}"}
        drawn.append(
            element("rect", class_="bar", x=f"{SPARK_WIDTH * start:.1f}", y=f"{SPARK_HEIGHT - high:.1f}", **size)
        )
    box = f"0 0 {SPARK_WIDTH} {SPARK_HEIGHT}"
    return SafeString(element("svg", "".join(drawn), class_="spark", viewBox=box, role="img", aria_label=words))


def _column(one: ChartColumn) -> str:
    start, end, height = one
    left, right = (LEFT + (RIGHT - LEFT) * part for part in (start, end))
    high = max((FOOT - ROOF) * height, 1.0)
    width = right - left - min(0.4, (right - left) / 5)
    size = {"width": f"{width:.3f}%", "height": f"{high:.1f}"}
    return element("rect", class_="bar", x=f"{left:.3f}%", y=f"{FOOT - high:.1f}", **size)


def _level(y: int) -> str:
    return line("grid", (f"{LEFT}%", f"{RIGHT}%"), (y, y), ' stroke="currentColor"')
