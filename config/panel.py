"""Settings of the theme of the researchers' panel."""

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy


def is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_superuser)


def is_among_surveys(path: str) -> bool:
    """Return True if the page is the list of surveys or about an existing one."""
    return path.startswith(("/panel/survey/", "/panel/surveys/", "/panel/analysis/")) and not path.endswith("/add/")


UNFOLD: dict[str, object] = {
    "SITE_TITLE": "Candor",
    "SITE_HEADER": "Candor",
    "SITE_SUBHEADER": "Randomised surveys",
    "SITE_URL": None,
    "SITE_SYMBOL": "confirmation_number",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("surveys/icon.svg")},
    ],
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "STYLES": [
        lambda request: static("estimator/tokens.css"),
        lambda request: static("estimator/results.css"),
        lambda request: static("estimator/pictures.css"),
        lambda request: static("surveys/panel/panel.css"),
    ],
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": [
            {
                "title": None,
                "items": [
                    {
                        "title": "Surveys",
                        "icon": "assignment",
                        "link": reverse_lazy("admin:surveys_survey_changelist"),
                        "active": lambda request: is_among_surveys(request.path),
                    },
                    {"title": "New survey", "icon": "add", "link": reverse_lazy("panel:new")},
                    {"title": "Templates", "icon": "auto_stories", "link": reverse_lazy("panel:templates")},
                    {"title": "Plan a question", "icon": "tune", "link": reverse_lazy("panel:plan")},
                    {
                        "title": "Teams",
                        "icon": "groups",
                        "link": reverse_lazy("panel:teams"),
                        "active": lambda request: request.path.startswith("/panel/teams/"),
                    },
                    {"title": "My account", "icon": "shield_person", "link": reverse_lazy("panel:account")},
                    {
                        "title": "Researchers",
                        "icon": "group",
                        "link": reverse_lazy("admin:auth_user_changelist"),
                        "permission": "config.panel.is_superuser",
                    },
                    {
                        "title": "Operation",
                        "icon": "monitor_heart",
                        "link": reverse_lazy("panel:operation"),
                        "permission": "config.panel.is_superuser",
                    },
                ],
            },
        ],
    },
}
