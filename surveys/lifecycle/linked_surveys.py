"""Surveys of the same respondents: privacy loss in one counts in all of them, permanently.

Such surveys share a random key. Nobody can take one out of it again: a budget that could be unlinked would begin anew.
"""

import math
from fractions import Fraction

from django.db.models import QuerySet

from collector.database import locks
from estimator.base.jobs import new_key
from surveys.definition.privacy_budget import NOTHING, PrivacyLossSum, spent
from surveys.lifecycle.waves import spending, waves_of
from surveys.models import Survey


def others_for_same_people(survey: Survey) -> QuerySet[Survey]:
    """The other surveys linked to the same respondents; also a draft that is a rehearsal now, since people
    may have answered what it was before. A rehearsal's own versions cost nothing."""
    if not survey.people or survey.rehearsal:
        return Survey.objects.none()
    return Survey.objects.filter(people=survey.people).exclude(pk=survey.pk)


def spent_elsewhere(survey: Survey) -> PrivacyLossSum:
    """The possible loss in the linked surveys; a device remembers tickets within one survey only."""
    sums = [spent(spending(waves_of(other))) for other in others_for_same_people(survey)]
    return PrivacyLossSum(
        math.prod((one.least for one in sums), start=Fraction(1)),
        math.prod((one.most for one in sums), start=Fraction(1)),
    ).plus(NOTHING)


def link(survey: Survey, other: Survey) -> None:
    """Link two surveys of the same respondents, and with them all that were linked to either before."""
    key = survey.people or other.people or new_key()
    for one in (survey, other):
        linked = Survey.objects.filter(people=one.people) if one.people else Survey.objects.filter(pk=one.pk)
        linked.update(people=key)
        one.people = key


def lock_linked(survey: Survey) -> None:
    """Lock linked surveys against opening until the transaction ends: neither would count the other's loss."""
    survey.refresh_from_db(fields=["people"])
    if survey.people:
        locks.exclusive_lock(survey.people, locks.PEOPLE)
