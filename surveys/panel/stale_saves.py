"""Saving the plain form from a revision that is not the newest: both sides' changes stay, or both are shown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from collector.errors import Path
from surveys.definition.changes import ABSENT, KEYED, Clash, differences
from surveys.lifecycle import drafts, selectors
from surveys.models import Survey
from surveys.panel.preview import drafted

MOST_SHOWN = 20
PLACES = {
    "about": gettext_lazy("Who asks"),
    "look": gettext_lazy("Look"),
    "ending": gettext_lazy("End"),
    "items": gettext_lazy("Question"),
    "sections": gettext_lazy("Section"),
    "strata": gettext_lazy("Groups"),
    "background_questions": gettext_lazy("Background questions"),
}


@dataclass(frozen=True)
class StaleSave:
    """What became of it; with clashes nothing is saved, and `revision` is what they were found in."""

    revision: int
    clashes: Sequence[tuple[str, str, str]] = ()
    """Place, the other side's value and this one's, each in words."""


def stale_save(request: HttpRequest, survey: Survey) -> StaleSave | None:
    """Merge and save what was sent from an older revision; None if it was not, or has errors of its own to show.

    The survey's row must be locked by the caller's transaction.
    """
    Survey.objects.select_for_update().get(pk=survey.pk)
    sent, now = str(request.POST.get("revision", "")), drafts.revision_of(survey)
    if not sent.isdecimal() or int(sent) == now:
        return None
    _mark_rows_that_are_gone(request, survey)
    written = drafted(request, Survey.objects.prefetch_related("items", "groups").get(pk=survey.pk))
    if isinstance(written, list):
        return None
    base, replace = drafts.definition_at(survey, int(sent)), request.POST.get("replace") == str(now)
    current = selectors.definition_of(survey)
    changes = differences(base or current, written)
    if base is None and changes and not replace:
        return StaleSave(now, [_in_words(Clash(one.path, ABSENT, one.was, one.now)) for one in changes][:MOST_SHOWN])
    user: Any = request.user
    saved = drafts.save_changes(survey, changes, by=user, preferred=written if replace else None)
    return StaleSave(saved.revision, [_in_words(one) for one in saved.clashes][:MOST_SHOWN])


def revision_fields(request: HttpRequest, survey: Survey | None) -> dict[str, object]:
    """The context for the form's hidden field: the revision that it was read at, and a clash with a newer one."""
    if survey is None:
        return {}
    stale: StaleSave | None = request.__dict__.get("stale_save")
    newest = survey.revisions.select_related("saved_by").first()
    here = str(newest.number if newest else 0)
    return {"revision": request.POST.get("revision", here), "stale": stale, "newest": newest}


def _mark_rows_that_are_gone(request: HttpRequest, survey: Survey) -> None:
    """A folded row of a question that somebody else has deleted comes without a word of it: it stays deleted."""
    there = {str(pk) for pk in survey.items.values_list("pk", flat=True)}
    sent: Any = request.POST.copy()
    for name in list(sent):
        row = re.fullmatch(r"(items-\d+)-id", name)
        if row and sent[name] and sent[name] not in there and f"{row[1]}-closed" in sent:
            sent[f"{row[1]}-DELETE"] = "on"
    request.POST = sent


def _in_words(clash: Clash) -> tuple[str, str, str]:
    return " › ".join(_steps(clash.path)), _value(clash.theirs), _value(clash.yours)


def _steps(path: Path) -> Iterator[str]:
    if path in KEYED:
        yield gettext("Order of the {path}").format(path=path[-1])
        return
    first, *more = path
    yield str(PLACES.get(str(first), str(first).replace("_", " ").capitalize()))
    for step in more:
        yield str(step + 1) if isinstance(step, int) else step.replace("_", " ")


def _value(value: Any) -> str:
    if value is ABSENT:
        return gettext("deleted")
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
