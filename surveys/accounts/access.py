"""Access checks for surveys, runs, analyses and exports: one of another team and a missing one look alike."""

from typing import TypeVar

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext, gettext_lazy

from estimator.models import Analysis, Export, Run
from surveys.models import Membership, Rehearsal, Survey, Team, Version
from surveys.models import Role as Role

Person = User | AnonymousUser
T = TypeVar("T")


def surveys_of(user: Person, role: Role = Role.VIEWER) -> QuerySet[Survey]:
    """The surveys in which the user has at least this role; all for a superuser."""
    if not user.is_active or not user.is_staff:
        return Survey.objects.none()
    if user.is_superuser:
        return Survey.objects.all()
    return Survey.objects.filter(team__memberships__user=user.pk, team__memberships__role__gte=role)


def survey_of(run: Run) -> Survey:
    """The survey of a run, whether its responses came from respondents or a rehearsal."""
    return surveys_of_runs(run.design_id).get()


def surveys_of_runs(digest: str) -> QuerySet[Survey]:
    """The survey of which this design is a version or a rehearsal; an empty queryset otherwise."""
    opened, rehearsed = (kind.objects.filter(design=digest).values("survey") for kind in (Version, Rehearsal))
    return Survey.objects.filter(Q(pk__in=opened) | Q(pk__in=rehearsed))


def role_in(user: Person, survey: Survey) -> Role | None:
    """The user's role in the survey's team; OWNER for a superuser, None for a non-member."""
    return role_in_team(user, survey.team_id)


def role_in_team(user: Person, team: int) -> Role | None:
    """The user's role in the team with this key; None for a non-member."""
    if not user.is_active or not user.is_staff:
        return None
    if user.is_superuser:
        return Role.OWNER
    membership = Membership.objects.filter(team=team, user=user.pk).first()
    return Role(membership.role) if membership else None


def get_survey_or_404(user: Person, slug: str, role: Role = Role.VIEWER) -> Survey:
    """The survey with this slug.

    Raises
    ------
    Http404
        Where there is none, or the person is not in its team: nobody can tell which.
    PermissionDenied
        Where the person is in its team with a smaller role than this.
    """
    survey = one_or_404(surveys_of(user).select_related("team").filter(slug=slug).first())
    require(role_in(user, survey), role)
    return survey


def get_rehearsal_or_404(survey: Survey, number: int) -> Rehearsal:
    """Only from a survey that one may see: so a stranger's rehearsal and a missing one look the same."""
    return one_or_404(survey.rehearsals.select_related("run", "survey").filter(number=number).first())


def get_run_or_404(user: Person, key: str, role: Role = Role.VIEWER) -> Run:
    """A run of one of the user's surveys; raises as `get_survey_or_404` does."""
    run = one_or_404(Run.objects.filter(key=key).first(), "run")
    _survey_or_404(user, run.design_id, role, "run")
    return run


def get_export_or_404(user: Person, key: str, role: Role = Role.VIEWER) -> tuple[Export, Survey]:
    """An export of one of the user's surveys, with the survey; raises as `get_survey_or_404` does.

    `role` is for what is seen of it; `exporting.role_for` says who may have its file.
    """
    export = one_or_404(Export.objects.select_related("run", "asked_by").filter(key=key).first(), "export")
    return export, _survey_or_404(user, export.run.design_id, role, "export")


def get_team_or_404(user: Person, pk: int, role: Role = Role.VIEWER) -> Team:
    """A team of which the user is a member; raises as `get_survey_or_404` does."""
    team = one_or_404(Team.objects.filter(pk=pk).first(), "team")
    require(one_or_404(role_in_team(user, pk), "team"), role)
    return team


def get_analysis_or_404(user: Person, key: str, role: Role = Role.VIEWER) -> tuple[Analysis, Survey]:
    """An analysis of one of the user's surveys, with the survey; raises as `get_survey_or_404` does."""
    analysis = one_or_404(Analysis.objects.select_related("repeats").filter(key=key).first(), "analysis")
    return analysis, _survey_or_404(user, analysis.design_id, role, "analysis")


def one_or_404(found: T | None, what: str = "survey") -> T:
    """What was found. Raises Http404 where nothing was: one of another team and a missing one look alike."""
    if found is None:
        raise Http404(f"There is no such {what}.")
    return found


def _survey_or_404(user: Person, digest: str, role: Role, what: str) -> Survey:
    survey = one_or_404(surveys_of_runs(digest).first(), what)
    require(one_or_404(role_in(user, survey), what), role)
    return survey


def require(held: Role | None, role: Role) -> None:
    """Raise PermissionDenied with an explanation unless `held` is at least `role`."""
    if held is None or held < role:
        has = (
            gettext("You are {held} in this team").format(held=HOLDERS[held])
            if held
            else gettext("You are not a member of this team")
        )
        raise PermissionDenied(
            gettext("{has}; this needs {role}. An owner of the team can change your role.").format(
                has=has, role=HOLDERS[role]
            )
        )


HOLDERS = {
    Role.VIEWER: gettext_lazy("a viewer"),
    Role.ANALYST: gettext_lazy("an analyst"),
    Role.EDITOR: gettext_lazy("an editor"),
    Role.OWNER: gettext_lazy("an owner"),
}
