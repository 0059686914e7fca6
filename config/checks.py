"""System checks of the data folder, shown on the operations page too, and of the panel."""

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core.checks import CheckMessage, Tags, Warning, register

from config.data_folder import open_to_others


@register(Tags.files)
def check_data_folder(**_given: Any) -> list[Warning]:
    """Warn if others can read the data folder: every start restricts it, so it was opened since."""
    found = open_to_others(settings.DATA)
    if not found:
        return []
    words = f"Other users can read or change files in {settings.DATA}: {found[0]} ({len(found)} in all)"
    return [Warning(f"{words}. The next start closes them, or says why it cannot.", id="config.W001")]


@register(Tags.admin)
def check_panel(**given: Any) -> list[CheckMessage]:
    """Run Django's checks of the admin site; the panel's pages are registered only to be shown or checked."""
    admin.autodiscover()
    return [*check_dependencies(**given), *check_admin_app(**given)]
