"""The models' labels in the reader's language."""

from django.utils import translation
from django.utils.translation import gettext_noop

JOB_STATES = gettext_noop("Queued"), gettext_noop("Running"), gettext_noop("Done"), gettext_noop("Failed")
"""The labels of `estimator.base.jobs`, whose texts are translated in the reports' languages."""


def translated(label: str) -> str:
    """A label as the panel shows it; the API, the commands and the audit log keep the models' English."""
    return translation.gettext(label) if label else ""
