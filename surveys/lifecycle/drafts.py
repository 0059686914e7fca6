"""Saving drafts: by the editor, the plain form, a file or a program. Each save is a revision with a number.

Who saves says which revision the change was made from. What somebody else changed meanwhile stays: a save is a list of
changes, each of the smallest part that differs, and only a part that both sides changed is asked about.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError as FieldError
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext

from collector.designs import ABOUT
from collector.errors import Path, ValidationError
from estimator.base.mechanisms import PARAMETERS
from estimator.reports import disclosures
from surveys.accounts.audit_log import record_event
from surveys.definition import definitions
from surveys.definition.bounds import require_plain
from surveys.definition.changes import Change, Clash, apply_changes
from surveys.definition.parts import Definition, ItemPart
from surveys.definition.shape import require_shape
from surveys.lifecycle import appearance, selectors, signing_keys, transitions
from surveys.lifecycle.pictures import delete_unused, take_pictures
from surveys.models import DraftRevision, Group, Item, Section, Survey

KEPT_EACH = 20
"""The newest revisions, of which each is kept; of older ones the last of each ten minutes."""

KEPT = 50
TOGETHER = timedelta(minutes=10)

OF_SURVEY = ("slug", "title", "introduction", "consent", "languages", "rehearsal")


@dataclass(frozen=True)
class DraftSave:
    """What became of a save: the draft now and its revision, or the parts that both sides changed.

    With clashes nothing is saved, and the definition is that of the other side.
    """

    definition: Definition
    revision: int
    saved_at: datetime | None
    clashes: Sequence[Clash] = ()


def revision_of(survey: Survey) -> int:
    """The number of a draft's newest revision; 0 if none was ever recorded."""
    return survey.revisions.values_list("number", flat=True).first() or 0


def definition_at(survey: Survey, number: int) -> Definition | None:
    """The draft as it was at a revision; None if it is not kept any more, or never was."""
    kept: Definition | None = survey.revisions.filter(number=number).values_list("definition", flat=True).first()
    if kept is None and number == revision_of(survey):
        return selectors.definition_of(survey)
    return kept


@transaction.atomic
def save_changes(
    survey: Survey, changes: Iterable[Change], *, by: User | None = None, preferred: Definition | None = None
) -> DraftSave:
    """Save these changes of a draft, beside what others have changed since they were made.

    Parameters
    ----------
    survey
        The draft, whose row is locked meanwhile.
    changes
        Of the smallest parts that differ, with their values before and after.
    by
        Who made them; None where the command line did.
    preferred
        The definition that they were made in, whose parts then win over the other side's.

    Raises
    ------
    ValidationError
        Where the result is no definition; it may be unfinished. The path names the field.
    Conflict
        Where the survey is not a draft any more.
    """
    held = Survey.objects.select_for_update().get(pk=survey.pk)
    transitions.require_draft(held)
    before = selectors.definition_of(held)
    merged, clashes = apply_changes(before, changes, preferred=preferred)
    last = held.revisions.first()
    if clashes or merged == before:
        return DraftSave(before, last.number if last else 0, last.saved_at if last else None, tuple(clashes))
    require_plain(merged)
    revision = store(held, definitions.complete(merged), before=before, by=by)
    if last is None or last.saved_by != by or revision.saved_at - last.saved_at > TOGETHER:
        record_event(by, "changed", survey=held, detail=f"revision {revision.number}")
    return DraftSave(selectors.definition_of(held), revision.number, revision.saved_at)


def store(survey: Survey, definition: Definition, *, before: Definition | None, by: User | None) -> DraftRevision:
    """Write a complete definition into the rows of a draft, and record the revision.

    A part whose key stays keeps its row, so that a form that is open elsewhere still finds it.
    """
    require_shape(definition)
    slug = survey.slug
    for name in OF_SURVEY:
        setattr(survey, name, definition[name])  # type: ignore[literal-required]
    survey.strata_wording = definition["strata"]["wording"]
    for name in ABOUT:
        setattr(survey, name, definition.get("about", {}).get(name, {}))
    appearance.write(survey, definition)
    for name, nothing in selectors.KEPT_PLAIN.items():
        setattr(survey, name, definition.get(name, nothing))
    _require_storable(survey, ())
    if slug != survey.slug and Survey.objects.filter(slug=survey.slug).exclude(pk=survey.pk).exists():
        raise ValidationError(("slug",), gettext("{slug!r} is used by another survey").format(slug=survey.slug))
    survey.save()
    if slug != survey.slug:
        disclosures.rename(slug, survey.slug)
    for rows, path in (
        (list(_groups(survey, definition)), ("strata", "groups")),
        (list(_sections(survey, definition)), ("sections",)),
        ([_item(survey, n, item) for n, item in enumerate(definition["items"], start=1)], ("items",)),
    ):
        for number, row in enumerate(rows):
            _require_storable(row, (*path, number))
        _replace(survey, {"items": Item, "sections": Section, "groups": Group}[path[-1]], rows)
    take_pictures(survey, definition)
    signing_keys.prepare(survey, selectors.next_number(survey))
    return record_revision(survey, before=before, by=by)


@transaction.atomic
def record_revision(survey: Survey, *, before: Definition | None = None, by: User | None = None) -> DraftRevision:
    """Record the present state of a draft, if it is new; `before` too, as the first of a draft without revisions."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    last, now, definition = survey.revisions.first(), timezone.now(), selectors.definition_of(survey)
    if last is None and before is not None:
        DraftRevision.objects.create(survey=survey, number=0, definition=before, saved_at=now)
    if last is not None and last.definition == definition:
        return last
    number = last.number + 1 if last else 1
    made = DraftRevision.objects.create(survey=survey, number=number, definition=definition, saved_at=now, saved_by=by)
    if made.number % KEPT_EACH == 0:
        _forget_older(survey)
    return made


def _forget_older(survey: Survey) -> None:
    """Delete revisions behind the newest ones: of those within ten minutes the last one is kept."""
    kept, gone, window = KEPT_EACH, list[int](), None
    for pk, saved_at in survey.revisions.values_list("pk", "saved_at")[KEPT_EACH:]:
        of = int(saved_at.timestamp() // TOGETHER.total_seconds())
        if of == window or kept == KEPT:
            gone.append(pk)
        else:
            kept, window = kept + 1, of
    survey.revisions.filter(pk__in=gone).delete()
    delete_unused(survey)


def _replace(survey: Survey, kind: Any, rows: list[Any]) -> None:
    """Make these the rows of their kind, each in the place of the one with its key where there is one."""
    there = {row.key: row for row in reversed(kind.objects.filter(survey=survey))}
    names = [field.attname for field in kind._meta.concrete_fields if not field.primary_key]
    new, changed, kept = list[Any](), list[Any](), list[int]()
    for row in rows:
        old = there.pop(row.key, None)
        if old is None:
            new.append(row)
            continue
        row.pk = old.pk
        kept.append(old.pk)
        if any(getattr(row, name) != getattr(old, name) for name in names):
            changed.append(row)
    kind.objects.filter(survey=survey).exclude(pk__in=kept).delete()
    kind.objects.bulk_create(new)
    if changed:
        kind.objects.bulk_update(changed, [name for name in names if name != "survey_id"])


def _groups(survey: Survey, definition: Definition) -> Iterable[Group]:
    for n, group in enumerate(definition["strata"]["groups"], start=1):
        yield Group(survey=survey, position=n, key=group["key"], label=group["label"], share=group["share"] or "")


def _sections(survey: Survey, definition: Definition) -> Iterable[Section]:
    for n, section in enumerate(definition.get("sections", []), start=1):
        yield Section(survey=survey, position=n, **section)


def _item(survey: Survey, position: int, item: ItemPart) -> Item:
    channel = item["channel"]
    fields = {name: item[name] for name in selectors.ITEM_FIELDS if name in item}  # type: ignore[literal-required]
    parameters = {PARAMETERS[name].column: value for name, value in channel.items() if name != "name"}
    # What a mechanism has no use for is left empty, the model's own example for the truth probability too.
    return Item(survey=survey, position=position, mechanism=channel["name"], **fields, **{"truth": "", **parameters})


def _require_storable(row: models.Model, path: Path) -> None:
    """Require what the row's columns can hold: the database would refuse it without a word of the field."""
    texts = {field.name for field in row._meta.fields if field.is_relation or isinstance(field, models.JSONField)}
    try:
        row.clean_fields(exclude=texts)
    except FieldError as error:
        name, (words, *_) = next(iter(error.message_dict.items()))
        value = getattr(row, name)
        raise ValidationError(
            (*path, name), gettext(": {problem}; got {value!r}").format(problem=words.rstrip("."), value=value)
        ) from None
