"""Reports of an open design that are folded without waiting for a step, for tests of what becomes of folded ones."""

from functools import partial

from collector.designs import Design
from collector.models import WaitingReport
from collector.reports import folding, stepping


def fold_these(design: Design) -> int:
    """Fold what waits of an open design as if it were one step; how many reports."""
    waiting = WaitingReport.objects.filter(design__digest=design.digest)
    nonces = sorted(bytes(nonce) for nonce in waiting.values_list("nonce", flat=True))
    return folding._fold_chunk(design.digest, partial(stepping.move, nonces=nonces, left=[]), steps=True).count
