"""The models' labels, and why a job failed, in the reader's language."""

import re
from collections.abc import Mapping
from functools import cache

from django.utils import translation
from django.utils.functional import lazy
from django.utils.translation import gettext_noop

from estimator.base.languages import figures

FIELDS = (
    *(gettext_noop("Title"), gettext_noop("Introduction"), gettext_noop("Consent"), gettext_noop("Rehearsal")),
    *(gettext_noop("Key"), gettext_noop("Label"), gettext_noop("Share"), gettext_noop("Section")),
    *(gettext_noop("Kind"), gettext_noop("Mechanism"), gettext_noop("Minimum"), gettext_noop("Maximum")),
    *(gettext_noop("Step"), gettext_noop("Shuffle"), gettext_noop("Dropdown"), gettext_noop("Choices")),
)
"""What Django calls a model's field by its name."""

JOB_STATES = gettext_noop("Queued"), gettext_noop("Running"), gettext_noop("Done"), gettext_noop("Failed")
"""The labels of `estimator.base.jobs`, whose texts are translated in the reports' languages."""

FAULTS = (
    gettext_noop("The computation ended with {name}."),
    gettext_noop("The worker died {tries} times."),
    gettext_noop("The file could not be written: {error}. Nothing of it was kept; request it again."),
    gettext_noop("The file is empty."),
    gettext_noop("This version of Candor cannot write {format}."),
    gettext_noop(
        "Single responses are released from {minimum_microdata} responses on; this run counted "
        "{reports:,}. With fewer it is too easy to guess whose a row is."
    ),
    gettext_noop(
        "Single responses are released once the closing of the survey is final: of two earlier "
        "files, the rows that only the later one has would show who answered in between."
    ),
    gettext_noop(
        "This run counted {reports:,} responses and {stored:,} are stored: "
        "those of simulated respondents are deleted once they are estimated."
    ),
    gettext_noop(
        "This run counted {reports:,} responses and {stored:,} are stored: "
        "use a run made after closing, which counted all of them."
    ),
    gettext_noop(
        "Files for SPSS and Stata are made of at most {most_cells:,} symbols; this run counted "
        "{cells:,}. Use CSV or Parquet, which both programs can read."
    ),
    gettext_noop(
        "The stored responses are not the {reports:,} responses that this run counted; make a new run and try again."
    ),
    gettext_noop("A sheet has {most:,} rows at most, and {table} needs more; take the JSON file."),
    gettext_noop("The receiver answered {status}."),
    gettext_noop("The receiver answered with a redirect ({status}), which is not followed."),
    gettext_noop("The receiver did not answer within {seconds:g} seconds."),
    gettext_noop("No connection, or an untrusted one ({name})."),
    gettext_noop("The host name has no address."),
    gettext_noop("The host is inside a private network; the operator can allow it with CANDOR_WEBHOOKS_INSIDE."),
    gettext_noop("The mail server rejected mail from this site (it answered {error})."),
    gettext_noop("The mail server could not be reached ({name})."),
    gettext_noop("The survey is closed, so nothing more was sent."),
)
"""What a worker may store as `fault`, with the placeholders of the place that fills them.

Workers store English: one record for everyone who reads it, for the API and for the commands.
"""

_PLACE = re.compile(r"\{(\w+)[^}]*\}")
_NUMBER = re.compile(r"\d[\d,]*(\.\d+)?")


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


def translated_fault(stored: str) -> str:
    """The stored reason in the reader's language; as it is stored where it is none of `FAULTS`."""
    for text in FAULTS:
        if found := _pattern(text).fullmatch(stored):
            return _filled(translation.gettext(text), found.groupdict())
    return stored


def _filled(text: str, values: Mapping[str, str]) -> str:
    """The text with these values in its placeholders, numbers with the separators of the reader's language."""
    return _PLACE.sub(
        lambda place: figures(values[place[1]]) if _NUMBER.fullmatch(values[place[1]]) else values[place[1]], text
    )


@cache
def _pattern(text: str) -> re.Pattern[str]:
    parts = _PLACE.split(text)
    return re.compile("".join(f"(?P<{part}>.+)" if at % 2 else re.escape(part) for at, part in enumerate(parts)))
