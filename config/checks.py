"""System checks of the data folder, which the page of operation shows too, and of the panel."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core.checks import CheckMessage, Tags, Warning, register

from config.data_folder import open_to_others


@register(Tags.files)
def check_data_folder(**_given: Any) -> list[Warning]:
    """A warning where others can read what is kept: every start closes it, so somebody has opened it since."""
    found = open_to_others(settings.DATA)
    if not found:
        return []
    words = f"Others can read or change what is kept in {settings.DATA}: {found[0]} ({len(found)} in all)"
    return [Warning(f"{words}. The next start closes them, or says why it cannot.", id="config.W001")]


@register(Tags.admin)
def check_panel(**given: Any) -> list[CheckMessage]:
    """What Django checks of its admin site; the panel's pages are only registered where they are shown or checked."""
    admin.autodiscover()
    return [*check_dependencies(**given), *check_admin_app(**given)]
