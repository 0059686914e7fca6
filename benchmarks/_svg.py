"""A few lines of SVG: panels with axes, dots and curves. No drawing library; equal numbers give equal bytes."""

from dataclasses import dataclass, field
from html import escape

COLOURS = ["#0b6e99", "#d9730d", "#448361", "#9065b0", "#c14c8a", "#787774"]


@dataclass
class Panel:
    """One pair of axes; x and y are mapped linearly (take logarithms before, and name the ticks after)."""

    title: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_ticks: dict[float, str]
    y_ticks: dict[float, str]
    width: int = 260
    height: int = 190
    marks: list[str] = field(default_factory=list)

    def place(self, x: float, y: float) -> tuple[float, float]:
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        across, up = (x - x0) / (x1 - x0), (min(max(y, y0), y1) - y0) / (y1 - y0)
        return 42 + across * (self.width - 56), self.height - 26 - up * (self.height - 54)

    def dot(self, x: float, y: float, colour: str, radius: float = 2.2) -> None:
        cx, cy = self.place(x, y)
        self.marks.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{radius}" fill="{colour}" fill-opacity=".75"/>')

    def curve(self, points: list[tuple[float, float]], colour: str, dash: str = "") -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.place(*point) for point in points))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.marks.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"{dashed}/>')

    def drawn(self) -> str:
        parts = [f'<text x="42" y="16" font-weight="bold">{escape(self.title)}</text>']
        for value, name in self.y_ticks.items():
            x0, y = self.place(self.x_range[0], value)
            x1, _ = self.place(self.x_range[1], value)
            parts.append(f'<line x1="{x0:.1f}" x2="{x1:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{x0 - 4:.1f}" y="{y + 3.5:.1f}" text-anchor="end">{escape(name)}</text>')
        for value, name in self.x_ticks.items():
            x, y = self.place(value, self.y_range[0])
            parts.append(f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="middle">{escape(name)}</text>')
        return "\n".join(parts + self.marks)


def picture(panels: list[Panel], columns: int, legend: dict[str, str], title: str) -> str:
    """All panels in a grid under one legend, with a title for those who cannot see it."""
    width, height = panels[0].width, panels[0].height
    rows = -(-len(panels) // columns)
    total = (columns * width, rows * height + 30)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total[0]} {total[1]}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="10" fill="#222"><title>{escape(title)}</title>',
        f'<rect width="{total[0]}" height="{total[1]}" fill="#fff"/>',
    ]
    x = 42.0
    for name, colour in legend.items():
        parts.append(
            f'<circle cx="{x:.0f}" cy="16" r="4" fill="{colour}"/><text x="{x + 9:.0f}" y="20">{escape(name)}</text>'
        )
        x += 26 + 4.7 * len(name)  # about what a letter takes
    for place, panel in enumerate(panels):
        x, y = (place % columns) * width, 30 + (place // columns) * height
        parts.append(f'<g transform="translate({x} {y})">{panel.drawn()}</g>')
    return "\n".join([*parts, "</svg>", ""])
