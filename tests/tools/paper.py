"""What a paper sheet and a printed report hold, before and after they are made into a PDF."""

import re
import zlib
from collections.abc import Iterator
from typing import Any

from django.utils import translation

from collector.designs import Design
from estimator.base.languages import activated
from estimator.models import Run
from estimator.reports import paper, report
from surveys.definition.own_coin.instructions import instructions_for
from surveys.rendering.own_coin import page, sheet


def sheet_data(document: dict[str, Any], language: str = "en") -> dict[str, Any]:
    design = Design.of(document)
    instructions = instructions_for(design)
    assert instructions is not None
    with translation.override(language):
        return sheet._data(page.context(design, instructions, language), design, language)


def pdf_content(pdf: bytes) -> bytes:
    """The PDF with its compressed streams opened."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S)
    opened = [zlib.decompressobj().decompress(stream) for stream in streams if stream[:1] == b"x"]
    return pdf + b"\n".join(opened)


FONT = re.compile(rb"/(f\d+) (\d+) 0 R")


def _within(levels: int) -> bytes:
    """What a string of a PDF may have between its brackets: in pairs, brackets need no mark."""
    plain = rb"\\.|[^\\()]"
    return rb"(?:" + plain + (rb"|\(" + _within(levels - 1) + rb"\)" if levels else b"") + rb")*"


DRAWING = re.compile(rb"/(f\d+) [\d.]+ Tf|(?<=[\[0-9])\((" + _within(6) + rb")\)", re.S)
"""A font that is chosen, or codes of letters that are drawn in it."""


def pdf_text(pdf: bytes) -> str:
    """The words that a PDF of typst's draws, in order, without spaces: lines break anywhere."""
    parts = {int(number): body for number, body in re.findall(rb"(?<!\d)(\d+) 0 obj\n(.*?)\nendobj", pdf, re.S)}
    pages = [body for body in parts.values() if re.match(rb"<</Type/Page/", body)]
    drawn: list[str] = []
    for one in pages:
        resources = parts[_reference(one, b"Resources")]
        fonts = {name: _letters_of(parts, parts[int(font)]) for name, font in FONT.findall(resources)}
        letters: dict[int, str] = {}
        for font, text in DRAWING.findall(_stream(parts[_reference(one, b"Contents")])):
            letters = fonts[font] if font else letters
            codes = _unescaped(text)
            drawn += [letters[int.from_bytes(codes[at : at + 2], "big")] for at in range(0, len(codes), 2)]
    return "".join("".join(drawn).split())


def _letters_of(parts: dict[int, bytes], font: bytes) -> dict[int, str]:
    """The letters of a font's codes, by its table for copying text."""
    table = _stream(parts[_reference(font, b"ToUnicode")])
    pairs = re.findall(rb"<([0-9A-F]{4})> <([0-9A-F]+)>\n", table.partition(b"beginbfchar")[2])
    marks = {0: ""}  # invisible ones, of direction
    return marks | {int(code, 16): bytes.fromhex(letters.decode()).decode("utf-16-be") for code, letters in pairs}


def _reference(part: bytes, name: bytes) -> int:
    found = re.search(rb"/" + name + rb" (\d+) 0 R", part)
    assert found
    return int(found[1])


def _stream(part: bytes) -> bytes:
    found = re.search(rb"stream\r?\n(.*)\r?\nendstream", part, re.S)
    assert found
    return zlib.decompress(found[1]) if b"/FlateDecode" in part[: found.start()] else found[1]


_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def _unescaped(text: bytes) -> bytes:
    def plain(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code, 8)]) if code.isdigit() else _ESCAPES.get(code, code)

    return re.sub(rb"\\([0-7]{1,3}|.)", plain, text, flags=re.S)


def report_data(run: Run, language: str = "en") -> dict[str, Any]:
    with activated(language):
        data = paper.data(report.build(run))
    assert data is not None
    return data


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)
    elif isinstance(value, str):
        yield value


def words_of(page: Any) -> Iterator[str]:
    """The words in the pictures of a page, line by line."""

    def of(node: Any) -> Iterator[str]:
        yield from ("".join(words for _style, words in node["runs"]),) if node["tag"] == "line" else ()
        yield from node.get("choices", ())
        for part in node.get("parts", ()):
            yield from of(part)

    for screen in page["screens"]:
        for node in screen["parts"]:
            yield from of(node)
