"""Queries on runs and estimates."""

import math
from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from collector.database.distribution import is_distributed
from collector.models import FrozenDesign
from collector.reports import selectors as reports
from estimator.models import KnownShare, Run, Worker
from randomized_response.questions import Values


def changed_designs(*, before: datetime) -> list[str]:
    """Digests of the designs with more folded reports than in their last run, or whose last run failed.

    Not those of which a run was asked for since `before`, or is still to come; nor rehearsals, which ask for their
    estimates themselves. Reports are only ever added, so as many as before are the same ones; no design is read.
    """
    last = Run.objects.filter(design=OuterRef("pk")).order_by("-requested_at", "-pk")
    designs = FrozenDesign.objects.filter(rehearsal=False, part_of=None).order_by("digest")
    designs = designs.annotate(
        state=Subquery(last.values("state")[:1]),
        seen=Subquery(last.values("reports")[:1]),
        requested=Subquery(last.values("requested_at")[:1]),
    )
    due = Q(state=None) | Q(requested__lte=before, state__in=(Run.State.DONE, Run.State.FAILED))
    if is_distributed():
        counts = reports.folded_of_nodes()
        rows = designs.filter(due).values_list("digest", "state", "seen")
        return [
            digest
            for digest, state, seen in rows
            if digest in counts and not (state == Run.State.DONE and seen == counts[digest])
        ]
    counted = designs.annotate(folded=reports.folded() + reports.folded_in_parts()).filter(due, folded__gt=0)
    changed = counted.filter(~Q(state=Run.State.DONE) | Q(state=None) | ~Q(seen=F("folded")))
    return list(changed.values_list("digest", flat=True))


def worker_seen() -> datetime | None:
    """The time when a worker last looked for work; None if none ever did."""
    return Worker.objects.values_list("seen_at", flat=True).first()


def caught_up() -> datetime | None:
    """The last recorded time when no report waited to be counted; None if there is none."""
    return Worker.objects.values_list("caught_up_at", flat=True).first()


def runs_of(digest: str) -> QuerySet[Run]:
    """All runs of a design, the newest first."""
    return Run.objects.filter(design_id=digest)


def last_run(digest: str) -> Run | None:
    """The newest run of a design, in any state."""
    return runs_of(digest).first()


def last_done(digest: str) -> Run | None:
    """The newest finished run of a design."""
    return runs_of(digest).filter(state=Run.State.DONE).first()


def last_done_of(digests: Collection[str]) -> dict[str, Run]:
    """The newest finished run of each design that has one, without its totals."""
    newest = Run.objects.filter(design=OuterRef("design"), state=Run.State.DONE).order_by("-requested_at", "-pk")
    found = Run.objects.filter(design__in=digests, pk=Subquery(newest.values("pk")[:1])).defer("tallies")
    return {run.design_id: run for run in found}


def known_shares(digest: str) -> dict[tuple[int, int, int | None], float]:
    """The true shares of a rehearsal by (item position, choice, stratum); empty for a design with real respondents."""
    rows = KnownShare.objects.filter(design_id=digest)
    return {(row.position, row.choice, row.stratum): row.share for row in rows}


def known_mean(shares: Mapping[int, float], values: Values) -> float | None:
    """The true mean of those whose answer has a value; None if no answer has one, or a share is unknown."""
    valued = [(value, shares.get(answer, 0.0)) for answer, value in enumerate(values) if value is not None]
    total = math.fsum(share for _, share in valued)
    if not total or not math.isclose(math.fsum(shares.values()), 1.0):
        return None
    return math.fsum(value * share for value, share in valued) / total
