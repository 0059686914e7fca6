"""The link "Help" of each page of the panel, and the help page that it leads to, by the name of the view."""

from django import template
from django.urls import reverse

register = template.Library()

START = "index.html"
EDITOR, INVITE, TEAM = "how-to/write-questions.html", "how-to/invite-people.html", "how-to/work-in-a-team.html"
FIELD, PROTECTION, ANALYSES = (
    "how-to/open-and-close.html",
    "how-to/choose-protection.html",
    "how-to/analyse.html",
)

PAGES = {
    "admin:index": START,
    "panel:index": START,
    "admin:surveys_survey_changelist": "tutorials/first-survey.html",
    "admin:surveys_survey_add": EDITOR,
    "admin:surveys_survey_change": EDITOR,
    "admin:surveys_survey_delete": FIELD,
    "admin:surveys_survey_history": TEAM,
    "panel:new": "tutorials/first-survey.html",
    "panel:templates": EDITOR,
    "panel:upload": "how-to/import-a-questionnaire.html",
    "panel:edit": EDITOR,
    "panel:preview": EDITOR,
    "panel:survey": FIELD,
    "panel:plan": PROTECTION,
    "panel:survey-plan": PROTECTION,
    "panel:rehearse": "how-to/simulate.html",
    "panel:rehearsal": "how-to/simulate.html",
    "panel:opening": FIELD,
    "panel:share": FIELD,
    "panel:invitations": INVITE,
    "panel:mail": INVITE,
    "panel:mailing": INVITE,
    "panel:disclose": "how-to/repeat-a-survey.html",
    "panel:waves": "how-to/repeat-a-survey.html",
    "panel:paper": "how-to/paper-and-coin.html",
    "panel:survey-watch": "reference/report.html",
    "panel:survey-screen": "tutorials/class.html",
    "panel:survey-analyse": ANALYSES,
    "panel:analysis": ANALYSES,
    "panel:export": "how-to/export.html",
    "panel:webhooks": "how-to/webhooks.html",
    "panel:teams": TEAM,
    "panel:team": TEAM,
    "panel:team-log": TEAM,
    "panel:people": TEAM,
    "panel:log": TEAM,
    "panel:account": TEAM,
    "panel:tokens": "reference/api.html",
    "panel:second-factor": TEAM,
    "panel:code": TEAM,
    "panel:kept": TEAM,
    "password-change": TEAM,
    "admin:password_change_done": TEAM,
    "admin:auth_user_changelist": TEAM,
    "admin:auth_user_add": TEAM,
    "admin:auth_user_change": TEAM,
    "admin:auth_user_delete": TEAM,
    "admin:auth_user_history": TEAM,
    "admin:auth_user_password_change": TEAM,
    "panel:operation": "how-to/operate.html",
}
"""A view without an entry links to the start."""


@register.simple_tag(takes_context=True)
def help_address(context: template.Context) -> str:
    """The address of the help page of the page that is shown."""
    match = context["request"].resolver_match
    return reverse("help-page", args=[PAGES.get(match.view_name if match else "", START)])
