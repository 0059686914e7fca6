"""Transitions of a survey's life cycle, each by a POST: the same services as the panel's buttons."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from collector.designs.selectors import get_design
from collector.errors import Conflict
from estimator.serializers import RunSerializer
from surveys.accounts.access import Role, get_survey_or_404
from surveys.api.base import View, serialized, user_of
from surveys.api.openapi import change
from surveys.api.problems import Problem, error
from surveys.api.requests import DuplicateBody, NothingBody, OpeningBody, read_body
from surveys.api.survey_serializers import (
    OpenedSerializer,
    WholeSurveySerializer,
    next_design,
    state_of,
    warnings_of,
)
from surveys.api.surveys import team_of
from surveys.lifecycle import services
from surveys.lifecycle.transitions import MOVES
from surveys.models import Survey, Version
from surveys.opening import schedules
from surveys.opening.schedules import OpeningPlan
from surveys.planning.group_warnings import expected_reports


class ClosedSerializer(serializers.Serializer[Any]):
    """The survey, and the run of the final estimate."""

    survey = WholeSurveySerializer()
    run = RunSerializer()


class Act(View):
    """An address that is asked to do something with a survey."""

    def survey(self, request: Request, slug: str, role: Role) -> Survey:
        return get_survey_or_404(request.user, slug, role)

    def told(self, request: Request, survey: Survey, status: int = 200) -> Response:
        survey.refresh_from_db()
        return serialized(WholeSurveySerializer, state_of(user_of(request), survey), status=status)

    def opened(self, request: Request, survey: Survey, version: Version | None, expected: int) -> Response:
        """What was opened, or will open at its time, with what is warned of it."""
        survey.refresh_from_db()
        design = get_design(version.design_id) if version else next_design(survey).design
        state = state_of(user_of(request), survey, warnings_of(design, survey, expected))
        return serialized(OpenedSerializer, state)


class OpenView(Act):
    """Freezes the design for ever and lets respondents answer, now or at a time."""

    @change("Open a survey", OpenedSerializer, body=OpeningBody, said="It is open, or opens at its time.")
    def post(self, request: Request, slug: str) -> Response:
        survey = self.survey(request, slug, MOVES["open"].role)
        terms, confirmed = terms_of(request)
        expected = terms.cap or expected_reports(survey)
        version = schedules.open_on(survey, terms, **confirmed, by=user_of(request))
        return self.opened(request, survey, version, expected)


class WaveView(Act):
    """Asks a closed survey's questions once more, as its next wave, now or at a time."""

    @change("Open a survey again", OpenedSerializer, body=OpeningBody, said="It is open, or opens at its time.")
    def post(self, request: Request, slug: str) -> Response:
        survey = self.survey(request, slug, MOVES["wave"].role)
        terms, confirmed = terms_of(request)
        expected = terms.cap or expected_reports(survey)
        version = schedules.open_again_on(survey, terms, **confirmed, by=user_of(request))
        return self.opened(request, survey, version, expected)


class CloseView(Act):
    """Takes no more reports, and asks for the final estimate."""

    @change("Close a survey", ClosedSerializer, body=NothingBody)
    def post(self, request: Request, slug: str) -> Response:
        survey = self.survey(request, slug, MOVES["close"].role)
        read_body(NothingBody, request)
        run = services.close_survey(survey, by=user_of(request))
        return serialized(ClosedSerializer, {"survey": state_of(user_of(request), survey), "run": run})


class ReviseView(Act):
    """Makes a draft of the next version; what was collected stays as it is."""

    @change("Revise a closed survey", WholeSurveySerializer, body=NothingBody)
    def post(self, request: Request, slug: str) -> Response:
        survey = self.survey(request, slug, MOVES["revise"].role)
        read_body(NothingBody, request)
        services.revise_survey(survey, by=user_of(request))
        return self.told(request, survey)


class ArchiveView(Act):
    """Puts a closed survey away. Nothing of it is deleted."""

    @change("Archive a survey", WholeSurveySerializer, body=NothingBody)
    def post(self, request: Request, slug: str) -> Response:
        survey = self.survey(request, slug, MOVES["archive"].role)
        read_body(NothingBody, request)
        services.archive_survey(survey, by=user_of(request))
        return self.told(request, survey)


class RestoreView(Act):
    """Takes a survey out of the archive; it is closed again."""

    @change("Take a survey out of the archive", WholeSurveySerializer, body=NothingBody)
    def post(self, request: Request, slug: str) -> Response:
        survey = self.survey(request, slug, MOVES["restore"].role)
        read_body(NothingBody, request)
        services.restore_survey(survey, by=user_of(request))
        return self.told(request, survey)


class DuplicateView(Act):
    """A draft with the same questions under another name."""

    @change("Duplicate a survey", WholeSurveySerializer, body=DuplicateBody, status=201, said="The copy.")
    def post(self, request: Request, slug: str) -> Response:
        survey = self.survey(request, slug, Role.EDITOR)
        said = read_body(DuplicateBody, request)
        if Survey.objects.filter(slug=said["slug"]).exists():
            raise Conflict(f"The name {said['slug']} is taken.")
        team = team_of(request, said.get("team"))
        copy = services.duplicate_survey(
            survey, slug=said["slug"], same_people=said["same_people"], team=team, by=user_of(request)
        )
        return self.told(request, copy, status=201)


def terms_of(request: Request) -> tuple[OpeningPlan, dict[str, str]]:
    """The opening plan, the confirmed digest and the reason. Raises Problem at the first invalid field."""
    said = read_body(OpeningBody, request)
    terms = OpeningPlan(said.get("opens_at"), said.get("closes_at"), said.get("cap"))
    for field, fault in terms.faults(timezone.now()):
        raise Problem(422, fault, [error(field, fault, value=said[field])])
    return terms, {"confirmed": said["digest"], "reason": said.get("reason", "")}
