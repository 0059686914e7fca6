"""SVG elements as text, the only place where it is escaped.

Colours are `currentColor` or classes of the style sheet; there is no inline style and no script.
"""

import re
from html import escape as escape_html

from django.utils.safestring import SafeString

XMLNS = "http://www.w3.org/2000/svg"
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """Escape text for an element or an attribute."""
    return escape_html(NOT_XML.sub("\ufffd", text))


def element(tag: str, content: str = "", /, **attributes: str | float) -> str:
    """An element around `content`, which is SVG. `text_anchor` becomes text-anchor, and `class_` class."""
    written = "".join(
        f' {name.strip("_").replace("_", "-")}="{escape(value) if isinstance(value, str) else f"{value:g}"}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def chart(kind: str, key: str, title: str, description: str, content: str, **attributes: str | float) -> SafeString:
    """A complete chart of the class `kind`: screen readers read its title, then its description.

    `key` of letters, digits, - and _ tells it from the others of the page.
    """
    named = element("title", escape(title), id=f"{key}-title") + element("desc", escape(description), id=f"{key}-desc")
    frame = {"xmlns": XMLNS, "class_": kind, "role": "img", "aria_labelledby": f"{key}-title {key}-desc"}
    return SafeString(element("svg", named + content, **frame, **attributes))


def line(kind: str, x: tuple[str | float, str | float], y: tuple[float, float], stroke: str = "") -> str:
    """A line between two points. Built directly for speed, as is `text`: a report has thousands of them."""
    return f'<line class="{kind}" x1="{x[0]}" x2="{x[1]}" y1="{y[0]:g}" y2="{y[1]:g}"{stroke}/>'


def stroke(thickness: float, more: str = "") -> str:
    """The stroke attributes of a line in the text colour; `more` attributes are added verbatim."""
    return f' stroke="currentColor" stroke-width="{thickness:g}"{more}'


def text(kind: str, x: str | float, y: float, words: str, anchor: str = "start") -> str:
    """Text in the text colour; `anchor` is start, middle or end."""
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text class="{kind}" x="{x}" y="{y}" fill="currentColor"{at}>{escape(words)}</text>'


def at(x: str, y: float, mark: str) -> str:
    """Move a mark to a position in per cent, which no `transform` can do."""
    return f'<svg x="{x}" y="{y}" overflow="visible">{mark}</svg>'
