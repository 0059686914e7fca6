"""Teams: a user's memberships, and the team that a new survey goes to."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.forms import ModelChoiceField
from django.utils.translation import gettext
from unfold.widgets import UnfoldAdminSelectWidget

from collector.errors import Conflict
from surveys.accounts.audit_log import record_event
from surveys.models import DirectoryGroup, Membership, Role, Survey, Team


def teams_of(user: User, role: Role = Role.VIEWER) -> QuerySet[Team]:
    """The teams in which the user has at least this role."""
    return Team.objects.filter(memberships__user=user, memberships__role__gte=role)


def choices_of(user: User) -> QuerySet[Team]:
    """The teams that the user can choose from for a new survey; empty unless there are several."""
    teams = teams_of(user, Role.EDITOR)
    return teams if teams.count() > 1 else Team.objects.none()


def team_fields(user: User) -> dict[str, ModelChoiceField[Team]]:
    """Form field for the team of a new survey, for users with several teams."""
    teams = choices_of(user)
    if not teams:
        return {}
    usual = teams_of(user, Role.OWNER).order_by("pk").first()
    return {"team": ModelChoiceField(teams, widget=UnfoldAdminSelectWidget, empty_label=None, initial=usual)}


@transaction.atomic
def home_team(user: User) -> Team:
    """The first team that the user owns; created if there is none, so that a survey always has a team."""
    team = teams_of(user, Role.OWNER).order_by("pk").first()
    return team or make_team(user, gettext("Surveys of {name}").format(name=user.get_username())[:100])


@transaction.atomic
def make_team(user: User, name: str) -> Team:
    """Create a team with this user as its owner."""
    team = Team.objects.create(name=name)
    Membership.objects.create(team=team, user=user, role=Role.OWNER)
    record_event(user, "created a team", team=team, detail=name)
    return team


def team_for(user: User, slug: str, chosen: Team | None = None) -> Team:
    """The team for a survey of the user: its present team if it exists, else the chosen one, else the home team."""
    there = Survey.objects.filter(slug=slug, team__in=teams_of(user, Role.EDITOR)).select_related("team").first()
    return there.team if there else chosen or home_team(user)


def rename(team: Team, name: str, *, by: User) -> None:
    old, team.name = team.name, name
    team.save(update_fields=["name"])
    record_event(by, "renamed a team", team=team, detail=f"{old} is now {name}")


@transaction.atomic
def set_role(member: Membership, role: Role, *, by: User) -> None:
    """Give a member another role. Raises Conflict where a group gave it, or the team would have no owner."""
    _require_granted_by_person(member)
    if role != Role.OWNER:
        _require_another_owner(member)
    was, member.role = member.get_role_display(), role
    member.save(update_fields=["role"])
    record_event(by, "changed a role", team=member.team, detail=f"{member.user}: {was} is now {role.label}")


@transaction.atomic
def remove(member: Membership, *, by: User) -> None:
    """Remove a member from the team; the surveys remain. Raises as `set_role` does."""
    _require_granted_by_person(member)
    _require_another_owner(member)
    member.delete()
    act = "left a team" if member.user == by else "removed a member"
    record_event(by, act, team=member.team, detail=f"{member.user}, {member.get_role_display()}")


@transaction.atomic
def move_survey(survey: Survey, team: Team, *, by: User) -> None:
    """Move a survey to another team. Members of only the old team lose access to it."""
    old, survey.team = survey.team, team
    record_event(
        by, "moved out", survey=Survey(pk=survey.pk, slug=survey.slug, team=old), detail=f"from {old} to {team}"
    )
    survey.save(update_fields=["team"])
    record_event(by, "moved in", survey=survey, detail=f"from {old} to {team}")


@transaction.atomic
def add_directory_group(team: Team, name: str, role: Role, *, by: User) -> DirectoryGroup:
    """Give everybody in a group of the institution this role. Raises Conflict where the group has one already."""
    if team.directory_groups.filter(name=name).exists():
        raise Conflict(gettext("The group {name} has a role here already. Remove it first.").format(name=name))
    made = DirectoryGroup.objects.create(team=team, name=name, role=role)
    record_event(by, "added a directory group", team=team, detail=f"{name}: {role.label}")
    return made


@transaction.atomic
def remove_directory_group(group: DirectoryGroup, *, by: User) -> None:
    """Take the role away from all who have it by this group."""
    Membership.objects.filter(team=group.team, granted_by=group.name).delete()
    record_event(by, "removed a directory group", team=group.team, detail=group.name)
    group.delete()


def _require_granted_by_person(member: Membership) -> None:
    if member.granted_by:
        raise Conflict(
            gettext("{user} has this role by the group {group} of the institution; change it there.").format(
                user=member.user, group=member.granted_by
            )
        )


def _require_another_owner(member: Membership) -> None:
    # Locked, so that of the last two owners who leave at once one stays. An account that is off decides nothing.
    owners = Membership.objects.select_for_update().filter(team=member.team, role=Role.OWNER, user__is_active=True)
    if member.role == Role.OWNER and not set(owners.values_list("pk", flat=True)) - {member.pk}:
        raise Conflict(
            gettext("{user} is the last owner of {team}. Make somebody else an owner first.").format(
                user=member.user, team=member.team
            )
        )


@transaction.atomic
def delete(team: Team, *, by: User | None) -> None:
    """Delete a team without surveys and other members. Raises Conflict where it has surveys or another member."""
    Team.objects.select_for_update().get(pk=team.pk)
    if not is_empty(team):
        raise Conflict(
            gettext("{team} has surveys or other members; only a team without them can be deleted.").format(team=team)
        )
    record_event(by, "deleted a team", team=team, detail=team.name)
    team.delete()


def is_empty(team: Team) -> bool:
    """Return True if a team has no survey and at most one member."""
    return not team.surveys.exists() and team.memberships.count() <= 1


@transaction.atomic
def delete_accounts(users: QuerySet[User], *, by: User) -> None:
    """Delete these accounts and the teams that would then have no member and no survey."""
    teams = list(Team.objects.filter(memberships__user__in=users).distinct())
    users.delete()
    for team in Team.objects.filter(pk__in=[team.pk for team in teams], memberships=None, surveys=None):
        delete(team, by=by)


def with_counts(members: QuerySet[Membership]) -> QuerySet[Membership]:
    """Annotate memberships with the team's number of `people` and `surveys`."""
    people = Count("team__memberships", distinct=True)
    return members.annotate(people=people, surveys=Count("team__surveys", distinct=True))


def teams_without_owner(user: User) -> list[Team]:
    """The teams with surveys or other members that would have no owner without this user."""
    own = Team.objects.filter(memberships__user=user, memberships__role=Role.OWNER)
    others = Membership.objects.exclude(user=user)
    needed = Q(pk__in=others.values("team")) | Q(surveys__isnull=False)
    owned = others.filter(role=Role.OWNER, user__is_active=True).values("team")
    return list(own.filter(needed).exclude(pk__in=owned).distinct().order_by("pk"))
