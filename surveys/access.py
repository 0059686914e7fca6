"""The only doors to surveys and runs: a stranger's object and a missing one look the same."""

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.http import Http404

from estimator.models import Run
from surveys.models import Survey, Version

Person = User | AnonymousUser


def surveys_of(user: Person) -> QuerySet[Survey]:
    """The surveys that this person may see and change: one's own; all for a superuser."""
    if not user.is_active or not user.is_staff:
        return Survey.objects.none()
    return Survey.objects.all() if user.is_superuser else Survey.objects.filter(owner=user.pk)


def get_survey_or_404(user: Person, slug: str) -> Survey:
    survey = surveys_of(user).filter(slug=slug).first()
    if survey is None:
        raise Http404("There is no such survey.")
    return survey


def get_run_or_404(user: Person, key: str) -> Run:
    """A run of one of this person's surveys."""
    designs = Version.objects.filter(survey__in=surveys_of(user)).values("design")
    run = Run.objects.filter(key=key, design__in=designs).first()
    if run is None:
        raise Http404("There is no such run.")
    return run
