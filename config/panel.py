"""Settings of the theme of the researchers' panel."""

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.functional import lazy
from django.utils.text import format_lazy
from django.utils.translation import get_language_info, gettext_lazy


def version() -> str:
    from randomized_response import __version__  # only now: processes without pages start without numpy

    return __version__


def is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_superuser)


def is_among_surveys(path: str) -> bool:
    """Return True if the page is the list of surveys or about an existing one."""
    return path.startswith(("/panel/survey/", "/panel/surveys/", "/panel/analysis/")) and not path.endswith("/add/")


def link_to(title: object, icon: str, page: str, **more: object) -> dict[str, object]:
    """An entry of the sidebar: `active` says for which requests it is marked, `permission` who sees it."""
    return {"title": title, "icon": icon, "link": reverse_lazy(page), **more}


def offers_languages(request: HttpRequest) -> bool:
    return len(settings.PANEL_LANGUAGES) > 1


def languages(request: HttpRequest) -> list[dict[str, object]]:
    """The entries of the account menu's choice of languages."""
    return [get_language_info(code) for code in settings.PANEL_LANGUAGES]


NAVIGATION = [
    link_to(
        gettext_lazy("Surveys"),
        "assignment",
        "admin:surveys_survey_changelist",
        active=lambda request: is_among_surveys(request.path),
    ),
    link_to(gettext_lazy("New survey"), "add", "panel:new"),
    link_to(gettext_lazy("Templates"), "auto_stories", "panel:templates"),
    link_to(gettext_lazy("Plan a question"), "tune", "panel:plan"),
    link_to(
        gettext_lazy("Teams"), "groups", "panel:teams", active=lambda request: request.path.startswith("/panel/teams/")
    ),
    link_to(gettext_lazy("My account"), "shield_person", "panel:account"),
    link_to(gettext_lazy("Researchers"), "group", "admin:auth_user_changelist", permission="config.panel.is_superuser"),
    link_to(gettext_lazy("Operation"), "monitor_heart", "panel:operation", permission="config.panel.is_superuser"),
]

UNFOLD: dict[str, object] = {
    "SITE_TITLE": "Candor",
    "SITE_HEADER": "Candor",
    "SITE_SUBHEADER": format_lazy(
        "{what} {version}", what=gettext_lazy("Randomised surveys"), version=lazy(version, str)()
    ),
    "SITE_URL": None,
    "SHOW_LANGUAGES": offers_languages,
    "LANGUAGES": {"navigation": languages, "action": reverse_lazy("panel:set-language")},
    "SITE_SYMBOL": "confirmation_number",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("surveys/icon.svg")},
    ],
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "STYLES": [
        lambda request: static("estimator/tokens.css"),
        lambda request: static("estimator/results.css"),
        lambda request: static("estimator/summary.css"),
        lambda request: static("estimator/pictures.css"),
        lambda request: static("surveys/panel/panel.css"),
    ],
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": [{"title": None, "items": NAVIGATION}],
    },
}
