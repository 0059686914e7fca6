"""The audit log of researchers' actions. Rows are only ever added, and none is about a respondent."""

import json
from collections.abc import Iterable, Iterator

from django.contrib.auth.models import User
from django.db.models import QuerySet

from estimator.base.cells import sheet
from surveys.models import AuditEntry, Survey, Team

DETAIL = 500
MACHINE = "Candor"
"""The actor recorded for the command line and the schedule."""

COLUMNS = "at", "who", "act", "survey", "detail"


def record_event(
    user: User | None, act: str, *, survey: Survey | None = None, team: Team | None = None, detail: str = ""
) -> None:
    """Record one action.

    Parameters
    ----------
    user
        Who did it; None where the command line or the schedule did.
    act
        A short verb in the past, like "opened" or "extended the closing date"; at most 64 characters.
    survey, team
        What it was done to. The team of a survey is that which it belongs to now.
    detail
        Plain text, cut at 500 characters; never anything of a respondent.
    """
    AuditEntry.objects.create(
        user=user,
        name=user.get_username() if user else "",
        act=act,
        survey=survey,
        slug=survey.slug if survey else "",
        team_id=survey.team_id if survey else team.pk if team else None,
        detail=detail[:DETAIL],
    )


def survey_events(survey: Survey) -> QuerySet[AuditEntry]:
    """The events of a survey, under any team it has belonged to."""
    return AuditEntry.objects.filter(survey=survey.pk)


def team_events(team: Team) -> QuerySet[AuditEntry]:
    """The events of a team and of its surveys."""
    return AuditEntry.objects.filter(team=team.pk)


def filtered(entries: QuerySet[AuditEntry], act: str, who: str) -> QuerySet[AuditEntry]:
    """The entries with this act, by this user, or both; an empty string filters nothing."""
    if act:
        entries = entries.filter(act=act)
    return entries.filter(name="" if who == MACHINE else who) if who else entries


def as_json(entries: Iterable[AuditEntry]) -> bytes:
    """The entries as a JSON list of objects keyed by column; times in UTC."""
    return json.dumps([dict(zip(COLUMNS, row, strict=True)) for row in _rows(entries)], ensure_ascii=False).encode()


def as_csv(entries: Iterable[AuditEntry]) -> bytes:
    """The entries as CSV in which no cell is read as a formula."""
    return sheet(COLUMNS, (dict(zip(COLUMNS, row, strict=True)) for row in _rows(entries)))


def _rows(entries: Iterable[AuditEntry]) -> Iterator[tuple[str, ...]]:
    for entry in entries:
        yield f"{entry.at:%Y-%m-%dT%H:%M:%SZ}", entry.name or MACHINE, entry.act, entry.slug, entry.detail
