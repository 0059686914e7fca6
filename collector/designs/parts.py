"""Parts of a design with more reports than one node holds: each has a number, and so a place, of its own.

A part is one more row beside its design's in the table of designs, with the same document. So reports, totals and daily
counts of a part name it as they would name a design, and every constraint and trigger holds for it. The first part is
the design itself; a design that is not split has no other. docs/adr/0038-one-survey-on-several-nodes.md says why.
"""

import hashlib

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from collector.database import distribution, locks, taking
from collector.designs import selectors
from collector.errors import Conflict
from collector.models import FrozenDesign, Report, SetAsideReport, WaitingReport

MOST_PARTS = 64


def key_of(digest: str, part: int) -> str:
    """What stands in place of the digest for a part of a design, counted from 0."""
    return hashlib.sha256(f"part {part} of {digest}".encode()).hexdigest() if part else digest


def keys(digest: str) -> list[str]:
    """The keys of all parts of a design, the first of which is its digest. Cached, as the design is."""
    return [key_of(digest, part) for part in range(selectors.part_count(digest))]


def key_for(digest: str, nonce: bytes) -> str:
    """The key of the part to which a report belongs: whoever sends it again, and to whom, it is the same one."""
    count = selectors.part_count(digest)
    return digest if count == 1 else key_of(digest, place_of(nonce, count))


def number_for(digest: str, nonce: bytes) -> int:
    """The number of the part to which a report belongs; 0 where the design is unknown."""
    return selectors.numbers(digest).get(key_for(digest, nonce), 0)


def place_of(nonce: bytes, count: int) -> int:
    """The part of a report among `count`: by a hash, as the nonce is what a sender chose."""
    return int.from_bytes(hashlib.sha256(nonce).digest()[:8]) % count


@transaction.atomic
def split_design(digest: str, count: int) -> None:
    """Split an open design without reports into parts, on a cluster over its nodes in turn.

    Other processes must not know the design yet, as in the transaction that freezes it, or must not run: each reads
    once how many parts a design has.

    Raises
    ------
    Conflict
        Where the design has reports, is closed, split already, by invitation or of a rehearsal, or where the number of
        parts is out of bounds.
    """
    if not 2 <= count <= MOST_PARTS:
        raise Conflict(
            gettext("The number of parts must be from 2 to {most_parts}; got {count}.").format(
                most_parts=MOST_PARTS, count=count
            )
        )
    locks.exclusive_lock(locks.NUMBERS, 0)
    taking.stop([digest])
    design = FrozenDesign.objects.get(digest=digest)
    _require_splittable(design)
    last = FrozenDesign.objects.aggregate(number=Max("number"))["number"]
    for part, number in enumerate(distribution.spread(design.number, last + 1, count - 1), start=1):
        FrozenDesign.objects.create(
            digest=key_of(digest, part),
            number=number,
            document=design.document,
            opened_on=design.opened_on,
            part_of=design,
        )
    selectors.forget()


def _require_splittable(design: FrozenDesign) -> None:
    if design.rehearsal:
        raise Conflict(gettext("A rehearsal cannot be split: its respondents are simulated on one machine."))
    if selectors.get_design(design.digest).invitations:
        raise Conflict(
            gettext(
                "A survey by invitation cannot be split: a code and the response that uses it are "
                "stored in one transaction on one node."
            )
        )
    if design.part_of_id is not None or FrozenDesign.objects.filter(part_of=design).exists():
        raise Conflict(
            gettext(
                "The survey is split already. The number of its parts cannot change, because it "
                "decides where responses are stored."
            )
        )
    if design.closed_on is not None:
        raise Conflict(gettext("The survey is closed: only an open survey without responses can be split."))
    if any(table._default_manager.filter(design=design).exists() for table in (WaitingReport, Report, SetAsideReport)):
        raise Conflict(gettext("The survey has responses already. It can be split only before the first one arrives."))
