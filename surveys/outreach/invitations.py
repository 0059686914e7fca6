"""Creation of invitations: codes for the requester, hashes for the collector, and nothing else stored."""

from dataclasses import dataclass, field
from types import ModuleType

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from collector.designs.selectors import get_design
from collector.errors import InputError
from collector.invitations import batches as inviting
from collector.invitations.codes import hash_of, new_code
from estimator.base.languages import filled
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import links, selectors
from surveys.lifecycle.transitions import STATES
from surveys.models import Survey, Version
from surveys.outreach import fetch_codes as blind_codes

FEWEST, MOST = inviting.FEWEST, 100_000
"""Fewest and most invitations in one batch."""


@dataclass(frozen=True)
class Invitations:
    """A new batch of invitations: shown once to the requester, and discarded with the reply."""

    version: Version
    batch: int
    group: str
    codes: list[str] = field(repr=False)

    def links(self) -> list[str]:
        """The link with each code, in their order."""
        start = link_without_code(self.version, self.group)
        return [start + code for code in self.codes]


def grouped_code(code: str) -> str:
    """A code as it is printed, in groups of four."""
    return " ".join(code[place : place + 4] for place in range(0, len(code), 4))


def link_without_code(version: Version, group: str) -> str:
    """The part of a link before the code: the page, the design's digest and, where there is one, the group."""
    if is_blind(version):
        return links.token_link_prefix(version)
    return links.respondent_link(version) + (f"&group={group}" if group else "") + "&invitation="


def typed_address(version: Version) -> str:
    """The address for typing a code: the page's URL without scheme and fragment."""
    return links.token_address(version) if is_blind(version) else links.language_links(version)[0].typed


def is_blind(version: Version) -> bool:
    """True if a code of this version only fetches a token, with which a response is sent another day."""
    return kind_of(version) == "blind"


def kind_of(version: Version) -> str:
    """The kind of invitation that this version requires: "secret", "blind", or empty."""
    return get_design(version.design_id).invitations


def inviting_version(survey: Survey) -> Version:
    """The version in the field, where it is by invitation. Raises InputError, which says what is not so."""
    version = selectors.latest_version(survey)
    if survey.state != Survey.State.OPEN or version is None:
        raise InputError(
            "survey",
            gettext("{slug} is {state}; invitations can be made only while it is open.").format(
                slug=survey.slug, state=STATES[survey.state]
            ),
        )
    if not kind_of(version):
        raise InputError(
            "survey",
            gettext("{slug} is not by invitation: this must be set in its draft before it is opened.").format(
                slug=survey.slug
            ),
        )
    return version


def make(survey: Survey, count: int, *, group: str = "", kind: str, most: int = MOST, by: User | None) -> Invitations:
    """Make a batch of invitations.

    Parameters
    ----------
    count : int
        How many, from FEWEST to `most`.
    group : str
        Key of the group that their reports count for; empty: for whichever a respondent names.
    kind : str
        How they are handed out, in small letters; kept with the batch.

    Raises
    ------
    InputError
        Naming the field, its bound and the value.
    """
    version = inviting_version(survey)
    require_number(count, most)
    require_group(version, group)
    codes = new_codes(count)
    with transaction.atomic():
        batch = add(version, codes, group=group, kind=kind)
        where = gettext(" for group {group}").format(group=group) if group else ""
        record_event(by, "created invitations", survey=survey, detail=f"batch {batch}: {count}{where}, {kind}")
    return Invitations(version, batch, group, codes)


def new_codes(count: int) -> list[str]:
    """This many codes in the order of drawing, which reveals nothing."""
    return [new_code() for _ in range(count)]


def add(version: Version, codes: list[str], *, group: str, kind: str) -> int:
    """Register these codes, with the collector or for tokens; returns the batch number."""
    hashes = [hash_of(code) for code in codes]
    number: int = _keeper(version).add(version.design_id, hashes, stratum=group or None, kind=kind)
    return number


def batches(version: Version) -> list[inviting.BatchSummary]:
    """The batches of a version, the oldest first. The number used of each is disclosed to nobody."""
    made: list[inviting.BatchSummary] = _keeper(version).batches(version.design_id)
    return made


def withdraw(survey: Survey, batch: int, *, by: User | None) -> None:
    """Revoke the unused codes of a batch of the newest version. Their number is not disclosed.

    Raises InputError where there is no such batch.
    """
    version = selectors.latest_version(survey)
    try:
        if version is None:
            raise ValueError(gettext("batch must be one of a survey that was opened"))
        with transaction.atomic():
            _keeper(version).withdraw(version.design_id, batch)
            record_event(by, "revoked invitations", survey=survey, detail=f"batch {batch}")
    except ValueError as fault:
        raise InputError("batch", f"{fault}.") from None


def require_number(count: int, most: int = MOST) -> None:
    if not FEWEST <= count <= most:
        raise InputError(
            "count",
            filled(
                gettext("count must be from {fewest} to {most:,} at a time; got {count:,}."),
                fewest=FEWEST,
                most=most,
                count=count,
            ),
        )


def require_group(version: Version, group: str) -> None:
    """Raises InputError where a group is named that the survey has not, or that no token could say."""
    if group and is_blind(version):
        words = gettext("group must be left out: a blind invitation belongs to no group")
        raise InputError("group", gettext("{words}; got {group!r}.").format(words=words, group=group[:64]))
    keys = [group.key for group in get_design(version.design_id).groups]
    if group and group not in keys:
        known = (
            gettext("one of {keys}").format(keys=", ".join(keys))
            if keys
            else gettext("left out: the survey has no groups")
        )
        raise InputError(
            "group", gettext("group must be {known}; got {group!r}.").format(known=known, group=group[:64])
        )


def _keeper(version: Version) -> ModuleType:
    """The module that stores this version's hashes; both have one interface."""
    return blind_codes if is_blind(version) else inviting
