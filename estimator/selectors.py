"""What is read of runs and estimates."""

import math
from collections.abc import Mapping

from django.db.models import QuerySet

from collector import selectors as reports
from collector.models import Tally
from estimator import computing
from estimator.models import KnownShare, Run
from randomized_response.questions import Values


def designs_with_totals() -> list[str]:
    """Those that respondents report to; a rehearsal asks for its estimates itself."""
    real = Tally.objects.filter(design__rehearsal=False)
    return list(real.values_list("design_id", flat=True).distinct().order_by("design_id"))


def runs_of(digest: str) -> QuerySet[Run]:
    """All runs of a design, the newest first."""
    return Run.objects.filter(design_id=digest)


def last_run(digest: str) -> Run | None:
    """The newest run of a design, whatever became of it."""
    return runs_of(digest).first()


def last_done(digest: str) -> Run | None:
    """The newest run whose estimates are there."""
    return runs_of(digest).filter(state=Run.State.DONE).first()


def is_current(run: Run) -> bool:
    """Whether nothing was folded since: or the run is still to come, and will see it."""
    if run.state in (Run.State.QUEUED, Run.State.RUNNING):
        return True
    design, totals = reports.get_design(run.design_id), reports.totals(run.design_id)
    return run.state == Run.State.DONE and run.input_digest == computing.input_digest(design, totals)


def known_shares(digest: str) -> dict[tuple[int, int, int | None], float]:
    """The true shares of a rehearsal by (item position, choice, stratum); empty for a design with real respondents."""
    rows = KnownShare.objects.filter(design_id=digest)
    return {(row.position, row.choice, row.stratum): row.share for row in rows}


def known_mean(shares: Mapping[int, float], values: Values) -> float | None:
    """The true mean of those whose answer has a value; None where no answer has one, or not every share is known."""
    valued = [(value, shares.get(answer, 0.0)) for answer, value in enumerate(values) if value is not None]
    total = math.fsum(share for _, share in valued)
    if not total or not math.isclose(math.fsum(shares.values()), 1.0):
        return None
    return math.fsum(value * share for value, share in valued) / total
