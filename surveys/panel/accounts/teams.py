"""Pages of teams: members, roles and invitations."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from unfold.widgets import UnfoldAdminTextInputWidget

from collector.designs.texts import validate_line
from collector.errors import Conflict
from surveys.accounts import invitations, teams
from surveys.accounts.access import Role, get_survey_or_404, get_team_or_404, one_or_404, role_in_team
from surveys.labels import translated
from surveys.lifecycle import links
from surveys.models import Membership, Survey, Team
from surveys.panel.frame import survey_page
from surveys.panel.views import panel_page, signed_in

MEANINGS = {
    Role.VIEWER: gettext_lazy("reads everything: questions, plans, results, reports and the audit log"),
    Role.ANALYST: gettext_lazy("also requests estimates and analyses, and exports files"),
    Role.EDITOR: gettext_lazy(
        "also edits drafts, rehearses, opens, closes and shares surveys, and enters paper questionnaires"
    ),
    Role.OWNER: gettext_lazy("also publishes reports, archives, deletes, and manages the team’s members"),
}
"""Additional permissions of each role, in words."""


class NameForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name of the team"),
        max_length=100,
        validators=[validate_line],
        widget=UnfoldAdminTextInputWidget,
    )


class DirectoryGroupForm(forms.Form):
    group = forms.CharField(max_length=200, validators=[validate_line])
    role = forms.TypedChoiceField(choices=Role.choices, coerce=lambda value: Role(int(value)))


class RoleForm(forms.Form):
    role = forms.TypedChoiceField(choices=Role.choices, coerce=lambda value: Role(int(value)))


@require_http_methods(["GET", "HEAD", "POST"])
def my_teams(request: HttpRequest) -> HttpResponse:
    """The user's teams; a POST creates a team."""
    user, form = signed_in(request), NameForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        team = teams.make_team(user, form.cleaned_data["name"])
        messages.success(request, gettext("Created the team {team}; you are its owner.").format(team=team))
        return redirect("panel:team", team.pk)
    mine = Membership.objects.filter(user=user).select_related("team").order_by("team__name", "pk")
    context = {"lines": teams.with_counts(mine), "form": form, "meanings": MEANINGS.items()}
    return panel_page(request, "panel/people/teams.html", context, title=gettext("Teams"))


@require_safe
def team(request: HttpRequest, team: int) -> HttpResponse:
    """A team: its members, its surveys and its invitations."""
    return team_page(request, get_team_or_404(request.user, team))


def team_page(request: HttpRequest, found: Team, *, link: str = "", **context: Any) -> HttpResponse:
    role = role_in_team(request.user, found.pk)
    context |= {
        "team": found,
        "members": found.memberships.select_related("user"),
        "surveys": found.surveys.order_by("slug")[:200],
        "me": found.memberships.filter(user=signed_in(request)).first(),
        "may_own": role == Role.OWNER,
        "may_delete": role == Role.OWNER and teams.is_empty(found),
        "roles": [(value, translated(label)) for value, label in Role.choices],
        "meanings": MEANINGS.items(),
        "pending": invitations.pending(found),
        "directory_groups": found.directory_groups.all(),
        "institution": settings.CANDOR_INSTITUTION_NAME,
        "link": link,
    }
    return panel_page(request, "panel/people/team.html", context, title=str(found))


@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """The members' roles in a survey, and the teams to which it can move."""
    found = get_survey_or_404(request.user, slug)
    others = teams.teams_of(signed_in(request), Role.OWNER).exclude(pk=found.team_id)
    members = list(found.team.memberships.select_related("user"))
    lines = [(Role(value), MEANINGS[Role(value)], [m for m in members if m.role == value]) for value in Role.values]
    return survey_page(request, "panel/people/survey.html", found, step="people", lines=lines[::-1], others=others)


def change_member(role: Role) -> Callable[[Callable[..., str]], Callable[..., HttpResponse]]:
    """Make a view of a change to a team, for this role: it returns a message; refusals are shown, not raised."""

    def of(change: Callable[..., str]) -> Callable[..., HttpResponse]:
        @require_POST
        @wraps(change)
        def view(request: HttpRequest, team: int, **parts: int) -> HttpResponse:
            found = get_team_or_404(request.user, team, role)
            try:
                messages.success(request, change(request, found, **parts))
            except Conflict as refusal:
                messages.error(request, str(refusal))
            still = found.pk and role_in_team(request.user, team) is not None  # a team that was deleted has no key
            return redirect("panel:team", team) if still else redirect("panel:teams")

        return view

    return of


@change_member(Role.OWNER)
def rename(request: HttpRequest, found: Team) -> str:
    form = NameForm(request.POST)
    if not form.is_valid():
        raise Conflict(gettext("Enter a name of 1 to 100 characters."))
    teams.rename(found, form.cleaned_data["name"], by=signed_in(request))
    return gettext("The team is renamed.")


@change_member(Role.VIEWER)
def leave(request: HttpRequest, found: Team) -> str:
    member = found.memberships.filter(user=signed_in(request)).first()
    if member is None:
        raise Conflict(gettext("You are not a member of {found}.").format(found=found))
    teams.remove(member, by=signed_in(request))
    return gettext("You have left {found}.").format(found=found)


@change_member(Role.OWNER)
def delete(request: HttpRequest, found: Team) -> str:
    teams.delete(found, by=signed_in(request))
    return gettext("{found} is deleted.").format(found=found)


@change_member(Role.OWNER)
def change_role(request: HttpRequest, found: Team, member: int) -> str:
    other, role = _member_or_404(found, member), _role(request)
    teams.set_role(other, role, by=signed_in(request))
    return gettext("{user} now has the role {label}.").format(user=other.user, label=translated(role.label))


@change_member(Role.OWNER)
def remove(request: HttpRequest, found: Team, member: int) -> str:
    other = _member_or_404(found, member)
    teams.remove(other, by=signed_in(request))
    return gettext("{user} is no longer a member of {found}.").format(user=other.user, found=found)


@require_POST
def invite(request: HttpRequest, team: int) -> HttpResponse:
    """Create an invitation link, which only this reply shows."""
    found = get_team_or_404(request.user, team, Role.OWNER)
    try:
        _invitation, secret = invitations.invite(found, _role(request), by=signed_in(request))
    except Conflict as refusal:
        messages.error(request, str(refusal))
        return redirect("panel:team", team)
    return team_page(request, found, link=links.link_to("join", digest=secret))


@change_member(Role.OWNER)
def add_group(request: HttpRequest, found: Team) -> str:
    form = DirectoryGroupForm(request.POST)
    if not form.is_valid():
        raise Conflict(gettext("Enter the name of a group, 1 to 200 characters, and choose a role."))
    group = teams.add_directory_group(
        found, form.cleaned_data["group"], form.cleaned_data["role"], by=signed_in(request)
    )
    return gettext("Members of {name} get their role when they next open a page, within minutes.").format(
        name=group.name
    )


@change_member(Role.OWNER)
def remove_group(request: HttpRequest, found: Team, group: int) -> str:
    other = get_object_or_404(found.directory_groups, pk=group)
    teams.remove_directory_group(other, by=signed_in(request))
    return gettext("The group {name} has no role here any longer.").format(name=other.name)


@change_member(Role.OWNER)
def revoke(request: HttpRequest, found: Team, invitation: int) -> str:
    invitations.revoke(get_object_or_404(found.invitations, pk=invitation), by=signed_in(request))
    return gettext("The invitation is revoked.")


@require_POST
def move(request: HttpRequest, slug: str) -> HttpResponse:
    """Move a survey to another of the user's teams."""
    found: Survey = get_survey_or_404(request.user, slug, Role.OWNER)
    user = signed_in(request)
    form = forms.Form(request.POST)
    form.fields["team"] = forms.ModelChoiceField(teams.teams_of(user, Role.OWNER).exclude(pk=found.team_id))
    if form.is_valid():
        teams.move_survey(found, form.cleaned_data["team"], by=user)
        messages.success(request, gettext("{found} now belongs to {team}.").format(found=found, team=found.team))
    else:
        messages.error(request, gettext("A survey can be moved to another team that you own."))
    return redirect("panel:people", slug)


def _member_or_404(found: Team, pk: int) -> Membership:
    return one_or_404(found.memberships.filter(pk=pk).select_related("user", "team").first(), "member")


def _role(request: HttpRequest) -> Role:
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Conflict(gettext("Choose a role: viewer, analyst, editor or owner."))
    role: Role = form.cleaned_data["role"]
    return role
