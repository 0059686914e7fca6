"""How far a survey is while reports come in: its newest run, what is counted, and whether a worker is there."""

import hashlib
import json
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from collector.designs import FEWEST_IN_GROUP
from collector.reports import selectors as reports
from collector.reports.selectors import ReportCounts
from collector.reports.steps import STEP
from estimator.base import wording
from estimator.models import Run
from estimator.runs import health
from estimator.runs import selectors as estimates
from surveys.labels import translated
from surveys.lifecycle import selectors
from surveys.models import Survey, Version


@dataclass(frozen=True)
class Progress:
    """What there is to see of a survey, read once for a page or an answer."""

    survey: Survey
    version: Version | None
    counted: ReportCounts
    last: Run | None
    done: Run | None
    worker: str

    @property
    def pending(self) -> Run | None:
        """The run that is on its way."""
        return self.last if self.last is not None and self.last.waits else None

    @property
    def failed(self) -> Run | None:
        return self.last if self.last is not None and self.last.state == Run.State.FAILED else None

    @property
    def lacking(self) -> int:
        """Reports that are missing to the first estimates."""
        return max(0, FEWEST_IN_GROUP - self.counted.stored)

    @property
    def ends(self) -> bool:
        """Whether nothing will change any more by itself."""
        return self.survey.state != Survey.State.OPEN and self.pending is None and not self.counted.waiting

    @property
    def words(self) -> dict[str, str]:
        """The numbers that change between one run and the next, as the page shows them."""
        return {
            "reports": wording.reports(self.counted),
            "waiting": _counted_in_words(self.counted),
            "job": _job_in_words(self.pending, self.failed, self.done),
            "lacking": ngettext("{count} more is missing.", "{count} more are missing.", self.lacking).format(
                count=self.lacking
            )
            if self.lacking
            else "",
        }

    @property
    def page(self) -> str:
        """Changes when more is to be shown than those words."""
        version, last = self.version, self.last
        parts = [
            self.survey.state, version and version.number, last and last.key, last and last.state, last and last.fault,
            self.results, self.worker, bool(self.lacking),
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def results(self) -> str:
        """The key of the run whose estimates are shown."""
        return self.done.key if self.done else ""


def progress_of(survey: Survey) -> Progress:
    version = selectors.latest_version(survey)
    if version is None:
        return Progress(survey, None, ReportCounts(0, 0), None, None, _worker())
    digest = version.design_id
    counted = reports.report_counts([digest])[digest]
    return Progress(survey, version, counted, estimates.last_run(digest), estimates.last_done(digest), _worker())


def _counted_in_words(counted: ReportCounts) -> str:
    if counted.stepwise:
        return gettext("counted so far, in steps of {step}").format(step=STEP)
    waiting = counted.waiting
    return (
        gettext("{waiting} stored and not counted yet").format(waiting=wording.count(waiting))
        if waiting
        else gettext("all responses are counted")
    )


def _worker() -> str:
    seen_at = estimates.worker_seen()
    if seen_at is None:
        return "never"
    return "here" if seen_at > timezone.now() - health.AWAY else "away"


def _job_in_words(pending: Run | None, failed: Run | None, done: Run | None) -> str:
    if pending is not None:
        waits = (
            gettext("waiting for a worker")
            if pending.state == Run.State.QUEUED
            else gettext("{progress} % computed").format(progress=pending.progress)
        )
        return f"{translated(pending.get_trigger_display())}: {waits}".capitalize()
    if failed is not None:
        return gettext("The last one failed. {fault}").format(fault=failed.fault)
    if done is None:
        return gettext("None yet")
    return gettext("Finished, from {count} responses").format(count=wording.count(done.reports))
