"""Queries of surveys."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_lazy

from collector.designs import ABOUT, Design
from collector.designs.selectors import get_design
from collector.errors import Path, ValidationError
from collector.reports import selectors as reports
from estimator.base.mechanisms import REGISTRY
from estimator.models import Run
from estimator.runs.results import NOTHING_KNOWN, ReportContext
from surveys.accounts.access import surveys_of_runs
from surveys.definition.definitions import OpeningOptions, design_of, next_wave_design
from surveys.definition.parts import BUDGET, Definition, ItemPart
from surveys.definition.privacy_budget import spent
from surveys.lifecycle import appearance, signing_keys
from surveys.lifecycle.linked_surveys import spent_elsewhere
from surveys.lifecycle.pictures import definition_with_pictures
from surveys.lifecycle.waves import spending, waves_of
from surveys.models import Group, Item, Page, Section, Survey, Version
from surveys.times import moment

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


LONGEST_BEGINNING = 56
"""Maximum length of a slug to which a number is appended."""

UNDOABLE = timedelta(hours=1)
"""How long a closing can be undone, unless it is made final sooner."""

ALWAYS = ("key", "kind", "wording", "choices")
KEPT_PLAIN: Mapping[str, object] = {
    "consent_statements": [], "screening": {}, "background_questions": {}, "invitations": "", "repeats": "fresh",
    "participation": "", BUDGET: "",
}  # fmt: skip
"""Optional settings of a definition, with the row's value for those that it leaves out."""

LABELS: dict[Path, "StrOrPromise"] = {
    ("strata", "groups"): gettext_lazy("Groups"),
    ("participation", "epsilon"): gettext_lazy("Hide exact group sizes (epsilon)"),
}
"""Paths in a definition whose fields have other names in the form."""

ITEM_FIELDS: dict[str, object] = {
    **dict.fromkeys(ALWAYS),
    "minimum": "",
    "maximum": "",
    "step": "",
    "prefer_not": {},
    "required": True,
    "shuffle": False,
    "keep_last": False,
    "dropdown": False,
    "heading": {},
    "most": None,
    "section": "",
    "before": {},
    "choice_pictures": [],
    "help_after": False,
    "sensitivity": "",
    "known_share": "",
    "asked_if": None,
    "unasked": None,
}
"""Fields of an item besides its channel, with the row's value for those left out."""


@dataclass(frozen=True)
class PublishedVersion:
    """A version visible to respondents, in one of its languages."""

    version: Version
    design: Design
    language: str

    @property
    def closed(self) -> bool:
        return self.version.closed_at is not None

    def page(self, kind: Page.Kind) -> bytes | None:
        """The page as rendered when the survey opened; None if there is none of that kind."""
        found = self.version.pages.filter(language=self.language, kind=kind).values_list("content", flat=True).first()
        return None if found is None else bytes(found)


def definition_of(survey: Survey) -> Definition:
    """The survey as one plain document, as in its YAML file."""
    return definition_from(survey, survey.groups.all(), survey.sections.all(), survey.items.all())


def exported(survey: Survey) -> Definition:
    """The definition for export: imported under another name, it continues the survey's privacy budget."""
    definition: Definition = {"slug": survey.slug, "same_people_as": survey.slug, **definition_of(survey)}
    return definition_with_pictures(survey, definition)


def definition_from(
    survey: Survey, groups: Iterable[Group], sections: Iterable[Section], items: Iterable[Item]
) -> Definition:
    """The definition of a survey with these parts, saved or not."""
    titled = [
        {name: getattr(section, name) for name in ("key", "title", "introduction")}
        | ({"help_after": True} if section.help_after else {})
        for section in sections
    ]
    about = {name: text for name in ABOUT if any((text := getattr(survey, name)).values())}
    divided = [{"key": group.key, "label": group.label, "share": group.share or None} for group in groups]
    definition = {
        "slug": survey.slug,
        "rehearsal": survey.rehearsal,
        "languages": list(survey.languages),
        "title": survey.title,
        "introduction": survey.introduction,
        "consent": survey.consent,
        **({"about": about} if about else {}),
        **appearance.parts_of(survey),
        "strata": {"wording": survey.strata_wording, "groups": divided},
        **{name: value for name in KEPT_PLAIN if (value := getattr(survey, name)) != KEPT_PLAIN[name]},
        **({"sections": titled} if titled else {}),
        "items": [item_of(item) for item in items],
    }
    return cast("Definition", definition)


def error_of_draft(survey: Survey) -> ValidationError | None:
    """The first error that prevents opening the draft; None if it can be opened."""
    try:
        design_to_open(survey)
    except ValidationError as error:
        return error
    return None


def opening_fault(survey: Survey) -> str:
    """The reason why the draft cannot be opened; empty if it can."""
    error = error_of_draft(survey)
    return describe_fault(error) if error else ""


def next_wave_fault(survey: Survey) -> str:
    """The reason why a survey cannot be opened as its next wave, now or once it is closed; empty if it can."""
    if fault := closing_fault(survey):
        return fault
    try:
        wave_to_open(survey)
    except ValidationError as error:
        return str(error)
    return ""


def design_to_open(survey: Survey) -> tuple[Design, int]:
    """The design that opening the draft would freeze now, with its version. Raises as `design_of` does."""
    number = next_number(survey)
    return design_of(definition_of(survey), version=number, opening=opening_of(survey)), number


def wave_to_open(survey: Survey) -> tuple[Design, int]:
    """The design of the next wave, with the questions of the last version, and its number.

    Raises ValidationError where a person could have spent more than the ceiling after it, or nothing was opened before.
    """
    last = latest_version(survey)
    if last is None:
        raise ValidationError((), gettext("{slug} was never opened, so it has no next wave").format(slug=survey.slug))
    number = last.number + 1
    return next_wave_design(get_design(last.design_id), version=number, opening=opening_of(survey)), number


def opening_of(survey: Survey) -> OpeningOptions:
    """The installation's part of the next design: the privacy loss possible so far, and a signing key."""
    before = spent(spending(waves_of(survey))).plus(spent_elsewhere(survey)).most
    return OpeningOptions(modulus=signing_keys.modulus_for(survey, next_number(survey)), spent=before)


def describe_fault(error: ValidationError) -> str:
    """A definition's error as text for its author, with the names that the fields have in the form."""
    label = LABELS.get(error.path[:2])
    return error.sentence((str(label), *error.path[2:])) if label else str(error)


def takes_answers(survey: Survey) -> bool:
    """Whether there is somebody to share its link with."""
    return survey.state == Survey.State.OPEN and not survey.rehearsal


def free_slug(name: str) -> str:
    """An unused slug: this one, or this one with a number appended."""
    taken = set(Survey.objects.filter(slug__startswith=name[:LONGEST_BEGINNING]).values_list("slug", flat=True))
    if name not in taken:
        return name
    beginning = name[:LONGEST_BEGINNING].rstrip("-")
    return next(slug for slug in (f"{beginning}-{number}" for number in count(2)) if slug not in taken)


def slug_from(title: str) -> str:
    """An unused slug made from a title."""
    return free_slug(slugify(title)[:LONGEST_BEGINNING].strip("-_") or "survey")


def language_names(codes: Iterable[str]) -> list[str]:
    """Native names of languages; the code of one that is not supported."""
    known = dict(settings.LANGUAGES)
    return [str(known.get(code, code)) for code in codes]


def direction_of(code: str) -> str:
    return "rtl" if code.split("-")[0] in settings.LANGUAGES_BIDI else "ltr"


def next_number(survey: Survey) -> int:
    latest = survey.versions.first()
    return latest.number + 1 if latest else 1


def latest_version(survey: Survey) -> Version | None:
    """The open version, or the last one that was open."""
    return survey.versions.select_related("design").first()


def version_closing(survey: Survey) -> Version | None:
    """The version of a closed survey whose closing can still be undone; None if it is final, or there is none."""
    version = latest_version(survey) if survey.state == Survey.State.CLOSED else None
    return version if version is not None and version.closed_at and version.design.final_on is None else None


def final_time(version: Version) -> datetime:
    """When the closing of a closed version is made final by itself."""
    assert version.closed_at is not None
    return version.closed_at + UNDOABLE


def closing_fault(survey: Survey) -> str:
    """The reason why what follows closing has to wait: it could be undone still; empty if it need not."""
    version = version_closing(survey)
    if version is None:
        return ""
    return gettext("Its closing can be undone until {moment}; wait until then, or make it final first.").format(
        moment=moment(final_time(version))
    )


def version_on_the_web(slug: str) -> Version | None:
    """The newest version that was opened for respondents; None if there is none, and for rehearsals.

    Once it is closed its link goes on saying so, also while the next version is a draft: people kept the link.
    """
    versions = Version.objects.select_related("survey", "design").filter(survey__slug=slug)
    return versions.exclude(survey__rehearsal=True).first()


def published_version(slug: str, language: str) -> PublishedVersion | None:
    """The newest opened version in that language, by default the survey's; None if there is none."""
    version = version_on_the_web(slug)
    if version is None:
        return None
    design = get_design(version.design_id)
    language = language or design.language
    return PublishedVersion(version, design, language) if language in design.languages else None


def page_digests(versions: Iterable[Version]) -> dict[int, dict[str, str]]:
    """SHA-256 of the respondent's page as published, by key of the version and language."""
    found: dict[int, dict[str, str]] = {}
    pages = Page.objects.filter(version__in=list(versions), kind=Page.Kind.ANSWER)
    for version, language, digest in pages.values_list("version", "language", "digest"):
        found.setdefault(version, {})[language] = digest
    return found


def sheet_languages(version: Version) -> list[str]:
    """The languages in which the version has a paper sheet, the default first."""
    return list(version.pages.filter(kind=Page.Kind.SHEET).values_list("language", flat=True))


def has_coin_page(version: Version) -> bool:
    return version.pages.filter(kind=Page.Kind.COIN).exists()


def final_run(version: Version) -> Run | None:
    """The finished run that the latest closing of the version requested; None if there is none."""
    closing = Run.objects.filter(design=version.design_id, trigger=Run.Trigger.CLOSING, state=Run.State.DONE)
    return closing.order_by("pk").last()


def report_context(run: Run) -> ReportContext:
    """The survey's present details for the reports of a run; NOTHING_KNOWN for a run without a survey."""
    survey = surveys_of_runs(run.design_id).first()
    if survey is None:
        return NOTHING_KNOWN
    opened = survey.versions.filter(design__rehearsal=False).order_by("number")
    return ReportContext(survey.purge_after, tuple(opened.values_list("design", flat=True)))


def report_count(survey: Survey) -> int:
    """Responses to the latest version; while it is open, in the steps of `collector.reports.steps`."""
    version = latest_version(survey)
    return reports.report_count(version.design_id) if version else 0


def received_count(survey: Survey) -> int:
    """Responses stored for the latest version, exactly; for closing at a number, and never to be shown."""
    version = latest_version(survey)
    return reports.received_count(version.design_id) if version else 0


def item_of(item: Item) -> ItemPart:
    """An item in the definition's form."""
    fields = {name: getattr(item, name) for name in ITEM_FIELDS}
    fields = {name: value for name, value in fields.items() if name in ALWAYS or value != ITEM_FIELDS[name]}
    entry = REGISTRY[item.mechanism]
    parameters = {parameter.name: getattr(item, parameter.column) for parameter in entry.parameters}
    channel = entry.defaults | {name: value for name, value in parameters.items() if value not in ("", None)}
    return cast("ItemPart", fields | {"channel": {"name": item.mechanism, **channel}})
