"""The log of researchers' acts: who did what when. Rows are only ever added, and none is about a respondent."""

from django.contrib.auth.models import User

from surveys.models import Survey
from surveys.people.models import AuditEntry, Team

DETAIL = 500


def record(
    user: User | None, act: str, *, survey: Survey | None = None, team: Team | None = None, detail: str = ""
) -> None:
    """Write down one act.

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
