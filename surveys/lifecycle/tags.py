"""Tags of surveys: words by which a team finds them."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from collector.designs.texts import refused_character
from collector.errors import InputError
from surveys.accounts.audit_log import record_event
from surveys.models import Survey, SurveyTag

MOST, LONGEST = 10, 40


@transaction.atomic
def set_tags(survey: Survey, written: str, *, by: User) -> list[str]:
    """Give a survey these tags, separated by commas, in place of those that it has. Raises InputError."""
    names = list({name.casefold(): name for part in written.split(",") if (name := " ".join(part.split()))}.values())
    if len(names) > MOST:
        raise InputError(
            "tags", gettext("A survey has at most {most} tags; got {count}.").format(most=MOST, count=len(names))
        )
    for name in names:
        if len(name) > LONGEST:
            raise InputError(
                "tags",
                gettext("A tag has at most {longest} characters; got {count}.").format(
                    longest=LONGEST, count=len(name)
                ),
            )
        if found := refused_character(name, lines=False):
            raise InputError("tags", gettext("A tag {problem}.").format(problem=found.in_words))
    before = set(survey.tags.values_list("name", flat=True))
    if before != set(names):
        survey.tags.exclude(name__in=names).delete()
        SurveyTag.objects.bulk_create(SurveyTag(survey=survey, name=name) for name in names if name not in before)
        record_event(by, "changed the tags", survey=survey, detail=", ".join(names))
    return names
