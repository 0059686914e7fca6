"""Transitions of a survey's life cycle, each by a POST: the same services as the panel's buttons."""

from collections.abc import Callable
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
from surveys.api.openapi import Handler, change
from surveys.api.problems import Problem, error
from surveys.api.requests import ClosingBody, DuplicateBody, NothingBody, OpeningBody, read_body
from surveys.api.survey_serializers import OpenedSerializer, WholeSurveySerializer, next_design, state_of, warnings_of
from surveys.api.surveys import team_of
from surveys.lifecycle import closing, services
from surveys.lifecycle.transitions import MOVES
from surveys.models import Survey, Version
from surveys.opening import schedules
from surveys.opening.schedules import OpeningPlan
from surveys.planning.group_warnings import expected_reports


class ClosedSerializer(serializers.Serializer[Any]):
    """The survey, and the run of the final estimate once its closing is final."""

    survey = WholeSurveySerializer()
    run = RunSerializer(allow_null=True)


def survey_response(request: Request, survey: Survey, status: int = 200) -> Response:
    survey.refresh_from_db()
    return serialized(WholeSurveySerializer, state_of(user_of(request), survey), status=status)


def _opens(name: str, summary: str, command: Callable[..., Version | None]) -> Handler:
    """A POST that opens a survey, or will at its time, and answers what is warned of it."""

    @change(summary, OpenedSerializer, body=OpeningBody, reply="It is open, or opens at its time.")
    def post(self: View, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug, MOVES[name].role)
        terms, confirmed = terms_of(request)
        expected = terms.cap or expected_reports(survey)
        version = command(survey, terms, **confirmed, by=user_of(request))
        survey.refresh_from_db()
        design = get_design(version.design_id) if version else next_design(survey).design
        return serialized(OpenedSerializer, state_of(user_of(request), survey, warnings_of(design, survey, expected)))

    return post


def _moves(name: str, summary: str, command: Callable[..., object]) -> Handler:
    """A POST that takes nothing but the survey."""

    @change(summary, WholeSurveySerializer, body=NothingBody)
    def post(self: View, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug, MOVES[name].role)
        read_body(NothingBody, request)
        command(survey, by=user_of(request))
        return survey_response(request, survey)

    return post


class OpenView(View):
    """Freezes the design for ever and lets respondents answer, now or at a time."""

    post = _opens("open", "Open a survey", schedules.open_on)


class WaveView(View):
    """Asks a closed survey's questions once more, as its next wave, now or at a time."""

    post = _opens("wave", "Open a survey again", schedules.open_again_on)


class CloseView(View):
    """Accepts no more responses; requests the final estimate an hour later or, with `now`, at once."""

    @change("Close a survey", ClosedSerializer, body=ClosingBody)
    def post(self, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug, MOVES["close"].role)
        now, by = read_body(ClosingBody, request)["now"], user_of(request)
        run = services.close_survey(survey, by=by) if now else None
        if run is None:
            closing.begin_closing(survey, by=by)
        return serialized(ClosedSerializer, {"survey": state_of(user_of(request), survey), "run": run})


class UndoCloseView(View):
    """Accepts responses again within the hour after closing: the same design, link and codes."""

    post = _moves("close", "Undo closing", closing.undo_closing)


class ReviseView(View):
    """Makes a draft of the next version; what was collected stays as it is."""

    post = _moves("revise", "Revise a closed survey", services.revise_survey)


class ArchiveView(View):
    """Puts a closed survey away. Nothing of it is deleted."""

    post = _moves("archive", "Archive a survey", services.archive_survey)


class RestoreView(View):
    """Takes a survey out of the archive; it is closed again."""

    post = _moves("restore", "Take a survey out of the archive", services.restore_survey)


class DuplicateView(View):
    """A draft with the same questions under another name."""

    @change("Duplicate a survey", WholeSurveySerializer, body=DuplicateBody, status=201, reply="The copy.")
    def post(self, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug, Role.EDITOR)
        body = read_body(DuplicateBody, request)
        if Survey.objects.filter(slug=body["slug"]).exists():
            raise Conflict(f"The name {body['slug']} is taken.")
        team = team_of(request, body.get("team"))
        copy = services.duplicate_survey(
            survey, slug=body["slug"], same_people=body["same_people"], team=team, by=user_of(request)
        )
        return survey_response(request, copy, status=201)


def terms_of(request: Request) -> tuple[OpeningPlan, dict[str, str]]:
    """The opening plan, the confirmed digest and the reason. Raises Problem at the first invalid field."""
    body = read_body(OpeningBody, request)
    terms = OpeningPlan(body.get("opens_at"), body.get("closes_at"), body.get("cap"))
    for field, fault in terms.faults(timezone.now()):
        raise Problem(422, fault, [error(field, fault, value=body[field])])
    return terms, {"confirmed": body["digest"], "reason": body.get("reason", "")}
