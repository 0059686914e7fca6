"""Curves as small pictures. The parts are plain data: the page writes them as SVG, and its script draws the same ones.

Colours are classes of the style sheet. Every picture has its words too: `description`, and a table on the page.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

WIDTH, HEIGHT = 320, 184
LEFT, RIGHT, TOP, BOTTOM = 46, 308, 14, 150
STEPS = (1, 2, 5, 10)
MOST_TICKS = 5

Place = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """An axis: from `low` to `high`, linear or by factors, with its ticks and what they are called."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    by_factors: bool = False

    def part(self, value: float) -> float:
        """Where a value lies, from 0 to 1; what is outside is drawn at the end."""
        if self.by_factors:
            low, high, at = (math.log(max(one, self.low)) for one in (self.low, self.high, value))
        else:
            low, high, at = self.low, self.high, value
        return min(max((at - low) / (high - low), 0.0), 1.0)


@dataclass(frozen=True)
class Part:
    """One element of the picture."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture that can be written here or drawn there. `key` tells it from the others; `over` is what moves in it."""

    key: str
    over: str
    title: str
    description: str
    parts: tuple[Part, ...]

    @property
    def svg(self) -> str:
        names = f"curve-{self.key}-title curve-{self.key}-words"
        body = "".join(_written(part) for part in self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="curve" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'aria-labelledby={quoteattr(names)} data-curve={quoteattr(self.key)} focusable="false">'
            f"<title id={quoteattr(f'curve-{self.key}-title')}>{escape(self.title)}</title>"
            f"<desc id={quoteattr(f'curve-{self.key}-words')}>{escape(self.description)}</desc><g>{body}</g></svg>"
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def linear(high: float, called: str = "{:g}", low: float = 0.0) -> Scale:
    """An axis from `low` to `high` or a little above, with round ticks."""
    power = 10.0 ** math.floor(math.log10((high - low) / MOST_TICKS))
    step = next(power * one for one in STEPS if (high - low) / (power * one) <= MOST_TICKS)
    count = math.ceil((high - low) / step - 1e-9)
    ticks = tuple((low + step * place, called.format(round(low + step * place, 10))) for place in range(count + 1))
    return Scale(low, low + step * count, ticks)


def by_factors(low: float, high: float) -> Scale:
    """An axis from a power of ten to a power of ten."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    last = max(last, first + 1)
    ticks = tuple((10.0**place, f"{10**place:,}") for place in range(first, last + 1))
    return Scale(10.0**first, 10.0**last, ticks, by_factors=True)


def draw(
    key: str,
    over: str,
    title: str,
    points: Sequence[Place],
    chosen: tuple[Place, str],
    axes: tuple[Scale, Scale],
    below: str,
    words: str,
    limit: tuple[float, str] | None = None,
) -> Picture:
    """A curve with the chosen point on it.

    Parameters
    ----------
    points : sequence of (x, y)
    chosen : ((x, y), text)
        The dot, and the value that is written beside it.
    axes : (Scale, Scale)
        Across and up.
    below : str
        What the axis across is.
    words : str
        What the picture says at the chosen point, for those who cannot see it.
    limit : (y, text) or None
        A level to mind, as a dashed line; the text is for `below`.
    """
    across, up = axes
    parts = [*grid(across, up), *([_limit(up, limit[0])] if limit else [])]
    ends = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(point, axes) for point in points))
    parts += [Part("polyline", {"class": "curve-line", "points": ends}), *_dot(chosen, axes)]
    parts.append(text("curve-name", (LEFT + RIGHT) / 2, HEIGHT - 3, below, "middle"))
    return Picture(key, over, title, words, tuple(parts))


def grid(across: Scale, up: Scale) -> list[Part]:
    """The lines and names of both axes."""
    parts = []
    for value, called in up.ticks:
        y = f"{BOTTOM - (BOTTOM - TOP) * up.part(value):.1f}"
        parts.append(Part("line", {"class": "curve-grid", "x1": str(LEFT), "x2": str(RIGHT), "y1": y, "y2": y}))
        parts.append(text("curve-tick", LEFT - 6, float(y) + 4, called, "end"))
    for value, called in across.ticks:
        x = LEFT + (RIGHT - LEFT) * across.part(value)
        parts.append(text("curve-tick", x, BOTTOM + 16, called, "middle"))
    return parts


def _limit(up: Scale, value: float) -> Part:
    """A level, where it is inside the picture; else nothing that can be seen."""
    y = f"{BOTTOM - (BOTTOM - TOP) * up.part(value):.1f}"
    seen = "curve-limit" if up.low < value < up.high else "curve-limit curve-unseen"
    return Part("line", {"class": seen, "x1": str(LEFT), "x2": str(RIGHT), "y1": y, "y2": y})


def _dot(chosen: tuple[Place, str], axes: tuple[Scale, Scale]) -> list[Part]:
    x, y = _at(chosen[0], axes)
    left = x > (LEFT + RIGHT) / 2
    place = (x - 9 if left else x + 9, y - 8 if y > TOP + 18 else y + 17)
    drop = {"class": "curve-drop", "x1": f"{x:.1f}", "x2": f"{x:.1f}", "y1": f"{y:.1f}", "y2": str(BOTTOM)}
    return [
        Part("line", drop),
        Part("circle", {"class": "curve-dot", "cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "5"}),
        text("curve-value", *place, chosen[1], "end" if left else "start"),
    ]


def _at(point: Place, axes: tuple[Scale, Scale]) -> Place:
    across, up = axes
    return LEFT + (RIGHT - LEFT) * across.part(point[0]), BOTTOM - (BOTTOM - TOP) * up.part(point[1])


def text(kind: str, x: float, y: float, said: str, anchor: str) -> Part:
    """Words at a place; `kind` is their class, `anchor` start, middle or end."""
    return Part("text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, said)


def _written(part: Part) -> str:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in part.attributes.items())
    return f"<{part.tag}{attributes}>{escape(part.text)}</{part.tag}>"
