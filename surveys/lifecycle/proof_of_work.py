"""Proof of work that a survey may require of browsers, so that many made-up responses are costly."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from collector.errors import InputError
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import selectors
from surveys.models import Page, Survey

LEVELS = {0: "off", 12: "light", 15: "usual", 18: "heavy"}
"""Levels by their bits: one try in 2 to that power succeeds."""

SCRIPTS = (b"/client/proof.", b"/client/work.")
"""The proof-of-work script in stored pages, by its present name and by that in pages stored before."""


def ask_for_work(survey: Survey, bits: int, *, by: User | None = None) -> None:
    """Set the bits of proof of work that the endpoint requires from now on, also while open; 0: none.

    Raises InputError where there is no such level, or the page in the field could not do it.
    """
    if bits not in LEVELS:
        raise InputError(
            "bits", gettext("Proof of work must be one of {names}.").format(names=", ".join(LEVELS.values()))
        )
    if bits and not pages_can(survey):
        words = gettext("The current page was made before Candor had proof of work. The next version can use it.")
        raise InputError("bits", words)
    with transaction.atomic():
        Survey.objects.filter(pk=survey.pk).update(work_bits=bits)
        record_event(by, "changed the proof of work", survey=survey, detail=describe_level(bits))


def bits_of(slug: str) -> int:
    """The bits of proof of work of the survey with this slug; 0 if it requires none or does not exist."""
    return Survey.objects.values_list("work_bits", flat=True).filter(slug=slug).first() or 0


def pages_can(survey: Survey) -> bool:
    """True if no page is open, or the open one was made with the proof-of-work script."""
    version = selectors.latest_version(survey)
    if version is None or survey.state != Survey.State.OPEN:
        return True
    pages = Page.objects.filter(version=version, kind=Page.Kind.ANSWER)
    return all(any(script in bytes(page.content) for script in SCRIPTS) for page in pages)


def describe_level(bits: int) -> str:
    """A level in words."""
    return gettext("{levels}, {bits} bits").format(levels=LEVELS[bits], bits=bits) if bits else LEVELS[0]
