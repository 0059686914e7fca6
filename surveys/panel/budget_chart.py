"""The ledger as a small picture: a bar for each wave, and the ceiling as a line.

Places across are per cents of the picture's width and text keeps its size, so it is as legible on a phone as on a
desktop. Colours are classes of the style sheet.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from estimator.base import wording
from surveys.definition.privacy_budget import Sum
from surveys.lifecycle.budget import Book, between

ROW, BAR, TOP = 44, 14, 26
"""Heights: of a wave, of its bar, of what stands above all of them."""
WIDTH = 100.0


def picture_of(book: Book) -> str:
    """The picture as SVG, with its title and in words; empty where there is nothing to draw."""
    rows = list(_rows(book))
    if not rows:
        return ""
    longest = max(book.ceiling, *(total.epsilon_most for _, total, _ in rows)) * 1.04
    height = TOP + ROW * len(rows)
    bars = "".join(_bar(place, name, total, longest, ahead) for place, (name, total, ahead) in enumerate(rows))
    said = "; ".join(f"{name}{' (would be)' if ahead else ''} {between(total)}" for name, total, ahead in rows)
    words = f"Epsilon in total after each wave, from the least to the most: {said}. Ceiling: {_ceiling(book)}."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ledger" role="img" width="100%" height="{height}" '
        'aria-labelledby="ledger-title ledger-words" focusable="false">'
        '<title id="ledger-title">Epsilon in total after each wave</title>'
        f'<desc id="ledger-words">{escape(words)}</desc>'
        f"{bars}{_line(book, longest, height)}</svg>"
    )


def _rows(book: Book) -> Iterator[tuple[str, Sum, bool]]:
    """Name and total of each wave that anybody answered, and of the one ahead."""
    for line in book.lines:
        if line.spent:
            yield line.opened.name, line.spent.total, False
    if book.ahead:
        yield "the next", book.ahead.wave.total, True


def _bar(place: int, name: str, total: Sum, longest: float, ahead: bool) -> str:
    y = TOP + ROW * place
    least, most = (WIDTH * value / longest for value in (total.epsilon_least, total.epsilon_most))
    drawn = [("ledger-ahead", most)] if ahead else [("ledger-most", most), ("ledger-least", least)]
    bars = (
        f'<rect class="{kind}" x="0" y="{y + 20}" width="{width:.2f}%" height="{BAR}" rx="2"/>' for kind, width in drawn
    )
    return (
        f'<text x="0" y="{y + 14}"><tspan class="ledger-name">{escape(name[:1].upper() + name[1:])}</tspan> '
        f'<tspan class="ledger-sum">{escape(between(total))}</tspan></text>' + "".join(bars)
    )


def _line(book: Book, longest: float, height: int) -> str:
    x = f"{WIDTH * book.ceiling / longest:.2f}%"
    return (
        f'<line class="ledger-ceiling" x1="{x}" x2="{x}" y1="{TOP - 6}" y2="{height - 4}"/>'
        f'<text class="ledger-sum" x="{x}" y="14" text-anchor="end">ceiling {escape(_ceiling(book))}</text>'
    )


def _ceiling(book: Book) -> str:
    return wording.epsilon(book.ceiling)
