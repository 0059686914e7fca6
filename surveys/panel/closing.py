"""What closing a survey means for that very survey, before it is closed and while that can be undone."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, gettext_lazy, ngettext

from collector.designs import FEWEST_IN_GROUP
from collector.reports.selectors import report_counts
from estimator.base import wording
from surveys.lifecycle import selectors
from surveys.models import Survey, Version
from surveys.opening import schedules

FOR_GOOD = {
    "": gettext_lazy("the order in which responses came is erased and the final estimate is made"),
    "secret": gettext_lazy(
        "unused codes are deleted, the order in which responses came is erased and the final estimate is made"
    ),
    "blind": gettext_lazy(
        "the key that makes codes good is deleted, the order in which responses came is erased "
        "and the final estimate is made"
    ),
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
    return PendingClosing(version.closed_at, selectors.final_time(version), str(FOR_GOOD[survey.invitations]))


def closing_facts(survey: Survey, version: Version) -> Iterator[str]:
    """What closing this open survey means, in sentences."""
    yield gettext("Responses are refused from then on, and the link says that the survey is closed.")
    yield gettext("You can undo this within an hour. After that no response can be added: {for_good}.").format(
        for_good=FOR_GOOD[survey.invitations]
    )
    counted = report_counts([version.design_id])[version.design_id]
    if counted.stored < FEWEST_IN_GROUP:
        came = wording.reports(counted)
        yield gettext(
            "Responses counted so far: {came}. With fewer than {fewest_in_group} in all there is no estimate."
        ).format(came=came, fewest_in_group=FEWEST_IN_GROUP)
    if any(one.move == "close" for one in schedules.waiting(survey)):
        yield gettext("The scheduled closing is cancelled.")
    if fault := selectors.next_wave_fault(survey):
        yield gettext("The survey could not be opened again as its next wave: {fault}").format(fault=fault)
        yield gettext("It can be revised to a draft of its next version.")
    else:
        yield gettext("Later it can be opened again as its next wave, or revised to a draft of its next version.")
    if survey.results_shown:
        yield gettext("Once the final estimate is made, its link shows the results to respondents.")
    if survey.purge_after:
        yield ngettext(
            "Responses are deleted {days} day after closing.",
            "Responses are deleted {days} days after closing.",
            survey.purge_after,
        ).format(days=survey.purge_after)
