"""QR codes of a survey's links, as SVG and PNG; the same bytes for the same link."""

import io
from xml.sax.saxutils import escape

import segno

QUIET_ZONE = 4
"""Light modules around the code; readers rely on them."""


def svg(link: str, title: str) -> bytes:
    """The code as SVG, dark on light whatever the page's colours. `title` is its text for screen readers."""
    drawn = io.BytesIO()
    _code(link).save(
        drawn,
        kind="svg",
        border=QUIET_ZONE,
        dark="#000",
        light="#fff",
        unit=None,
        omitsize=True,
        xmldecl=False,
        svgns=True,
        nl=False,
        svgclass="qr",
        lineclass=None,
        title=None,
    )
    # The drawer's own title has no name to be referred to by, and its picture no role.
    head, _, rest = drawn.getvalue().decode().partition(">")
    return f'{head} role="img" aria-label="{escape(title, {chr(34): "&quot;"})}">{rest}'.encode()


def png(link: str) -> bytes:
    """The code as PNG, large enough to print."""
    drawn = io.BytesIO()
    _code(link).save(drawn, kind="png", border=QUIET_ZONE, scale=16)
    return drawn.getvalue()


def _code(link: str) -> segno.QRCode:
    # A quarter of it may be hidden or dirty on a wall, and the level does not depend on chance.
    return segno.make_qr(link, error="q", boost_error=False)
