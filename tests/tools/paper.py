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
from surveys.rendering.own_coin import page, sheet
from surveys.rendering.own_coin.instructions import instructions_for


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
