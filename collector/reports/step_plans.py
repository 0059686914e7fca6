"""Which waiting reports of an open design are folded as its next steps: drawn, whatever nonces they have."""

from collections.abc import Iterator
from dataclasses import dataclass
from os import urandom

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from collector.designs import Design
from collector.errors import Conflict
from collector.models import WaitingReport
from collector.reports import moving
from collector.reports.moving import MovedReports
from collector.reports.steps import STEP, foldable, groups

NONCE = 16

WAITING = """
SELECT nonce, stratum FROM collector_waitingreport AS waits WHERE design_id = %s AND NOT EXISTS (
  SELECT 1 FROM collector_report AS kept WHERE kept.design_id = waits.design_id AND kept.nonce = waits.nonce
)
"""


@dataclass(frozen=True)
class Plan:
    """Which waiting reports are folded: `steps` of shape (steps, STEP), each of one group; and which are `left`."""

    nonces: NDArray[np.uint8]
    steps: NDArray[np.intp]
    left: NDArray[np.intp]

    def chunks(self, size: int) -> Iterator[list[bytes]]:
        """The nonces that are folded, whole steps at a time and about so many, in the order of the nonces."""
        at_once = max(1, size // STEP)
        for first in range(0, len(self.steps), at_once):
            yield self._nonces(self.steps[first : first + at_once])

    @property
    def those_left(self) -> list[bytes]:
        return self._nonces(self.left)

    def _nonces(self, places: NDArray[np.intp]) -> list[bytes]:
        return sorted(self.nonces[place].tobytes() for place in places.flat)


def plan(design: Design, number: int) -> Plan:
    """Draw which of the waiting reports of a design are folded now."""
    nonces, strata = _waiting(number)
    groups_of = groups(design, strata)
    steps, left = [np.empty((0, STEP), dtype=np.intp)], [np.empty(0, dtype=np.intp)]
    for group in np.unique(groups_of):
        mine = _shuffled(np.flatnonzero(groups_of == group))
        folded = foldable(len(mine))
        steps.append(mine[:folded].reshape(-1, STEP))
        left.append(mine[folded:] if folded else mine[:0])
    return Plan(nonces, _shuffled(np.concatenate(steps)), np.concatenate(left))


def move(number: int, nonces: list[bytes], left: list[bytes]) -> MovedReports:
    """Move whole steps in the caller's transaction. Conflict where not all wait that were drawn or left."""
    waits = WaitingReport.objects.filter(design__number=number)
    if waits.filter(nonce__in=left).count() < len(left):
        raise Conflict("What was drawn to be folded waits no longer: somebody else folds the design.")
    moved = moving.move_reports(number, nonces)
    if len(moved.new) < len(nonces):
        raise Conflict("What was drawn to be folded waits no longer: somebody else folds the design.")
    return moved


def _waiting(number: int) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The nonces, shape (n, NONCE), and the strata of the reports of a design that wait and were not kept before."""
    nonces, strata = bytearray(), []
    with connection.cursor() as cursor:
        cursor.execute(WAITING, [number])
        for nonce, stratum in cursor.fetchall():
            nonces += nonce
            strata.append(stratum)
    return np.frombuffer(bytes(nonces), dtype=np.uint8).reshape(-1, NONCE), np.array(strata, dtype=np.intp)


def _shuffled(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """In an order that the system draws: each is as likely, whatever nonces were picked."""
    return rows[np.frombuffer(urandom(8 * len(rows)), dtype=np.uint64).argsort()]
