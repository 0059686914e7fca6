"""Small line charts as plain data: the page writes them as SVG, and its script draws the same parts.

Colours are classes of the style sheet. Every picture has its words too: `description`, and a table on the page.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from estimator.base.charts.scales import Scale
from estimator.base.charts.svg import chart, element, escape

WIDTH, HEIGHT = 320, 184
LEFT, RIGHT, TOP, BOTTOM = 46, 308, 14, 150

Place = tuple[float, float]


@dataclass(frozen=True)
class Part:
    """One SVG element of the picture."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass(frozen=True)
class Curve:
    """A line chart, rendered here or by the page's script. `key` identifies it; `over` names what varies in it."""

    key: str
    over: str
    title: str
    description: str
    parts: tuple[Part, ...]

    @property
    def svg(self) -> str:
        body = "".join(element(part.tag, escape(part.text), **part.attributes) for part in self.parts)
        frame = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "data_curve": self.key, "focusable": "false"}
        return chart("curve", f"curve-{self.key}", self.title, self.description, element("g", body), **frame)


def curve(
    key: str,
    over: str,
    title: str,
    points: Sequence[Place],
    chosen: tuple[Place, str],
    axes: tuple[Scale, Scale],
    below: str,
    words: str,
    limit: tuple[float, str] | None = None,
) -> Curve:
    """Draw a curve with the chosen point marked.

    - `chosen`: the dot (x, y), and the value that is written beside it.
    - `axes`: across and up.
    - `below`: what the axis across is.
    - `words`: what the picture says at the chosen point, for those who cannot see it.
    - `limit`: a level y to mind, as a dashed line; the text is for `below`.
    """
    across, up = axes
    parts = _grid(across, up)
    if limit:
        kind = "curve-limit" if up.low < limit[0] < up.high else "curve-limit curve-unseen"
        parts.append(_across(kind, up, limit[0]))
    ends = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(point, axes) for point in points))
    parts += [Part("polyline", {"class": "curve-line", "points": ends}), *_dot(chosen, axes), _name(below)]
    return Curve(key, over, title, words, tuple(parts))


def repetitions(
    key: str,
    title: str,
    intervals: Mapping[str, Iterable[tuple[int, float, float]]],
    truth: float,
    axes: tuple[Scale, Scale],
    words: str,
) -> Curve:
    """Draw a vertical line for each interval, at its place from 1 on, by class; and the truth across."""
    across, up = axes
    parts = _grid(across, up)
    for kind, some in intervals.items():
        strokes = "".join(f"M{_x(across, place):.1f} {_y(up, low):.1f}V{_y(up, high):.1f}" for place, low, high in some)
        if strokes:
            parts.append(Part("path", {"class": kind, "d": strokes}))
    parts += [_across("interval-truth", up, truth), _name("repetition; the line is the truth")]
    return Curve(key, "repetitions", title, words, tuple(parts))


def _grid(across: Scale, up: Scale) -> list[Part]:
    """The grid lines and labels of both axes."""
    parts = []
    for value, called in up.ticks:
        level = _across("curve-grid", up, value)
        parts += [level, _text("curve-tick", LEFT - 6, float(level.attributes["y1"]) + 4, called, "end")]
    return parts + [_text("curve-tick", _x(across, x), BOTTOM + 16, called, "middle") for x, called in across.ticks]


def _across(kind: str, up: Scale, value: float) -> Part:
    y = f"{_y(up, value):.1f}"
    return Part("line", {"class": kind, "x1": str(LEFT), "x2": str(RIGHT), "y1": y, "y2": y})


def _dot(chosen: tuple[Place, str], axes: tuple[Scale, Scale]) -> list[Part]:
    x, y = _at(chosen[0], axes)
    left = x > (LEFT + RIGHT) / 2
    place = (x - 9 if left else x + 9, y - 8 if y > TOP + 18 else y + 17)
    drop = {"class": "curve-drop", "x1": f"{x:.1f}", "x2": f"{x:.1f}", "y1": f"{y:.1f}", "y2": str(BOTTOM)}
    return [
        Part("line", drop),
        Part("circle", {"class": "curve-dot", "cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "5"}),
        _text("curve-value", *place, chosen[1], "end" if left else "start"),
    ]


def _at(point: Place, axes: tuple[Scale, Scale]) -> Place:
    return _x(axes[0], point[0]), _y(axes[1], point[1])


def _x(across: Scale, value: float) -> float:
    return LEFT + (RIGHT - LEFT) * across.part(value)


def _y(up: Scale, value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * up.part(value)


def _name(below: str) -> Part:
    return _text("curve-name", (LEFT + RIGHT) / 2, HEIGHT - 3, below, "middle")


def _text(kind: str, x: float, y: float, words: str, anchor: str) -> Part:
    return Part("text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, words)
