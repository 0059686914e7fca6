"""Reports stored as the endpoint stores them, and folded at once, for tests of what becomes of reports."""

import secrets
from functools import partial

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.endpoint import receiving
from collector.models import WaitingReport
from collector.reports import folding, step_plans, storing
from surveys.models import Version
from tests.factories import payloads


def store_report(body: bytes, *, slug: str = "campus") -> bool:
    """Store the report that a body holds; True where this call stored it. Refused where it is not stored."""
    (outcome,) = storing.store([receiving.read(body, slug=slug)])
    return receiving.created(outcome)


def fold_waiting(design: Design) -> int:
    """Fold what waits of an open design as if it were one step; how many reports."""
    waiting = WaitingReport.objects.filter(design__digest=design.digest)
    nonces = sorted(bytes(nonce) for nonce in waiting.values_list("nonce", flat=True))
    return folding._fold_chunk(design.digest, partial(step_plans.move, nonces=nonces, left=[]), steps=True).count


def store_one(version: Version) -> None:
    """One report: from now on a person may have spent the wave's epsilon."""
    store_report(payloads.body(get_design(version.design_id)), slug=version.survey.slug)


def sent(count: int) -> list[tuple[bytes, int, bytes, int]]:
    """Reports as nonce, group, symbols, mode: every tenth is by hand, half of these on paper."""
    return [
        (secrets.token_bytes(16), place % 2, bytes([place % 2, place % 3]), 0 if place % 10 else 1 + (place % 20 == 0))
        for place in range(count)
    ]
