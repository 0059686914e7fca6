"""Teams and who may do what in them: made, renamed, left; the last owner stays; colleagues are invited."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from collector.errors import Conflict
from surveys.accounts import invitations, teams
from surveys.accounts.access import Role, get_survey_or_404, role_in, surveys_of
from surveys.accounts.teams import home_team, make_team, team_for
from surveys.definition import definitions
from surveys.models import AuditEntry, Invitation, Membership, Survey, Team
from tests.factories import payloads
from tests.panel.conftest import SignIn
from tests.panel.pages import outcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(alice: User) -> Team:
    return home_team(alice)


def said(client: Client, address: str, **fields: object) -> str:
    """What the page says after this was pressed."""
    return client.post(address, fields, follow=True).content.decode()


def member(team: Team, user: User, role: Role) -> Membership:
    return Membership.objects.create(team=team, user=user, role=role)


def test_a_team_is_made_and_renamed(her: Client, alice: User) -> None:
    assert outcome(her, "teams", name="Field work") == "success"
    made = Team.objects.get(name="Field work")
    assert made.memberships.get().role == Role.OWNER
    assert "<h1>Winter</h1>" in said(her, reverse("panel:team-rename", args=[made.pk]), name="Winter")
    assert "Enter a name" in said(her, reverse("panel:team-rename", args=[made.pk]), name=" ")
    assert [*AuditEntry.objects.filter(team=made).values_list("act", flat=True)] == ["renamed a team", "created a team"]


def test_team_last_owner_cannot_leave(her: Client, team: Team, alice: User, bob: User) -> None:
    mine = team.memberships.get()
    for name, fields in (("team-leave", {}), ("member-role", {"role": 1}), ("member-remove", {})):
        arguments = [team.pk] if name == "team-leave" else [team.pk, mine.pk]
        assert outcome(her, name, *arguments, **fields) == "error"
    assert team.memberships.get().role == Role.OWNER
    member(team, bob, Role.OWNER)
    assert f"You have left {team}." in said(her, reverse("panel:team-leave", args=[team.pk]))
    assert not team.memberships.filter(user=alice).exists()


def test_team_inactive_owner_does_not_count(her: Client, team: Team, bob: User) -> None:
    other = member(team, bob, Role.OWNER)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert outcome(her, "team-leave", team.pk) == "error"
    assert outcome(her, "member-role", team.pk, other.pk, role=1) == "success"
    other.refresh_from_db()
    assert other.role == Role.VIEWER


def test_team_is_deleted_only_when_empty(her: Client, survey: Survey, alice: User, bob: User) -> None:
    made = make_team(alice, "Field work")
    assert "Delete the team" in her.get(reverse("panel:team", args=[made.pk])).content.decode()
    other = member(made, bob, Role.VIEWER)
    assert "Delete the team" not in her.get(reverse("panel:team", args=[made.pk])).content.decode()
    assert outcome(her, "team-delete", made.pk) == "error"
    other.delete()
    _invitation, secret = invitations.invite(made, Role.OWNER, by=alice)
    assert outcome(her, "team-delete", made.pk) == "success"
    assert not Team.objects.filter(pk=made.pk).exists()
    assert "is not valid" in said(Client(), "/panel/join/", secret=secret)
    assert AuditEntry.objects.filter(act="deleted a team", detail="Field work", name="alice").exists()
    assert outcome(her, "team-delete", survey.team_id) == "error"
    with pytest.raises(Conflict, match="only a team without them can be deleted"):
        teams.delete(survey.team, by=alice)


def test_team_role_change_takes_effect_at_once(her: Client, survey: Survey, bob: User, sign_in: SignIn) -> None:
    other, his, page = member(survey.team, bob, Role.VIEWER), sign_in(bob), reverse("panel:survey", args=["campus"])
    assert his.get(page).status_code == 200
    assert his.post(reverse("panel:close", args=["campus"])).status_code == 403
    assert outcome(her, "member-role", survey.team_id, other.pk, role=Role.EDITOR) == "success"
    assert his.post(reverse("panel:close", args=["campus"])).status_code == 302
    assert outcome(her, "member-role", survey.team_id, other.pk, role=9) == "error"
    assert outcome(her, "member-remove", survey.team_id, other.pk) == "success"
    assert his.get(page).status_code == 404


def test_team_member_of_other_team_answers_404(her: Client, team: Team, bob: User) -> None:
    theirs = home_team(bob).memberships.get()
    assert her.post(reverse("panel:member-remove", args=[team.pk, theirs.pk])).status_code == 404
    assert her.post(reverse("panel:invitation-revoke", args=[team.pk, 987654])).status_code == 404


def test_survey_moves_between_own_teams(her: Client, survey: Survey, alice: User, bob: User) -> None:
    other = make_team(alice, "Other")
    assert outcome(her, "move", "campus", team=home_team(bob).pk) == "error"
    assert outcome(her, "move", "campus", team=other.pk) == "success"
    survey.refresh_from_db()
    assert survey.team == other
    assert {*AuditEntry.objects.filter(slug="campus").values_list("act", flat=True)} == {
        "created",
        "moved out",
        "moved in",
    }


def test_new_survey_goes_to_chosen_team(her: Client, alice: User, bob: User) -> None:
    home, other = home_team(alice), make_team(alice, "Other")
    assert team_for(alice, "campus") == home
    for address in (reverse("panel:upload"), reverse("admin:surveys_survey_add")):
        page = her.get(address).content.decode()
        assert f'<option value="{other.pk}">Other</option>' in re.sub(r'(<option value="\d+")[^>]*>', r"\1>", page)
    text = definitions.dump(payloads.definition(slug="there"))
    her.post(reverse("panel:upload"), {"text": text, "team": other.pk})
    assert Survey.objects.get().team == other
    her.post(reverse("panel:upload"), {"text": text, "team": home.pk})  # where it is already it stays
    assert Survey.objects.get().team == other
    her.post(reverse("panel:duplicate", args=["there"]), {"slug": "here", "same_people": "yes", "team": home.pk})
    assert Survey.objects.get(slug="here").team == home


def test_home_team_is_created_when_none_is_left(bob: User) -> None:
    first = home_team(bob)
    assert home_team(bob) == first
    Membership.objects.all().delete()
    assert home_team(bob) != first


def test_role_superuser_is_owner_inactive_has_none(survey: Survey, alice: User) -> None:
    root = User.objects.create_superuser("root")
    assert role_in(root, survey) == Role.OWNER
    assert get_survey_or_404(root, "campus", Role.OWNER) == survey
    alice.is_active = False
    assert (role_in(alice, survey), surveys_of(alice).count()) == (None, 0)


def test_people_page_shows_roles_and_rights(her: Client, survey: Survey, bob: User) -> None:
    member(survey.team, bob, Role.ANALYST)
    page = her.get(reverse("panel:people", args=["campus"])).content.decode()
    assert "also requests estimates and analyses, and exports files<br><b>bob</b>" in page


def invited(client: Client, team: Team, role: Role) -> str:
    """The secret of a new invitation, as the page shows it this once."""
    page = client.post(reverse("panel:team-invite", args=[team.pk]), {"role": role}).content.decode()
    found = re.search(r'/panel/join/#([\w-]{43})"', page)
    assert found is not None
    return found[1]


def test_join_link_works_once(her: Client, team: Team, bob: User, sign_in: SignIn) -> None:
    secret, his = invited(her, team, Role.EDITOR), sign_in(bob)
    assert secret not in str(Invitation.objects.values()) + str(AuditEntry.objects.values())
    assert "alice invites you to this team as <b>editor</b>" in said(his, "/panel/join/", secret=secret)
    his.post("/panel/join/")
    assert team.memberships.get(user=bob).role == Role.EDITOR
    assert AuditEntry.objects.filter(name="bob", act="joined a team", team=team).exists()
    assert "is not valid" in said(his, "/panel/join/", secret=secret)


def test_join_link_expired_used_revoked_look_the_same(her: Client, team: Team, alice: User, bob: User) -> None:
    kinds = {name: invitations.invite(team, Role.OWNER, by=alice) for name in ("expired", "used", "revoked")}
    Invitation.objects.filter(pk=kinds["expired"][0].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    invitations.join(kinds["used"][0], bob)
    her.post(reverse("panel:invitation-revoke", args=[team.pk, kinds["revoked"][0].pk]))
    pages = set()
    for secret in (*(secret for _made, secret in kinds.values()), "never-made"):
        client = Client()
        answer = client.post("/panel/join/", {"secret": secret}, follow=True)
        assert answer.status_code == 404
        pages.add(re.sub(rb"nonce[^>]*|csrf[^>]*", b"", answer.content))
        assert client.get("/panel/join/").status_code == 200  # forgotten
    assert len(pages) == 1
    assert "Open invitations" not in her.get(reverse("panel:team", args=[team.pk])).content.decode()


def test_join_link_two_at_once_admits_one(team: Team, alice: User, bob: User) -> None:
    made, _secret = invitations.invite(team, Role.VIEWER, by=alice)
    invitations.join(made, bob)
    with pytest.raises(Conflict):
        invitations.join(made, User.objects.create_user("late"))


def test_join_link_keeps_higher_role(team: Team, alice: User) -> None:
    made, _secret = invitations.invite(team, Role.VIEWER, by=alice)
    assert invitations.join(made, alice).role == Role.OWNER


def test_join_link_makes_account(team: Team, alice: User) -> None:
    _made, secret = invitations.invite(team, Role.ANALYST, by=alice)
    client = Client()
    assert "Create an account" in said(client, "/panel/join/", secret=secret)
    fields = {"username": "erin", "password1": "password1234", "password2": "password1234"}
    assert "too common" in said(client, "/panel/join/", **fields)
    fields |= {"password1": "seven green bottles", "password2": "seven green bottles", "is_superuser": "on"}
    assert "You joined" in said(client, "/panel/join/", **fields)
    erin = User.objects.get(username="erin")
    assert (erin.is_staff, erin.is_superuser, erin.has_usable_password()) == (True, False, True)
    assert team.memberships.get(user=erin).role == Role.ANALYST
    assert client.get(reverse("panel:survey", args=["none"])).status_code == 404  # signed in


def test_join_link_account_without_panel_is_refused(team: Team, alice: User, dave: User, sign_in: SignIn) -> None:
    _made, secret = invitations.invite(team, Role.OWNER, by=alice)
    his = sign_in(dave)
    said(his, "/panel/join/", secret=secret)
    assert "is not valid" in said(his, "/panel/join/")
    assert team.memberships.count() == 1


def test_researcher_account_signs_in_until_staff_is_removed(db: None, sign_in: SignIn) -> None:
    root = sign_in(User.objects.create_superuser("root"))
    words = {"password1": "a long passphrase", "password2": "a long passphrase", "usable_password": "true"}
    assert root.post(reverse("admin:auth_user_add"), {"username": "erin"} | words).status_code == 302
    entry = {"username": "erin", "password": "a long passphrase"}
    assert Client().post(reverse("admin:login"), entry).status_code == 302
    erin = User.objects.get(username="erin")
    kept = {"username": "erin", "is_active": "on", "date_joined_0": "2026-11-01", "date_joined_1": "10:00:00"}
    answer = root.post(reverse("admin:auth_user_change", args=[erin.pk]), kept)
    assert answer.status_code == 302
    erin.refresh_from_db()
    assert not erin.is_staff
    assert "staff account" in Client().post(reverse("admin:login"), entry).content.decode()


def test_teams_do_not_see_each_other(survey: Survey) -> None:
    """Of two teams with members of their own none sees the other's surveys."""
    assert payloads.definition()["slug"] == survey.slug
    stranger = User.objects.create_user("erin", is_staff=True)
    home_team(stranger)
    assert surveys_of(stranger).count() == 0
    assert teams.choices_of(stranger).count() == 0


def test_last_owner_account_is_not_deleted(survey: Survey, alice: User, bob: User, sign_in: SignIn) -> None:
    """A team with surveys keeps somebody who decides for it; once there is another owner the account can go."""
    root = sign_in(User.objects.create_superuser("root"))
    address = reverse("admin:auth_user_delete", args=[alice.pk])
    page = root.post(address, {"post": "yes"})
    assert (page.status_code, "last owner" in page.content.decode()) == (200, True)
    assert User.objects.filter(pk=alice.pk).exists()
    Membership.objects.create(team=survey.team, user=bob, role=Role.OWNER)
    empty = make_team(alice, "Empty")
    assert root.post(address, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(pk=alice.pk).exists()
    assert [*Team.objects.all()] == [survey.team], "a team of nobody with nothing in it goes along"
    assert AuditEntry.objects.filter(act="deleted a team", team=empty.pk, name="root").exists()
