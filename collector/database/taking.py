"""The acceptance of a design's reports: shared by whoever stores one, exclusive for whoever closes the design.

On one server it is an advisory lock. On a cluster a report is stored under the lock of its node, where the node's copy
of the design says whether it is open, and so the exclusive one has to be held on every node. Each copy has a trigger
that takes it there before the column `closed_on` is written, and holds it until that node has committed. So an update
of the design that changes nothing holds it everywhere, on the coordinator too, whatever node stores the reports now.
"""

from collections.abc import Collection

from django.db import connection

from collector.database import locks
from collector.database.distribution import is_distributed

TOUCH = "UPDATE collector_frozendesign SET closed_on = closed_on WHERE digest = %s"


def stop(digests: Collection[str]) -> None:
    """Wait until those reports of these designs are on disk that are being stored; none is until the transaction ends.

    In the order in which storing shares the locks.
    """
    if not is_distributed():
        locks.exclusive_locks(digests, locks.TAKING)
        return
    with connection.cursor() as cursor:
        for digest in locks.in_order(digests):
            cursor.execute(TOUCH, [digest])
