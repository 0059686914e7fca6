"""Opening surveys: a design is frozen together with the pages for respondents.

All of it is one transaction, so a survey is never open without its pages.
"""

from collections.abc import Callable, Iterator

from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from collector.designs import Design
from collector.designs.services import freeze_design
from collector.errors import Conflict
from surveys.accounts.audit_log import record_event
from surveys.definition import ceilings
from surveys.definition.text_warnings import text_warnings
from surveys.lifecycle import selectors, signing_keys, transitions
from surveys.lifecycle.linked_surveys import lock_linked
from surveys.models import Page, Survey, Version
from surveys.rendering import pages, token_page
from surveys.rendering.own_coin import page as coin
from surveys.rendering.own_coin.sheet import render_sheet

CHANGED = (
    "The draft has changed since it was shown to be confirmed, so nothing was opened. Look at it as it is now and "
    "confirm it again."
)
ANOTHER_WAVE = (
    "What would open now is not what was shown to be confirmed, so nothing was opened. Look at the next wave as it is "
    "now and confirm it again."
)


@transaction.atomic
def open_survey(survey: Survey, *, confirmed: str = "", reason: str = "", by: User | None = None) -> Version:
    """Freeze the draft and open it to respondents.

    Parameters
    ----------
    survey : Survey
        A draft.
    confirmed : str
        Digest of the design that somebody looked at and confirmed; a draft that says something else by now is not
        opened. Empty: nobody did.
    reason : str
        Why it is opened although it is above a ceiling (surveys/definition/ceilings.py). It becomes part of the
        design, so that what is frozen has another digest than what was confirmed without it.

    Raises
    ------
    Conflict
        Where the survey is not a draft, lacks something, or is not what was confirmed.
    InputError
        Where it is above a ceiling, and no reason is given.
    """
    transitions.move(survey, "open")
    design = _confirmed(survey, selectors.design_to_open, confirmed, otherwise=CHANGED)
    return _into_the_field(survey, ceilings.with_reason(design, reason), "version", act="opened", by=by)


@transaction.atomic
def open_wave(survey: Survey, *, confirmed: str = "", reason: str = "", by: User | None = None) -> Version:
    """Open a closed survey's next wave: the same design except for what opening adds to it.

    `confirmed`, `reason` and what is raised are as those of `open_survey`; a wave after which a person could have spent
    more than the ceiling is refused, whatever else was opened meanwhile.
    """
    transitions.move(survey, "wave")
    design = _confirmed(survey, selectors.wave_to_open, confirmed, otherwise=ANOTHER_WAVE)
    return _into_the_field(survey, ceilings.with_reason(design, reason), "wave", act="opened again", by=by)


def _confirmed(
    survey: Survey, to_open: Callable[[Survey], tuple[Design, int]], confirmed: str, *, otherwise: str
) -> Design:
    """The design that opens, as confirmed; creates the key of blind invitations if it is missing."""
    lock_linked(survey)
    design, number = to_open(survey)
    if confirmed and confirmed != design.digest:
        raise Conflict(otherwise)
    return to_open(survey)[0] if signing_keys.prepare(survey, number) else design


def _into_the_field(survey: Survey, design: Design, name: str, *, act: str, by: User | None) -> Version:
    """Freeze a design, store its pages, and record who opened it, with the reason if one is given.

    `name` and `act` are the words of the log.
    """
    number = design.version
    doubtful = f", with {warned} warnings of its texts" if (warned := len(text_warnings(design))) else ""
    record_event(by, act, survey=survey, detail=f"{name} {number}, design {design.digest}{doubtful}")
    if reason := design.reason:
        record_event(by, "recorded a reason to exceed a ceiling", survey=survey, detail=reason)
    freeze_design(design.document)
    version = Version.objects.create(survey=survey, number=number, design_id=design.digest)
    if not design.rehearsal:
        try:
            Page.objects.bulk_create(_pages(version, design))
        except ImproperlyConfigured as missing:
            raise Conflict(str(missing)) from None
    return version


def _pages(version: Version, design: Design) -> Iterator[Page]:
    """Every page of the version for respondents, in each of its languages."""
    bits = version.survey.work_bits
    for language in design.languages:
        sheet = render_sheet(design, language)
        coin_page = coin.render_page(design, language, with_sheet=bool(sheet))
        page = pages.render_page(design, language, with_coin=bool(coin_page), work=bits)
        yield Page.of(version, language, Page.Kind.ANSWER, page)
        if coin_page:
            yield Page.of(version, language, Page.Kind.COIN, coin_page)
        if sheet:
            yield Page.of(version, language, Page.Kind.SHEET, sheet)
        if design.invitations == "blind":
            yield Page.of(version, language, Page.Kind.TOKEN, token_page.render_page(design, language))
