"""What surveys, designs and teams look like in answers: how they are told, and how the document describes it."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import OuterRef, Subquery
from rest_framework import serializers

from collector.designs import Design
from collector.reports import selectors as reports
from collector.reports.steps import STEP
from surveys.definition.ceilings import excesses
from surveys.definition.text_warnings import text_warnings
from surveys.lifecycle import links, selectors, transitions
from surveys.models import Membership, Role, Survey, Version
from surveys.panel.frame import takes_answers
from surveys.planning.group_warnings import expected_reports, opening_warnings

Told = dict[str, Any]

IN_STEPS = f"while the survey is open, those that are counted: in steps of {STEP} of each group, one step behind"


class TeamSerializer(serializers.Serializer[Any]):
    """A team that one is in."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=[role.label for role in Role], help_text="yours")


class SurveySerializer(serializers.Serializer[Any]):
    """A survey and where it stands."""

    slug = serializers.CharField()
    title = serializers.DictField(child=serializers.CharField(allow_blank=True), help_text="by language code")
    state = serializers.ChoiceField(choices=Survey.State.choices)
    rehearsal = serializers.BooleanField(help_text="whether it is a rehearsal as a whole")
    languages = serializers.ListField(child=serializers.CharField())
    team = TeamSerializer()
    created_at = serializers.DateTimeField()
    version = serializers.IntegerField(allow_null=True, help_text="the newest that was opened")
    design = serializers.CharField(allow_null=True, help_text="digest of that version")
    reports = serializers.IntegerField(help_text=f"of that version; {IN_STEPS}")
    link = serializers.CharField(allow_blank=True, help_text="for respondents, where they can answer")


class MoveSerializer(serializers.Serializer[Any]):
    """A change of state that can be made from here."""

    name = serializers.CharField()
    meaning = serializers.CharField()
    role = serializers.ChoiceField(choices=[role.label for role in Role], help_text="that it takes")
    missing = serializers.CharField(allow_blank=True, help_text="what still keeps it from this")


class WholeSurveySerializer(SurveySerializer):
    """A survey, where it stands, and where it can go."""

    moves = MoveSerializer(many=True)


class OpenedSerializer(WholeSurveySerializer):
    """A survey that was opened, or will open at its time."""

    warnings = serializers.ListField(child=serializers.CharField(), help_text="those of next-design, for the cap")


class NextDesignSerializer(serializers.Serializer[Any]):
    """What opening would freeze: look at it, and confirm it by its digest."""

    version = serializers.IntegerField()
    digest = serializers.CharField()
    design = serializers.JSONField(help_text="see docs/formats.md")
    above = serializers.ListField(
        child=serializers.CharField(), help_text="what is above a ceiling of epsilon: then opening takes a reason"
    )
    warnings = serializers.ListField(child=serializers.CharField(), help_text="what to think of before it opens")


class VersionSerializer(serializers.Serializer[Any]):
    """One opening of a survey."""

    version = serializers.IntegerField()
    digest = serializers.CharField()
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    purged_at = serializers.DateTimeField(allow_null=True, help_text="when the last of its reports was deleted")
    reports = serializers.IntegerField(help_text=IN_STEPS)


def tell_surveys(user: User, surveys: Sequence[Survey]) -> list[Told]:
    """Surveys of this person, in as many queries for many as for one."""
    newest = Version.objects.filter(survey=OuterRef("survey")).order_by("-number").values("pk")[:1]
    found = Version.objects.filter(survey__in=list(surveys), pk=Subquery(newest)).select_related("survey")
    versions = {version.survey_id: version for version in found}
    counts = reports.report_counts([version.design_id for version in versions.values()])
    held = dict(Membership.objects.filter(user=user).values_list("team", "role"))
    told = []
    for survey in surveys:
        version = versions.get(survey.pk)
        role = Role.OWNER if user.is_superuser else Role(held[survey.team_id])
        told.append(
            {
                "slug": survey.slug,
                "title": survey.title,
                "state": survey.state,
                "rehearsal": survey.rehearsal,
                "languages": survey.languages,
                "team": {"id": survey.team_id, "name": survey.team.name, "role": role.label},
                "created_at": survey.created_at,
                "version": version.number if version else None,
                "design": version.design_id if version else None,
                "reports": counts[version.design_id].stored if version else 0,
                "link": links.respondent_link(version) if version and takes_answers(survey) else "",
            }
        )
    return told


def tell_survey(user: User, survey: Survey) -> Told:
    """One survey, with the moves that it can make."""
    moves = [
        {"name": name, "meaning": move.meaning, "role": move.role.label, "missing": move.missing(survey)}
        for name, move in transitions.moves_from(survey.state).items()
    ]
    return tell_surveys(user, [survey])[0] | {"moves": moves}


def tell_versions(versions: Sequence[Version]) -> list[Told]:
    counts = reports.report_counts([version.design_id for version in versions])
    return [
        {
            "version": version.number,
            "digest": version.design_id,
            "opened_at": version.opened_at,
            "closed_at": version.closed_at,
            "purged_at": version.purged_at,
            "reports": counts[version.design_id].stored,
        }
        for version in versions
    ]


def to_open(survey: Survey) -> tuple[Design, int]:
    """What opening a draft, or opening a closed survey again, would freeze, and its number.

    Raises as `lifecycle.require_draft` and `definitions.design_of` do.
    """
    if survey.state == Survey.State.CLOSED:
        return selectors.wave_to_open(survey)
    transitions.require_draft(survey)
    return selectors.design_to_open(survey)


def next_design(survey: Survey) -> Told:
    """What `to_open` gives, with what to think of before."""
    design, number = to_open(survey)
    return {
        "version": number,
        "digest": design.digest,
        "design": design.document,
        "above": [one.in_words for one in excesses(design)],
        "warnings": warnings_of(design, survey, expected_reports(survey)),
    }


def warnings_of(design: Design, survey: Survey, expected: int) -> list[str]:
    """What to think of before a design opens: groups of few among so many reports, and doubtful words."""
    return [*opening_warnings(design, survey, expected), *(one.in_words for one in text_warnings(design.document))]
