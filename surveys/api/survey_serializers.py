"""Surveys, designs and teams as plain data, and the serializers that document them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
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
from surveys.models import Membership, Role, Survey, Team, Version
from surveys.planning.checklist import checklist, missing_from
from surveys.planning.group_warnings import expected_reports, opening_warnings

IN_STEPS = f"while the survey is open, those that are counted: in steps of {STEP} of each group, one step behind"


@dataclass(frozen=True)
class TeamRole:
    """A team, and what somebody is in it."""

    team: Team
    role: Role


@dataclass(frozen=True)
class SurveyState:
    """A survey of one of the user's teams, with its newest version and the number of its responses."""

    survey: Survey
    team: TeamRole
    version: Version | None
    reports: int
    warnings: Sequence[str] = ()

    @property
    def link(self) -> str:
        """For respondents, where they can answer."""
        return links.respondent_link(self.version) if self.version and selectors.takes_answers(self.survey) else ""

    @property
    def undo_until(self) -> datetime | None:
        """Until when its closing can be undone."""
        version = selectors.version_closing(self.survey)
        return selectors.final_time(version) if version else None

    @property
    def moves(self) -> list[dict[str, str]]:
        """The changes of state that can be made from here."""
        return [
            {"name": name, "meaning": str(move.meaning), "role": move.role.label, "missing": move.missing(self.survey)}
            for name, move in transitions.moves_from(self.survey.state).items()
        ]


@dataclass(frozen=True)
class CountedVersion:
    version: Version
    reports: int


@dataclass(frozen=True)
class NextDesign:
    """What opening would freeze, what of it is above a ceiling, and what to think of before."""

    version: int
    design: Design
    above: list[str]
    warnings: list[str]
    missing: list[str]


class TeamSerializer(serializers.Serializer[Any]):
    """A team that one is in."""

    id = serializers.IntegerField(source="team.pk")
    name = serializers.CharField(source="team.name")
    role = serializers.ChoiceField(choices=[role.label for role in Role], source="role.label", help_text="yours")


class SurveySerializer(serializers.Serializer[Any]):
    """A survey and where it stands."""

    slug = serializers.CharField(source="survey.slug")
    title = serializers.DictField(
        child=serializers.CharField(allow_blank=True), source="survey.title", help_text="by language code"
    )
    state = serializers.ChoiceField(choices=Survey.State.choices, source="survey.state")
    rehearsal = serializers.BooleanField(source="survey.rehearsal", help_text="whether it is a rehearsal as a whole")
    languages = serializers.ListField(child=serializers.CharField(), source="survey.languages")
    team = TeamSerializer()
    created_at = serializers.DateTimeField(source="survey.created_at")
    version = serializers.IntegerField(allow_null=True, source="version.number", help_text="the newest that was opened")
    design = serializers.CharField(allow_null=True, source="version.design_id", help_text="digest of that version")
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
    undo_until = serializers.DateTimeField(
        allow_null=True, help_text="until when its closing can be undone; null where it is final, or not closed"
    )


class OpenedSerializer(WholeSurveySerializer):
    """A survey that was opened, or will open at its time."""

    warnings = serializers.ListField(child=serializers.CharField(), help_text="those of next-design, for the cap")


class NextDesignSerializer(serializers.Serializer[Any]):
    """What opening would freeze: look at it, and confirm it by its digest."""

    version = serializers.IntegerField()
    digest = serializers.CharField(source="design.digest")
    design = serializers.JSONField(source="design.document", help_text="see docs/reference/formats.md")
    above = serializers.ListField(
        child=serializers.CharField(), help_text="what is above a ceiling of epsilon: then opening takes a reason"
    )
    warnings = serializers.ListField(child=serializers.CharField(), help_text="what to think of before it opens")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="what of the checklist is missing; it keeps nothing from opening"
    )


class VersionSerializer(serializers.Serializer[Any]):
    """One opening of a survey."""

    version = serializers.IntegerField(source="version.number")
    digest = serializers.CharField(source="version.design_id")
    opened_at = serializers.DateTimeField(source="version.opened_at")
    closed_at = serializers.DateTimeField(allow_null=True, source="version.closed_at")
    purged_at = serializers.DateTimeField(
        allow_null=True, source="version.purged_at", help_text="when the last of its responses was deleted"
    )
    reports = serializers.IntegerField(help_text=IN_STEPS)


def states_of(user: User, surveys: Sequence[Survey]) -> list[SurveyState]:
    """How surveys of this person stand, in as many queries for many as for one."""
    newest = Version.objects.filter(survey=OuterRef("survey")).order_by("-number").values("pk")[:1]
    found = Version.objects.filter(survey__in=list(surveys), pk=Subquery(newest)).select_related("survey")
    versions = {version.survey_id: version for version in found}
    counts = reports.report_counts([version.design_id for version in versions.values()])
    held = dict(Membership.objects.filter(user=user).values_list("team", "role"))
    states = []
    for survey in surveys:
        version = versions.get(survey.pk)
        role = Role.OWNER if user.is_superuser else Role(held[survey.team_id])
        count = counts[version.design_id].stored if version else 0
        states.append(SurveyState(survey, TeamRole(survey.team, role), version, count))
    return states


def state_of(user: User, survey: Survey, warnings: Sequence[str] = ()) -> SurveyState:
    """How one survey stands; `warnings` of its opening."""
    return replace(states_of(user, [survey])[0], warnings=tuple(warnings))


def counted(versions: Sequence[Version]) -> list[CountedVersion]:
    """Versions with their numbers of responses."""
    counts = reports.report_counts([version.design_id for version in versions])
    return [CountedVersion(version, counts[version.design_id].stored) for version in versions]


def next_design(survey: Survey) -> NextDesign:
    """What opening a draft, or opening a closed survey again, would freeze.

    Raises as `lifecycle.require_draft` and `definitions.design_of` do.
    """
    expected, missing = expected_reports(survey), list[str]()
    if survey.state == Survey.State.CLOSED:
        design, number = selectors.wave_to_open(survey)
    else:
        transitions.require_draft(survey)
        design, number = selectors.design_to_open(survey)
        missing = missing_from(checklist(survey, design, expected))
    above = [one.in_words for one in excesses(design)]
    return NextDesign(number, design, above, warnings_of(design, survey, expected), missing)


def warnings_of(design: Design, survey: Survey, expected: int) -> list[str]:
    """Warnings before a design opens: groups too small for the expected responses, and doubtful words."""
    return [*opening_warnings(design, survey, expected), *(one.in_words for one in text_warnings(design))]
