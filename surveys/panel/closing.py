"""What closing a survey means for that very survey, before it is closed and while that can be undone."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from collector.designs import FEWEST_IN_GROUP
from collector.reports.selectors import report_counts
from estimator.base import wording
from surveys.lifecycle import selectors
from surveys.models import Survey, Version
from surveys.opening import schedules

FOR_GOOD = {
    "": "the order of arrival of the responses is erased and the final estimate is computed",
    "secret": "unused codes are deleted, the order of arrival of the responses is erased and the final estimate is "
    "computed",
    "blind": "the signing key is deleted, the order of arrival of the responses is erased and the final estimate is "
    "computed",
}
"""What is done once a closing is final, by how the survey is answered."""


@dataclass(frozen=True)
class PendingClosing:
    """A closing that can be undone."""

    since: datetime
    until: datetime
    final: str
    """What is done then."""


def pending_closing(survey: Survey) -> PendingClosing | None:
    """The closing that can still be undone; None if there is none."""
    version = selectors.version_closing(survey)
    if version is None or version.closed_at is None:
        return None
    return PendingClosing(version.closed_at, selectors.final_time(version), FOR_GOOD[survey.invitations])


def closing_facts(survey: Survey, version: Version) -> Iterator[str]:
    """What closing this open survey means, in sentences."""
    yield "No more responses are accepted, and the link shows that the survey is closed."
    yield f"You can undo this within an hour. After that no response can be added: {FOR_GOOD[survey.invitations]}."
    counted = report_counts([version.design_id])[version.design_id]
    if counted.stored < FEWEST_IN_GROUP:
        came = wording.reports(counted)
        yield f"Responses counted so far: {came}. With fewer than {FEWEST_IN_GROUP} in total there is no estimate."
    if any(one.move == "close" for one in schedules.waiting(survey)):
        yield "The scheduled closing is cancelled."
    if fault := selectors.next_wave_fault(survey):
        yield f"The next wave could not be opened: {fault}"
        yield "The survey can be revised as a draft of the next version."
    else:
        yield "Later you can open the next wave, or revise the survey as a draft of the next version."
    if survey.results_shown:
        yield "Once the final estimate is computed, the link shows the results to respondents."
    if survey.purge_after:
        yield f"Responses are deleted {survey.purge_after} day{'s' * (survey.purge_after > 1)} after closing."
