"""The models' labels in the reader's language."""

from collections.abc import Mapping

from django.utils import translation
from django.utils.functional import lazy
from django.utils.translation import gettext_noop

FIELDS = (
    *(gettext_noop("Title"), gettext_noop("Introduction"), gettext_noop("Consent"), gettext_noop("Rehearsal")),
    *(gettext_noop("Key"), gettext_noop("Label"), gettext_noop("Share"), gettext_noop("Section")),
    *(gettext_noop("Kind"), gettext_noop("Mechanism"), gettext_noop("Minimum"), gettext_noop("Maximum")),
    *(gettext_noop("Step"), gettext_noop("Shuffle"), gettext_noop("Dropdown"), gettext_noop("Choices")),
)
"""What Django calls a model's field by its name."""

JOB_STATES = gettext_noop("Queued"), gettext_noop("Running"), gettext_noop("Done"), gettext_noop("Failed")
"""The labels of `estimator.base.jobs`, whose texts are translated in the reports' languages."""


def translated(label: str) -> str:
    """A label as the panel shows it; the API, the commands and the audit log keep the models' English."""
    return translation.gettext(label) if label else ""


translated_lazy = lazy(translated, str)
"""The same for texts of a module, which is read before there is a reader."""


def spoken(texts: Mapping[str, str]) -> str:
    """The one of these texts that is in the reader's language, else the English one."""
    return texts.get((translation.get_language() or "").partition("-")[0]) or texts["en"]


def in_sentence(label: str) -> str:
    """A translated label as it stands within a sentence: nouns keep their capital in German."""
    return label if (translation.get_language() or "").startswith("de") else label.lower()
