"""Commands on surveys: writing, closing and revising. Opening is in `surveys.opening.services`."""

from itertools import count

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from collector.errors import Conflict, ValidationError
from collector.reports.services import discard_rehearsal
from estimator.models import Run
from estimator.reports import disclosures
from estimator.runs import services as estimator
from estimator.runs.selectors import last_run
from surveys.accounts import access
from surveys.accounts.access import Role, surveys_of
from surveys.accounts.audit_log import record_event
from surveys.definition import definitions
from surveys.definition.parts import SAME_PEOPLE, Definition
from surveys.lifecycle import closing, drafts, page_log, selectors, signing_keys, transitions
from surveys.lifecycle.linked_surveys import link
from surveys.lifecycle.pictures import definition_with_pictures
from surveys.models import Item, Survey, Team, Version


@transaction.atomic
def write_survey(definition: Definition, *, team: Team, by: User | None = None, unfinished: bool = False) -> Survey:
    """Create a draft from a definition, or replace the content of the team's draft with that slug.

    Here as in every service `by` is who does it, for the log: None where the command line or the schedule does.

    One that is `unfinished` need not be fit to be opened, but must be a definition (`definitions.complete`).

    Raises
    ------
    ValidationError
        Where the definition could not be opened as it is; nothing is written then.
    Conflict
        Where the survey of that slug is not a draft.
    """
    if not unfinished:
        definitions.design_of(definition, version=1)
    survey = Survey.objects.filter(slug=definition["slug"]).first() or Survey(slug=definition["slug"], team=team)
    if survey.team != team:
        raise ValidationError(("slug",), gettext("{slug!r} is used by another survey").format(slug=survey.slug))
    transitions.require_draft(survey)
    linked = _survey_for_same_people(definition, by)
    drafts.store(survey, definition, before=selectors.definition_of(survey) if survey.pk else None, by=by)
    if linked:
        link(linked, survey)
    detail = f"{len(definition['items'])} questions, from a definition"
    if linked:
        detail += f", for the same people as {linked.slug}"
    record_event(by, "created", survey=survey, detail=detail)
    return survey


@transaction.atomic
def close_survey(survey: Survey, *, by: User | None = None, by_a_restore: bool = False) -> Run:
    """Stop accepting responses for good, at once, and request the final estimate; also where it could be undone still.

    One closed by a restore can reopen. Closing that can be undone for an hour is in `surveys.lifecycle.closing`.
    """
    if selectors.version_closing(Survey.objects.select_for_update().get(pk=survey.pk)):
        return closing.finish_closing(survey, by=by, by_a_restore=by_a_restore)
    now = timezone.now()
    transitions.move(survey, "close", at=now)
    version = survey.versions.get(closed_at=None)
    version.closed_at = now
    version.save(update_fields=["closed_at"])
    page_log.record(version)
    detail = f"version {version.number}{closing.BY_A_RESTORE if by_a_restore else ''}"
    record_event(by, "closed", survey=survey, detail=detail)
    return closing.finish(survey, version, by_a_restore=by_a_restore)


@transaction.atomic
def archive_survey(survey: Survey, *, by: User | None = None) -> None:
    """Archive a closed survey. Nothing is deleted, and its link still says that it is closed."""
    transitions.move(survey, "archive")
    record_event(by, "archived", survey=survey)


@transaction.atomic
def restore_survey(survey: Survey, *, by: User | None = None) -> None:
    """Restore a survey from the archive: it is closed again."""
    transitions.move(survey, "restore")
    record_event(by, "restored", survey=survey)


@transaction.atomic
def delete_survey(survey: Survey, *, by: User | None = None) -> None:
    """Delete a survey that was never opened, with its rehearsals.

    Raises Conflict where it was opened: the rest belongs to its respondents' reports.
    """
    if survey.versions.exists():
        raise Conflict(
            gettext("{slug} was opened, so it cannot be deleted; a closed survey can be archived.").format(
                slug=survey.slug
            )
        )
    record_event(by, "deleted", survey=survey)
    rehearsed = list(survey.rehearsals.values_list("design", flat=True))
    survey.delete()
    disclosures.delete(survey.slug)  # the next survey of this name is another one
    for digest in rehearsed:
        delete_rehearsal_reports(digest)


@transaction.atomic
def delete_rehearsal_reports(digest: str) -> None:
    """Delete the design of a deleted rehearsal, with its runs."""
    estimator.delete_rehearsal(digest)
    discard_rehearsal(digest)


@transaction.atomic
def embed_survey(survey: Survey, origins: list[str], *, by: User | None = None) -> None:
    """Allow these sites, and no others, to embed the respondents' page; none if the list is empty."""
    Survey.objects.filter(pk=survey.pk).update(embedded_in=origins)
    record_event(by, "changed embedding", survey=survey, detail=", ".join(origins) or "none")


@transaction.atomic
def show_results(survey: Survey, *, shown: bool, by: User | None = None) -> None:
    """Set whether the survey's link shows the final estimates to respondents after closing."""
    Survey.objects.filter(pk=survey.pk).update(results_shown=shown)
    record_event(by, "enabled the results page" if shown else "disabled the results page", survey=survey)


@transaction.atomic
def revise_survey(survey: Survey, *, by: User | None = None) -> None:
    """Turn a closed survey into a draft of its next version; the closed one retains responses and estimates."""
    transitions.move(survey, "revise")
    signing_keys.prepare(survey, selectors.next_number(survey))
    record_event(by, "revised", survey=survey, detail=f"a draft of version {selectors.next_number(survey)}")


@transaction.atomic
def request_estimate(survey: Survey, *, by: User | None = None) -> Run:
    """Request an estimate of the newest version.

    Raises Conflict where the survey was never opened, or an estimate is on its way.
    """
    version = selectors.latest_version(survey)
    if version is None:
        raise Conflict(gettext("There are no responses to estimate from: this survey was never opened."))
    last = last_run(version.design_id)
    if last is not None and last.state in (Run.State.QUEUED, Run.State.RUNNING):
        raise Conflict(gettext("An estimate is already being computed."))
    run = estimator.request_run(version.design_id)
    record_event(by, "requested an estimate", survey=survey, detail=f"version {version.number}, run {run.key}")
    return run


@transaction.atomic
def publish_run(run: Run, *, published: bool, by: User | None = None) -> Survey:
    """Publish a run's report to anybody with the link, or unpublish it; returns the survey.

    Raises Conflict where the run is not done, or belongs to a rehearsal.
    """
    if run.state != Run.State.DONE:
        raise Conflict(gettext("This run has no estimates to publish."))
    if not Version.objects.filter(design=run.design_id).exists():
        raise Conflict(
            gettext("This run belongs to a rehearsal and stays in the panel: its respondents are simulated.")
        )
    estimator.publish(run, published=published)
    survey = access.survey_of(run)
    record_event(
        by, "published a report" if published else "unpublished a report", survey=survey, detail=f"run {run.key}"
    )
    return survey


@transaction.atomic
def duplicate_survey(
    survey: Survey,
    *,
    slug: str,
    same_people: bool = True,
    rehearsal: bool | None = None,
    team: Team | None = None,
    by: User | None = None,
) -> Survey:
    """Create a draft with the same content and another slug; overwrites the team's draft with that slug.

    `same_people` says whether it asks whom the survey asks, so that what they spent in one counts in the other; that
    nobody is asked by both is written down with who said so.
    """
    definition = definition_with_pictures(survey, selectors.definition_of(survey)) | {"slug": slug}
    if rehearsal is not None:
        definition["rehearsal"] = rehearsal
    record_event(
        by, "duplicated", survey=survey, detail=f"as {slug}, for {'the same' if same_people else 'other'} people"
    )
    copy = write_survey(definition, team=team or survey.team, by=by, unfinished=rehearsal is None)
    record_event(
        by,
        "changed the respondents",
        survey=copy,
        detail=f"a copy of {survey.slug}, for {'the same' if same_people else 'other'} people",
    )
    if same_people:
        link(survey, copy)
    return copy


@transaction.atomic
def duplicate_item(item: Item, *, by: User | None = None) -> Item:
    """Insert a copy of a draft's question directly after it, with a new key."""
    transitions.require_draft(item.survey)
    items = list(Item.objects.filter(survey=item.survey))
    fields = {field.attname: getattr(item, field.attname) for field in Item._meta.fields if not field.primary_key}
    begin, taken = item.key[: selectors.LONGEST_BEGINNING], {one.key for one in items}
    key = next(key for key in (f"{begin}_{number}" for number in count(2)) if key not in taken)
    copy = Item(**fields | {"key": key})
    items.insert(items.index(item) + 1, copy)
    for position, one in enumerate(items, start=1):
        one.position = position
    copy.save()
    Item.objects.bulk_update(items, ["position"])
    drafts.record_revision(item.survey, by=by)
    return copy


def _survey_for_same_people(definition: Definition, by: User | None) -> Survey | None:
    """The survey that a definition names as one of the same respondents; None if none, or itself."""
    named = definition.get(SAME_PEOPLE)
    if not named or named == definition["slug"]:
        return None
    found = (surveys_of(by, Role.EDITOR) if by else Survey.objects.all()).filter(slug=str(named)[:64]).first()
    if found is None:
        raise ValidationError(
            (SAME_PEOPLE,),
            gettext(
                "must name a survey of this installation that you can edit; got {named!r}. Leave it "
                "out if other people are asked"
            ).format(named=named),
        )
    return found
