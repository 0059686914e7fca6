"""Loading the settings as the first act of a process, so that what is wrong with them is said in a sentence."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


def load_settings() -> None:
    """Load the settings, unless they are; exit with a sentence, and no traceback, where a variable is wrong."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        settings.DEBUG  # noqa: B018 - reading one loads them all
    except ImproperlyConfigured as fault:
        sys.exit(str(fault))
