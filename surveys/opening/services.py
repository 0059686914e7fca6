"""Opening surveys: a design is frozen together with the pages for respondents.

All of it is one transaction, so a survey is never open without its pages.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from collector.database.distribution import require_alone
from collector.designs import Design
from collector.designs.parts import split_design
from collector.designs.services import freeze_design
from collector.errors import Conflict
from surveys.accounts.audit_log import record_event
from surveys.definition import ceilings
from surveys.definition.text_warnings import text_warnings
from surveys.lifecycle import page_log, selectors, signing_keys, transitions
from surveys.lifecycle.linked_surveys import lock_linked
from surveys.lifecycle.pictures import contents_of
from surveys.models import Page, Survey, Version
from surveys.rendering import pages, token_page
from surveys.rendering.own_coin import page as coin
from surveys.rendering.own_coin.sheet import render_sheet

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import rsa
    from django_stubs_ext import StrOrPromise

CHANGED = gettext_lazy(
    "The draft has changed since it was shown for confirmation, so nothing was opened. "
    "Check it as it is now and confirm it again."
)
ANOTHER_WAVE = gettext_lazy(
    "What would open now is not what was shown for confirmation, so nothing was opened. "
    "Check the next wave as it is now and confirm it again."
)


@dataclass(frozen=True)
class Opening:
    """A transition that opens: the design that it would freeze now, with its version, and what is said of it.

    `changed` is the refusal where that is not what was confirmed; `name` and `act` are the words of the log.
    """

    design: Callable[[Survey], tuple[Design, int]]
    changed: "StrOrPromise"
    name: str
    act: str


OPENINGS = {
    "open": Opening(selectors.design_to_open, CHANGED, "version", "opened"),
    "wave": Opening(selectors.wave_to_open, ANOTHER_WAVE, "wave", "opened again"),
}


def open_survey(
    survey: Survey, *, confirmed: str = "", reason: str = "", parts: int = 1, by: User | None = None
) -> Version:
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
    parts : int
        Into how many parts its reports are divided, where they are too many for one node (collector/designs/parts.py).

    Raises
    ------
    Conflict
        Where the survey is not a draft, lacks something, is not what was confirmed, or cannot be split.
    InputError
        Where it is above a ceiling, and no reason is given.
    """
    return open_by(survey, "open", spare_key(survey, "open"), confirmed=confirmed, reason=reason, parts=parts, by=by)


def open_wave(
    survey: Survey, *, confirmed: str = "", reason: str = "", parts: int = 1, by: User | None = None
) -> Version:
    """Open a closed survey's next wave: the same design except for what opening adds to it.

    `confirmed`, `reason`, `parts` and what is raised are as those of `open_survey`; a wave after which a person could
    have spent more than the ceiling is refused, whatever else was opened meanwhile.
    """
    return open_by(survey, "wave", spare_key(survey, "wave"), confirmed=confirmed, reason=reason, parts=parts, by=by)


def spare_key(survey: Survey, move: str) -> "rsa.RSAPrivateKey | None":
    """The key for the next version, generated before the transaction that opens it; None if none is missing."""
    if survey.state != transitions.MOVES[move].source:
        return None
    return signing_keys.generate(survey, selectors.next_number(survey))


@transaction.atomic
def open_by(
    survey: Survey,
    move: str,
    key: "rsa.RSAPrivateKey | None",
    *,
    confirmed: str = "",
    reason: str = "",
    parts: int = 1,
    by: User | None = None,
) -> Version:
    """Open a survey by one of OPENINGS, as `open_survey` and `open_wave`; `key` is from `spare_key`."""
    opening = OPENINGS[move]
    transitions.move(survey, move)
    lock_linked(survey)
    design, number = opening.design(survey)
    if confirmed and confirmed != design.digest:
        raise Conflict(opening.changed)
    if signing_keys.prepare(survey, number, key):
        design, _ = opening.design(survey)
    version = _into_the_field(survey, ceilings.with_reason(design, reason), opening, by=by)
    if parts != 1:
        _split(version, parts, by=by)
    return version


@transaction.atomic
def split_survey(survey: Survey, parts: int, *, by: User | None = None) -> None:
    """Split the open version of a survey without reports into parts. No other process may be connected.

    Raises Conflict where it is not open, has reports, or cannot be split (collector/designs/parts.py).
    """
    require_alone()
    version = selectors.latest_version(survey)
    if version is None:
        raise Conflict(gettext("The survey was never opened. Open it with --parts instead."))
    _split(version, parts, by=by)


def _split(version: Version, parts: int, *, by: User | None) -> None:
    split_design(version.design_id, parts)
    record_event(by, "split", survey=version.survey, detail=f"version {version.number} into {parts} parts")


def _into_the_field(survey: Survey, design: Design, opening: Opening, *, by: User | None) -> Version:
    """Freeze a design, store its pages, and record who opened it, with the reason if one is given."""
    number = design.version
    detail = f"{opening.name} {number}, design {design.digest}"
    if warned := len(text_warnings(design)):
        detail += f", with {warned} warnings of its texts"
    record_event(by, opening.act, survey=survey, detail=detail)
    if reason := design.reason:
        record_event(by, "recorded a reason to exceed a ceiling", survey=survey, detail=reason)
    freeze_design(design.document)
    version = Version.objects.create(survey=survey, number=number, design_id=design.digest)
    if not design.rehearsal:
        try:
            Page.objects.bulk_create(_pages(version, design))
            page_log.record(version)
        except ImproperlyConfigured as missing:
            raise Conflict(str(missing)) from None
    return version


def _pages(version: Version, design: Design) -> Iterator[Page]:
    bits = version.survey.work_bits
    pictures = contents_of(version.survey, design)
    for language in design.languages:
        sheet = render_sheet(design, language, pictures)
        coin_page = coin.render_page(design, language, with_sheet=bool(sheet))
        page = pages.render_page(design, language, with_coin=bool(coin_page), work=bits)
        yield Page.of(version, language, Page.Kind.ANSWER, page)
        if coin_page:
            yield Page.of(version, language, Page.Kind.COIN, coin_page)
        if sheet:
            yield Page.of(version, language, Page.Kind.SHEET, sheet)
        if design.invitations == "blind":
            yield Page.of(version, language, Page.Kind.TOKEN, token_page.render_page(design, language))
