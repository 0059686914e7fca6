"""What changes surveys: writing them, opening, closing and revising them."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from collector import services as collector
from collector.designs import Design
from estimator import services as estimator
from estimator.models import Run
from surveys import definitions, lifecycle, pages, selectors
from surveys.coin import page as coin
from surveys.coin.sheet import render_sheet
from surveys.definitions import Definition
from surveys.lifecycle import NotAllowed
from surveys.models import Group, Item, Page, Section, Survey, Version
from surveys.reading import DefinitionError

CHANGED = (
    "The draft has changed since it was shown to be confirmed, so nothing was opened. Look at it as it is now and "
    "confirm it again."
)


@transaction.atomic
def write_survey(definition: Definition, *, owner: User, unfinished: bool = False) -> Survey:
    """Make a draft from a definition, or make an owned draft of that slug say what the definition says.

    One that is `unfinished` need not be fit to be opened, but must be a definition (`definitions.complete`).

    Raises
    ------
    DefinitionError
        Where the definition could not be opened as it is; nothing is written then.
    NotAllowed
        Where the survey of that slug is not a draft.
    """
    if not unfinished:
        definitions.design_of(definition, version=1)
    survey = Survey.objects.filter(slug=definition["slug"]).first() or Survey(slug=definition["slug"], owner=owner)
    if survey.owner != owner:
        raise DefinitionError(f"slug {survey.slug!r} is taken by another survey")
    lifecycle.require_draft(survey)
    survey.rehearsal = definition["rehearsal"]
    survey.languages = definition["languages"]
    survey.title, survey.introduction = definition["title"], definition["introduction"]
    survey.consent, survey.strata_wording = definition["consent"], definition["strata"]["wording"]
    survey.save()
    for parts in (survey.groups, survey.sections, survey.items):
        parts.all().delete()
    Group.objects.bulk_create(
        Group(survey=survey, position=n, key=group["key"], label=group["label"], share=group["share"] or "")
        for n, group in enumerate(definition["strata"]["groups"])
    )
    Section.objects.bulk_create(
        Section(survey=survey, position=n, **section) for n, section in enumerate(definition.get("sections", []))
    )
    Item.objects.bulk_create(_item(survey, n, item) for n, item in enumerate(definition["items"]))
    return survey


@transaction.atomic
def open_survey(survey: Survey, *, confirmed: str = "") -> Version:
    """Freeze the draft and let respondents answer it.

    Parameters
    ----------
    survey : Survey
        A draft.
    confirmed : str
        Digest of the design that somebody looked at and confirmed; a draft that says something else by now is not
        opened. Empty: nobody did.

    Raises
    ------
    NotAllowed
        Where the survey is not a draft, lacks something, or is not what was confirmed.
    """
    lifecycle.move(survey, "open")
    number = selectors.next_number(survey)
    design = definitions.design_of(selectors.definition_of(survey), version=number)
    if confirmed and confirmed != design.digest:
        raise NotAllowed(CHANGED)
    collector.freeze(design.document)
    version = Version.objects.create(survey=survey, number=number, design_id=design.digest)
    if not design.rehearsal:
        Page.objects.bulk_create(_pages(version, design))
    return version


@transaction.atomic
def close_survey(survey: Survey) -> Run:
    """Take no more reports, and ask for the final estimate."""
    lifecycle.move(survey, "close")
    version = survey.versions.get(closed_at=None)
    version.closed_at = timezone.now()
    version.save(update_fields=["closed_at"])
    collector.close(version.design_id)
    return estimator.request_run(version.design_id, trigger=Run.Trigger.CLOSING)


def archive_survey(survey: Survey) -> None:
    """Put a closed survey away. Nothing of it is deleted, and its link goes on saying that it is closed."""
    lifecycle.move(survey, "archive")


def restore_survey(survey: Survey) -> None:
    """Take a survey out of the archive: it is closed again."""
    lifecycle.move(survey, "restore")


def revise_survey(survey: Survey) -> None:
    """Turn a closed survey into a draft of its next version; the closed version keeps its reports and estimates."""
    lifecycle.move(survey, "revise")


@transaction.atomic
def duplicate_survey(survey: Survey, *, slug: str, rehearsal: bool | None = None) -> Survey:
    """A draft with the same texts and questions under another slug; its own draft of that slug is written anew."""
    definition = selectors.definition_of(survey) | {"slug": slug}
    if rehearsal is not None:
        definition["rehearsal"] = rehearsal
    return write_survey(definition, owner=survey.owner, unfinished=rehearsal is None)


def _pages(version: Version, design: Design) -> Iterator[Page]:
    """Every page on which the version is answered, in each of its languages."""
    document, text, digest = design.document, design.canonical.decode(), design.digest
    for language in document["languages"]:
        sheet = render_sheet(document, digest, language)
        coin_page = coin.render_page(document, digest, language, with_sheet=bool(sheet))
        page = pages.render_page(document, text, digest, language, with_coin=bool(coin_page))
        yield Page(version=version, language=language, kind=Page.Kind.ANSWER, content=page)
        if coin_page:
            yield Page(version=version, language=language, kind=Page.Kind.COIN, content=coin_page)
        if sheet:
            yield Page(version=version, language=language, kind=Page.Kind.SHEET, content=sheet)


def _item(survey: Survey, position: int, item: dict[str, Any]) -> Item:
    channel = item["channel"]
    said = {name: item[name] for name in selectors.ITEM_FIELDS if name in item}
    parameters = {name: value for name, value in channel.items() if name != "name"}
    # What a mechanism has no use for is left empty, the model's own example for the truth probability too.
    return Item(survey=survey, position=position, mechanism=channel["name"], **said, **{"truth": "", **parameters})
