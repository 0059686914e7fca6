"""Advice on a draft that its authors dismissed, with the reason; it comes back when what it is about changes."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from collector.designs.texts import refused_character
from collector.errors import ValidationError
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import transitions
from surveys.models import AdviceDismissal, Survey

LONGEST_REASON = 300
MOST = 500
"""Dismissals of one draft; the oldest give way."""


def dismissals_of(survey: Survey) -> dict[str, str]:
    """The reasons by the mark of the advice."""
    return dict(survey.dismissals.values_list("mark", "reason"))


@transaction.atomic
def dismiss_advice(survey: Survey, *, mark: str, advice: str, reason: str, by: User) -> None:
    """Dismiss an advice. Raises ValidationError unless the reason is a line of 1 to LONGEST_REASON characters."""
    reason = reason.strip()
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise ValidationError(
            ("reason",),
            gettext("must have 1 to {longest_reason} characters; got {count}").format(
                longest_reason=LONGEST_REASON, count=len(reason)
            ),
        )
    if found := refused_character(reason):
        raise ValidationError(("reason",), found.in_words)
    held = Survey.objects.select_for_update().get(pk=survey.pk)
    transitions.require_draft(held)
    AdviceDismissal.objects.update_or_create(
        survey=held, mark=mark, defaults={"advice": advice, "reason": reason, "dismissed_by": by}
    )
    gone = held.dismissals.order_by("-pk").values_list("pk", flat=True)[MOST:]
    held.dismissals.filter(pk__in=list(gone)).delete()
    record_event(by, "dismissed advice", survey=held, detail=f"{advice} Reason: {reason}")


@transaction.atomic
def restore_advice(survey: Survey, *, mark: str, by: User) -> None:
    """Show an advice again that was dismissed."""
    held = Survey.objects.select_for_update().get(pk=survey.pk)
    transitions.require_draft(held)
    found = held.dismissals.filter(mark=mark).first()
    if found is not None:
        found.delete()
        record_event(by, "restored advice", survey=held, detail=found.advice)
