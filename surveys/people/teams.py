"""Teams: which a person is in, and which a new survey goes to."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelChoiceField
from unfold.widgets import UnfoldAdminSelectWidget

from surveys.models import Survey
from surveys.people.models import Membership, Role, Team


def teams_of(user: User, role: Role = Role.VIEWER) -> QuerySet[Team]:
    """The teams in which this person has at least this role."""
    return Team.objects.filter(memberships__user=user, memberships__role__gte=role)


def choices_of(user: User) -> QuerySet[Team]:
    """The teams among which this person chooses for a new survey; none where there is nothing to choose."""
    teams = teams_of(user, Role.EDITOR)
    return teams if teams.count() > 1 else Team.objects.none()


def team_fields(user: User) -> dict[str, ModelChoiceField[Team]]:
    """What a form that makes a survey has besides: the team, for whoever has several."""
    teams = choices_of(user)
    if not teams:
        return {}
    usual = teams_of(user, Role.OWNER).order_by("pk").first()
    return {"team": ModelChoiceField(teams, widget=UnfoldAdminSelectWidget, empty_label=None, initial=usual)}


@transaction.atomic
def home_team(user: User) -> Team:
    """The first team that this person owns; made where there is none, so that a survey always has a place."""
    team = teams_of(user, Role.OWNER).order_by("pk").first()
    return team or make_team(user, f"Surveys of {user.get_username()}"[:100])


@transaction.atomic
def make_team(user: User, name: str) -> Team:
    """A team with this person as its owner."""
    team = Team.objects.create(name=name)
    Membership.objects.create(team=team, user=user, role=Role.OWNER)
    return team


def team_for(user: User, slug: str, chosen: Team | None = None) -> Team:
    """Where this person's survey of that slug goes: where it is already, else where she chose, else her own team."""
    there = Survey.objects.filter(slug=slug, team__in=teams_of(user, Role.EDITOR)).select_related("team").first()
    return there.team if there else chosen or home_team(user)
