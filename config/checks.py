"""What Django's system checks, and by them the page of operation, say of the data folder."""

from typing import Any

from django.conf import settings
from django.core.checks import Tags, Warning, register

from config.data_folder import open_to_others


@register(Tags.files)
def check_data_folder(**_given: Any) -> list[Warning]:
    """A warning where others can read what is kept: every start closes it, so somebody has opened it since."""
    found = open_to_others(settings.DATA)
    if not found:
        return []
    words = f"Others can read or change what is kept in {settings.DATA}: {found[0]} ({len(found)} in all)"
    return [Warning(f"{words}. The next start closes them, or says why it cannot.", id="config.W001")]
