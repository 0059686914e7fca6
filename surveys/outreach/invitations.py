"""Making invitations: codes for whoever asks, hashes for the collector, and nothing else of them anywhere."""

from dataclasses import dataclass, field
from types import ModuleType

from django.contrib.auth.models import User
from django.db import transaction

from collector.designs.selectors import get_design
from collector.errors import InputError
from collector.invitations import batches as inviting
from collector.invitations.codes import hash_of, new_code
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import links, selectors
from surveys.models import Survey, Version
from surveys.outreach import fetch_codes as blind_codes

FEWEST, MOST = inviting.FEWEST, 100_000
"""Invitations that are made in one go."""


@dataclass(frozen=True)
class Invitations:
    """What was made: shown once to whoever asked, and forgotten with the answer to her request."""

    version: Version
    batch: int
    group: str
    codes: list[str] = field(repr=False)

    def links(self) -> list[str]:
        """The address that uses each code, in their order."""
        start = link_without_code(self.version, self.group)
        return [start + code for code in self.codes]


def grouped_code(code: str) -> str:
    """A code as it is printed."""
    return " ".join(code[place : place + 4] for place in range(0, len(code), 4))


def link_without_code(version: Version, group: str) -> str:
    """What stands before the code in a link: the page, the design's digest and, where there is one, the group."""
    if is_blind(version):
        return links.token_link_prefix(version)
    return links.respondent_link(version) + (f"&group={group}" if group else "") + "&invitation="


def typed_address(version: Version) -> str:
    """Where somebody goes who types her code: the page's address without scheme and fragment."""
    return links.token_address(version) if is_blind(version) else links.language_links(version)[0].typed


def is_blind(version: Version) -> bool:
    """Whether a code of this version only fetches a token, with which a report is sent another day."""
    return kind_of(version) == "blind"


def kind_of(version: Version) -> str:
    """What a report of this version has to come with: "secret", "blind", or nothing."""
    return get_design(version.design_id).invitations


def inviting_version(survey: Survey) -> Version:
    """The version in the field, where it is by invitation. Raises InputError, which says what is not so."""
    version = selectors.latest_version(survey)
    if survey.state != Survey.State.OPEN or version is None:
        raise InputError("survey", f"{survey.slug} is {survey.state}; invitations are made while it is open.")
    if not kind_of(version):
        raise InputError("survey", f"{survey.slug} is not by invitation: its draft has to say so before it is opened.")
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
        where = f" for group {group}" if group else ""
        record_event(by, "created invitations", survey=survey, detail=f"batch {batch}: {count}{where}, {kind}")
    return Invitations(version, batch, group, codes)


def new_codes(count: int) -> list[str]:
    """So many codes, in the order in which they were drawn, which says nothing."""
    return [new_code() for _ in range(count)]


def add(version: Version, codes: list[str], *, group: str, kind: str) -> int:
    """Have these codes taken, by the collector or for tokens; the number of the batch."""
    number: int = _keeper(version).add(
        version.design_id, [hash_of(code) for code in codes], stratum=group or None, kind=kind
    )
    return number


def batches(version: Version) -> list[inviting.BatchSummary]:
    """What was made for a version, the first batch first. How many of one were used nobody is told."""
    made: list[inviting.BatchSummary] = _keeper(version).batches(version.design_id)
    return made


def withdraw(survey: Survey, batch: int, *, by: User | None) -> None:
    """Delete what is unused of a batch of the newest version. How much that was is told nobody.

    Raises
    ------
    InputError
        Where there is no such batch.
    """
    version = selectors.latest_version(survey)
    try:
        if version is None:
            raise ValueError("batch must be one of a survey that was opened")
        with transaction.atomic():
            _keeper(version).withdraw(version.design_id, batch)
            record_event(by, "revoked invitations", survey=survey, detail=f"batch {batch}")
    except ValueError as fault:
        raise InputError("batch", f"{fault}.") from None


def require_number(count: int, most: int = MOST) -> None:
    if not FEWEST <= count <= most:
        raise InputError("count", f"count must be from {FEWEST} to {most:,} in one go; got {count:,}.")


def require_group(version: Version, group: str) -> None:
    """Raises InputError where a group is named that the survey has not, or that no token could say."""
    if group and is_blind(version):
        told = "group must be left out: an invitation that nobody can trace is of no group"
        raise InputError("group", f"{told}; got {group[:64]!r}.")
    keys = [group.key for group in get_design(version.design_id).groups]
    if group and group not in keys:
        known = f"one of {', '.join(keys)}" if keys else "left out: the survey has no groups"
        raise InputError("group", f"group must be {known}; got {group[:64]!r}.")


def _keeper(version: Version) -> ModuleType:
    """Who keeps the hashes of this version's codes. Both do it alike."""
    return blind_codes if is_blind(version) else inviting
