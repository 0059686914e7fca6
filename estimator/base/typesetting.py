"""PDFs typeset with typst: tagged (PDF/UA-1), A4, with bundled fonts, the same bytes for the same text."""

import json
import re
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typst

FONTS = Path(__file__).parent / "fonts"
TOKENS = Path(__file__).parents[1] / "static" / "estimator" / "tokens.css"
"""The colours of every page and of every PDF."""

COLOUR = re.compile(r"--([a-z-]+): (?:(#[0-9a-f]+)|var\(--([a-z-]+)\));")


def typeset(template: Path, data: dict[str, object]) -> bytes:
    """Typeset a template with these data as PDF; empty if the fonts lack one of the letters.

    The fonts have the Latin, Greek, Cyrillic and Arabic letters. The template reads two JSON texts, `data`
    and `colours`.
    """
    import typst  # only now: no process needs the typesetter at its start

    try:
        return typst.compile(
            template,
            root=template.parent,
            font_paths=fonts(),
            ignore_system_fonts=True,
            format="pdf",
            sys_inputs=inputs(data),
            pdf_standards=["ua-1"],
        )
    except typst.TypstError as error:
        if "glyph" not in str(error) and "font" not in str(error):
            raise
        return b""


def inputs(data: dict[str, object]) -> dict[str, str]:
    """The inputs of a template: its texts, and the colours by their names in tokens.css."""
    return {"data": json.dumps(data, sort_keys=True), "colours": json.dumps(colours(), sort_keys=True)}


@cache
def colours() -> dict[str, dict[str, str]]:
    """The colours of a light page, of a dark one (`dark`) and of a printed one (`print`)."""
    page, dark, printed = (
        {name: code or f"--{other}" for name, code, other in COLOUR.findall(part)}
        for part in TOKENS.read_text(encoding="utf-8").split("@media")
    )
    named = {"page": page, "dark": page | dark, "print": page | printed}
    return {kind: {name: page.get(code[2:], code) for name, code in of.items()} for kind, of in named.items()}


@cache
def fonts() -> "typst.Fonts":
    """The bundled fonts and those inside typst; no system fonts, which differ between machines."""
    import typst

    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=True, font_paths=[str(FONTS)])


@cache
def letters() -> frozenset[int]:
    """The code points that the bundled fonts cover."""
    return frozenset(letter for path in FONTS.glob("*.ttf") for letter in _letters(path.read_bytes()))


def _letters(font: bytes) -> Iterator[int]:
    """The code points of a TrueType font, from the segments of its character map (`cmap`, format 4)."""
    tables = {font[at : at + 4]: struct.unpack_from(">8xL", font, at)[0] for at in range(12, 12 + 16 * font[5], 16)}
    cmap = tables[b"cmap"]
    start = cmap + struct.unpack_from(">8xL", font, cmap)[0]
    kind, segments = struct.unpack_from(">H4xH", font, start)
    if kind != 4:
        raise ValueError(f"the character map of a font must be of format 4; got {kind}")
    columns = [
        struct.unpack_from(f">{segments // 2}H", font, start + 14 + segments * n + 2 * (n > 0)) for n in range(4)
    ]
    offsets = start + 16 + 3 * segments
    for place, (last, first, delta, offset) in enumerate(zip(*columns, strict=True)):
        for letter in range(first, min(last, 0xFFFE) + 1):
            glyph = letter + delta
            if offset:
                at = offsets + 2 * place + offset + 2 * (letter - first)
                glyph = struct.unpack_from(">H", font, at)[0]
            if glyph % 0x10000:
                yield letter
