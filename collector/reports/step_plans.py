"""Random selection of the waiting reports of an open design for its next steps, whatever their nonces."""

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
    """The waiting reports to fold: `steps` of shape (steps, STEP), each of one group; and those `left`."""

    nonces: NDArray[np.uint8]
    steps: NDArray[np.intp]
    left: NDArray[np.intp]

    def chunks(self, size: int) -> Iterator[list[bytes]]:
        """Yield the nonces to fold, sorted, in chunks of whole steps and about `size` nonces."""
        at_once = max(1, size // STEP)
        for first in range(0, len(self.steps), at_once):
            yield self._nonces(self.steps[first : first + at_once])

    @property
    def those_left(self) -> list[bytes]:
        return self._nonces(self.left)

    def _nonces(self, places: NDArray[np.intp]) -> list[bytes]:
        return sorted(self.nonces[place].tobytes() for place in places.flat)


def plan(design: Design, number: int) -> Plan:
    """Draw at random the waiting reports of a design to fold now."""
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
        raise Conflict(
            "The responses drawn for counting are no longer waiting: another worker is counting this design."
        )
    moved = moving.move_reports(number, nonces)
    if len(moved.new) < len(nonces):
        raise Conflict(
            "The responses drawn for counting are no longer waiting: another worker is counting this design."
        )
    return moved


def _waiting(number: int) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The nonces, shape (n, NONCE), and strata of a design's waiting reports that were not stored before."""
    nonces, strata = bytearray(), []
    with connection.cursor() as cursor:
        cursor.execute(WAITING, [number])
        for nonce, stratum in cursor.fetchall():
            nonces += nonce
            strata.append(stratum)
    return np.frombuffer(bytes(nonces), dtype=np.uint8).reshape(-1, NONCE), np.array(strata, dtype=np.intp)


def _shuffled(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Shuffle with system randomness: all orders are equally likely, whatever the nonces."""
    return rows[np.frombuffer(urandom(8 * len(rows)), dtype=np.uint64).argsort()]
