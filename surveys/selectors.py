"""What is read of surveys."""

from typing import Any

from collector import selectors as reports
from surveys.definitions import Definition, DefinitionError, design_of
from surveys.models import Group, Item, Survey, Version


def definition_of(survey: Survey) -> Definition:
    """The survey as one plain document: what its YAML file says."""
    return {
        "slug": survey.slug,
        "rehearsal": survey.rehearsal,
        "languages": list(survey.languages),
        "title": survey.title,
        "introduction": survey.introduction,
        "consent": survey.consent,
        "strata": {
            "wording": survey.strata_wording,
            "groups": [_group(group) for group in survey.groups.all()],
        },
        "items": [item_of(item) for item in survey.items.all()],
    }


def what_is_missing(survey: Survey) -> str:
    """Why the draft cannot be opened, in words; empty where it can."""
    try:
        design_of(definition_of(survey), version=next_number(survey))
    except DefinitionError as error:
        return str(error)
    return ""


def next_number(survey: Survey) -> int:
    latest = survey.versions.first()
    return latest.number + 1 if latest else 1


def latest_version(survey: Survey) -> Version | None:
    """The version in the field, or the last that was."""
    return survey.versions.select_related("design").first()


def version_on_the_web(slug: str) -> Version | None:
    """The newest version that respondents may know of; None for drafts and rehearsals."""
    versions = Version.objects.select_related("survey", "design").filter(survey__slug=slug)
    latest = versions.exclude(survey__rehearsal=True).first()
    return latest if latest is None or latest.survey.state != Survey.State.DRAFT else None


def document_of(version: Version) -> dict[str, Any]:
    """The frozen design of a version."""
    return reports.get_design(version.design_id).document


def report_count(survey: Survey) -> int:
    """Reports stored for the version in the field."""
    version = latest_version(survey)
    return reports.report_count(version.design_id) if version else 0


def _group(group: Group) -> dict[str, object]:
    return {"key": group.key, "label": group.label, "share": group.share or None}


def item_of(item: Item) -> dict[str, Any]:
    """An item as the definition says it."""
    channel: dict[str, object] = {"name": item.mechanism}
    if item.mechanism == Item.Mechanism.CUSTOM:
        channel["weights"] = item.weights
    else:
        channel["truth"] = item.truth
    if item.mechanism == Item.Mechanism.FORCED_RESPONSE:
        channel["yes"] = item.yes or "1/2"
    return {
        "key": item.key,
        "kind": item.kind,
        "wording": item.wording,
        "choices": item.choices,
        "channel": channel,
    }
