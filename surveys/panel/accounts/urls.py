"""URLs of teams, of the people of a survey, and of the audit log; within the panel's namespace."""

from django.contrib import admin
from django.urls import path

from surveys.panel.accounts import account, audit_log, kept_forms, passkeys, single_sign_on, teams, tokens

page = admin.site.admin_view

urlpatterns = [
    path("teams/", page(teams.my_teams), name="teams"),
    path("teams/<int:team>/", page(teams.team), name="team"),
    path("teams/<int:team>/rename", page(teams.rename), name="team-rename"),
    path("teams/<int:team>/delete", page(teams.delete), name="team-delete"),
    path("teams/<int:team>/leave", page(teams.leave), name="team-leave"),
    path("teams/<int:team>/invite", page(teams.invite), name="team-invite"),
    path("teams/<int:team>/invitations/<int:invitation>/revoke", page(teams.revoke), name="invitation-revoke"),
    path("teams/<int:team>/groups", page(teams.add_group), name="directory-group-add"),
    path("teams/<int:team>/groups/<int:group>/remove", page(teams.remove_group), name="directory-group-remove"),
    path("teams/<int:team>/members/<int:member>/role", page(teams.change_role), name="member-role"),
    path("teams/<int:team>/members/<int:member>/remove", page(teams.remove), name="member-remove"),
    path("teams/<int:team>/log/", page(audit_log.of_team), name="team-log"),
    path("teams/<int:team>/log.csv", page(audit_log.team_file), {"kind": "csv"}, name="team-log-csv"),
    path("teams/<int:team>/log.json", page(audit_log.team_file), {"kind": "json"}, name="team-log-json"),
    path("survey/<slug:slug>/people/", page(teams.people), name="people"),
    path("survey/<slug:slug>/move", page(teams.move), name="move"),
    path("survey/<slug:slug>/log/", page(audit_log.of_survey), name="log"),
    path("survey/<slug:slug>/log.csv", page(audit_log.survey_file), {"kind": "csv"}, name="log-csv"),
    path("survey/<slug:slug>/log.json", page(audit_log.survey_file), {"kind": "json"}, name="log-json"),
    path("account/", page(account.account), name="account"),
    path("account/sessions/end", page(account.end_sessions), name="sessions-end"),
    path("account/second-factor/", page(account.set_up), name="second-factor"),
    path("account/second-factor/off", page(account.switch_off), name="second-factor-off"),
    path("account/passkeys/new", page(passkeys.new), name="passkey-new"),
    path("account/passkeys/<int:passkey>/remove", page(passkeys.remove), name="passkey-remove"),
    path("account/recovery-codes", page(account.renew_codes), name="recovery-codes"),
    path("account/institution/connect", page(single_sign_on.connect), name="institution-connect"),
    path("account/institution/disconnect", page(single_sign_on.disconnect), name="institution-disconnect"),
    path("account/tokens/", page(tokens.my_tokens), name="tokens"),
    path("account/tokens/<int:token>/revoke", page(tokens.revoke), name="token-revoke"),
    path("code/", page(account.code), name="code"),
    path("kept/", page(kept_forms.kept), name="kept"),
]
