"""PDFs from typst: tagged (PDF/UA-1), A4, with the fonts that come with us, the same bytes for the same words."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import typst

FONTS = Path(__file__).parent / "fonts"


def typeset(template: Path, data: dict[str, Any]) -> bytes:
    """The PDF that a template makes of these words; empty where the fonts lack a letter of them.

    The fonts have the Latin, Greek, Cyrillic and Arabic letters. The template reads one JSON text, `data`.
    """
    try:
        return typst.compile(
            template,
            root=template.parent,
            font_paths=fonts(),
            ignore_system_fonts=True,
            format="pdf",
            sys_inputs={"data": json.dumps(data, sort_keys=True)},
            pdf_standards=["ua-1"],
        )
    except typst.TypstError as error:
        if "glyph" not in str(error) and "font" not in str(error):
            raise
        return b""


@cache
def fonts() -> typst.Fonts:
    """The fonts of that folder and those inside typst, and no other: not those of the machine, which differ."""
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=True, font_paths=[str(FONTS)])
