"""Surveys by invitation after a restore: they are closed, and their owner decides whether to reopen them.

A backup holds the invitations that were unused when it was made. Those that were used since are good again in a place
that is made from it: whoever used one could answer a second time.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from collector.designs.selectors import closed_by_restore, not_final_by_invitation
from collector.designs.services import close_design, reopen_design
from collector.errors import Conflict
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import selectors, services, transitions
from surveys.models import Survey, Version

RISK = gettext_lazy(
    "Accepts responses again, with the same design, link and invitations. An invitation that was used after the backup "
    "is valid once more: whoever used it can answer a second time, and whoever finds a used one can answer with it. "
    "Responses that came after the backup are lost here; a copy of them elsewhere adds to what a second response "
    "reveals. Numbers were shown when it was closed: the next ones differ from them by the responses that come from "
    "now on, however few these are."
)


def close_invitation_surveys() -> list[str]:
    """Close every survey by invitation that takes responses or may do so again, as part of a restore; returns their
    slugs."""
    versions = Version.objects.filter(design__in=not_final_by_invitation()).select_related("survey")
    slugs = []
    for version in versions.order_by("survey__slug"):
        services.close_survey(version.survey, by_a_restore=True)
        slugs.append(version.survey.slug)
    for digest in not_final_by_invitation():  # designs that are no survey's any more
        close_design(digest, by_a_restore=True)
    return slugs


def may_be_reopened(survey: Survey) -> bool:
    """True if a restore closed its latest version, and nothing was done with it since."""
    if survey.state != Survey.State.CLOSED or not survey.invitations:
        return False
    version = selectors.latest_version(survey)
    return version is not None and closed_by_restore(version.design_id)


@transaction.atomic
def reopen(survey: Survey, *, by: User | None = None) -> None:
    """Accept responses again to a survey that a restore closed: same version, same link.

    Raises Conflict where no restore closed it, or it was changed since.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    version = selectors.latest_version(survey)
    if version is None or not may_be_reopened(survey):
        words = gettext("{slug} is {state}; only a survey that a restore closed can be reopened.")
        raise Conflict(words.format(slug=survey.slug, state=transitions.STATES[survey.state]))
    reopen_design(version.design_id)
    Version.objects.filter(pk=version.pk).update(closed_at=None)
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.OPEN)
    detail = f"version {version.number}, which a restore had closed; invitations used since its backup are good again"
    record_event(by, "reopened", survey=survey, detail=detail)
