"""The log of respondents' pages for everybody: its signed root, its entries, its tree's hashes (C2SP tlog-tiles)."""

import re

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from surveys.lifecycle import page_log
from surveys.transparency import merkle

TILE = re.compile(r"((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")
LEVELS = 6
"""Levels of tiles that there may be: enough for more entries than there are."""


@require_safe
def checkpoint(request: HttpRequest) -> HttpResponse:
    """The size and the root, signed."""
    return _text(page_log.checkpoint())


@require_safe
def key(request: HttpRequest) -> HttpResponse:
    """The public key that it is signed with."""
    return _text(f"{page_log.verifier()}\n")


@require_safe
def entries(request: HttpRequest, name: str) -> HttpResponse:
    """The entries of a tile: each with its length in two bytes before it."""
    number, width = _tile_of(name)
    found = page_log.leaves()[number * merkle.WIDTH : (number + 1) * merkle.WIDTH]
    if len(found) < width:
        raise Http404("The log has no such entries.")
    return _bytes(b"".join(len(leaf).to_bytes(2) + leaf for leaf in found[:width]))


@require_safe
def hashes(request: HttpRequest, level: int, name: str) -> HttpResponse:
    """The hashes of a tile of the tree."""
    number, width = _tile_of(name)
    found = merkle.tile([merkle.leaf_hash(leaf) for leaf in page_log.leaves()], min(level, LEVELS), number)
    if len(found) < width:
        raise Http404("The log has no such tile.")
    return _bytes(b"".join(found[:width]))


def _tile_of(name: str) -> tuple[int, int]:
    """The number of a tile and the hashes that it is asked for; raises Http404 for a name that is none."""
    found = TILE.fullmatch(name)
    width = int(found[2] or merkle.WIDTH) if found else 0
    if found is None or not 1 <= width <= merkle.WIDTH:
        raise Http404("The log has no such tile.")
    return int(found[1].replace("x", "").replace("/", "")), width


def _text(content: str) -> HttpResponse:
    return HttpResponse(content, content_type="text/plain; charset=utf-8")


def _bytes(content: bytes) -> HttpResponse:
    return HttpResponse(content, content_type="application/octet-stream")
