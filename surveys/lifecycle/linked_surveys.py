"""Surveys for the same people: what was spent in one counts in all of them, and is never taken back.

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
    """The other surveys that are said to ask the people of this one; also a draft that is a rehearsal now, for people
    may have answered what it was before. A rehearsal's own versions cost nothing."""
    if not survey.people or survey.rehearsal:
        return Survey.objects.none()
    return Survey.objects.filter(people=survey.people).exclude(pk=survey.pk)


def spent_elsewhere(survey: Survey) -> PrivacyLossSum:
    """What a person can have spent in the other surveys; a device remembers tickets within one survey alone."""
    sums = [spent(spending(waves_of(other))) for other in others_for_same_people(survey)]
    return PrivacyLossSum(
        math.prod((one.least for one in sums), start=Fraction(1)),
        math.prod((one.most for one in sums), start=Fraction(1)),
    ).plus(NOTHING)


def link(survey: Survey, other: Survey) -> None:
    """Say that two surveys ask the same people, and so do all that were linked to either of them before."""
    key = survey.people or other.people or new_key()
    for one in (survey, other):
        linked = Survey.objects.filter(people=one.people) if one.people else Survey.objects.filter(pk=one.pk)
        linked.update(people=key)
        one.people = key


def lock_linked(survey: Survey) -> None:
    """Have no other survey for the same people open until the transaction ends: both would count without each other."""
    survey.refresh_from_db(fields=["people"])
    if survey.people:
        locks.exclusive_lock(survey.people, locks.PEOPLE)
