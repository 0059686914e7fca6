"""The addresses of teams, of who may do what with a survey, and of the log; within the panel's namespace."""

from django.contrib import admin
from django.urls import path

from surveys.people import account, log_views, token_views, views

page = admin.site.admin_view

urlpatterns = [
    path("teams/", page(views.my_teams), name="teams"),
    path("teams/<int:team>/", page(views.team), name="team"),
    path("teams/<int:team>/rename", page(views.rename), name="team-rename"),
    path("teams/<int:team>/delete", page(views.delete), name="team-delete"),
    path("teams/<int:team>/leave", page(views.leave), name="team-leave"),
    path("teams/<int:team>/invite", page(views.invite), name="team-invite"),
    path("teams/<int:team>/invitations/<int:invitation>/revoke", page(views.revoke), name="invitation-revoke"),
    path("teams/<int:team>/members/<int:member>/role", page(views.change_role), name="member-role"),
    path("teams/<int:team>/members/<int:member>/remove", page(views.remove), name="member-remove"),
    path("teams/<int:team>/log/", page(log_views.of_team), name="team-log"),
    path("teams/<int:team>/log.csv", page(log_views.team_file), {"kind": "csv"}, name="team-log-csv"),
    path("teams/<int:team>/log.json", page(log_views.team_file), {"kind": "json"}, name="team-log-json"),
    path("survey/<slug:slug>/people/", page(views.people), name="people"),
    path("survey/<slug:slug>/move", page(views.move), name="move"),
    path("survey/<slug:slug>/log/", page(log_views.of_survey), name="log"),
    path("survey/<slug:slug>/log.csv", page(log_views.survey_file), {"kind": "csv"}, name="log-csv"),
    path("survey/<slug:slug>/log.json", page(log_views.survey_file), {"kind": "json"}, name="log-json"),
    path("account/", page(account.account), name="account"),
    path("account/second-factor/", page(account.set_up), name="second-factor"),
    path("account/second-factor/off", page(account.switch_off), name="second-factor-off"),
    path("account/recovery-codes", page(account.renew_codes), name="recovery-codes"),
    path("account/tokens/", page(token_views.my_tokens), name="tokens"),
    path("account/tokens/<int:token>/revoke", page(token_views.revoke), name="token-revoke"),
    path("code/", page(account.code), name="code"),
]
