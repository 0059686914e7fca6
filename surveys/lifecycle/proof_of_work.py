"""Whether a survey asks browsers for proof of work, so that made-up reports cost whoever sends many."""

from django.contrib.auth.models import User
from django.db import transaction

from collector.errors import InputError
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import selectors
from surveys.models import Page, Survey

LEVELS = {0: "off", 12: "light", 15: "usual", 18: "heavy"}
"""By the bits of the sum: one try in 2 to so many is right."""

SCRIPTS = (b"/client/proof.", b"/client/work.")
"""In stored pages: the script that does the work, by the name that it has now and by that of pages stored before."""


def ask_for_work(survey: Survey, bits: int, *, by: User | None = None) -> None:
    """Have the door ask for a sum of so many bits from now on, also while the survey is open; 0: for none.

    Raises
    ------
    InputError
        Where there is no such level, or the page in the field could not do it.
    """
    if bits not in LEVELS:
        raise InputError("bits", f"The work must be one of {', '.join(LEVELS.values())}.")
    if bits and not pages_can(survey):
        words = "The page in the field was made before Candor could ask for work. The next version can do it."
        raise InputError("bits", words)
    with transaction.atomic():
        Survey.objects.filter(pk=survey.pk).update(work_bits=bits)
        record_event(by, "changed the proof of work", survey=survey, detail=describe_level(bits))


def bits_of(slug: str) -> int:
    """The bits that the survey of this slug asks for; 0 where it asks for none, or there is none."""
    return Survey.objects.values_list("work_bits", flat=True).filter(slug=slug).first() or 0


def pages_can(survey: Survey) -> bool:
    """Whether the page in the field, where there is one, was made with the script for it."""
    version = selectors.latest_version(survey)
    if version is None or survey.state != Survey.State.OPEN:
        return True
    pages = Page.objects.filter(version=version, kind=Page.Kind.ANSWER)
    return all(any(script in bytes(page.content) for script in SCRIPTS) for page in pages)


def describe_level(bits: int) -> str:
    """A level in words."""
    return f"{LEVELS[bits]}, {bits} bits" if bits else LEVELS[0]
