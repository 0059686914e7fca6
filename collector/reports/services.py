"""Delete the reports and totals of rehearsals."""

from django.db import transaction

from collector.database import locks, taking
from collector.designs.services import close_design
from collector.models import DailyCount, FrozenDesign, Report, SetAsideReport, Tally, WaitingReport


@transaction.atomic
def clear_rehearsal(digest: str) -> None:
    """Delete the simulated reports of a rehearsal and their totals, so that it can be repeated.

    Raises ValueError where the design is none of a rehearsal: what respondents sent is not forgotten here.
    """
    locks.shared_lock(locks.EVERY, locks.REWRITING)
    taking.stop([digest])
    design = FrozenDesign.objects.filter(digest=digest, rehearsal=True).first()
    if design is None:
        raise ValueError(f"design must be one of a rehearsal; got {digest}")
    # The waiting ones first: that waits for a worker that is folding some, and what it adds is then seen.
    for reports in (WaitingReport, Report, SetAsideReport):
        reports.objects.filter(design=design).delete()
    for rows in (Tally, DailyCount):
        rows.objects.filter(design=design).delete()


@transaction.atomic
def discard_rehearsal(digest: str) -> None:
    """Delete a rehearsal with its design, which then takes no more reports. Raises as `clear_rehearsal` does."""
    clear_rehearsal(digest)
    close_design(digest)
    FrozenDesign.objects.filter(digest=digest).delete()
