"""Surveys as their authors write them: list, detail, definition and designs; and the user's teams."""

from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.http import parse_etags
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from collector.designs.selectors import get_design
from collector.errors import Conflict
from surveys.accounts import access
from surveys.accounts.access import Role, get_survey_or_404, role_in_team, surveys_of
from surveys.accounts.teams import team_for
from surveys.api import paging
from surveys.api.base import View, serialized, tag_of, user_of
from surveys.api.openapi import NOT_YET, Responses, change, parameter, problem, read
from surveys.api.paging import page_of, page_shape
from surveys.api.problems import CONTENT_TYPE, Problem, error
from surveys.api.requests import SurveyBody, read_body
from surveys.api.survey_serializers import (
    NextDesignSerializer,
    SurveySerializer,
    TeamRole,
    TeamSerializer,
    VersionSerializer,
    WholeSurveySerializer,
    counted,
    next_design,
    state_of,
    states_of,
)
from surveys.definition import definitions
from surveys.definition.parts import Definition
from surveys.lifecycle import selectors, services
from surveys.lifecycle.transitions import require_draft
from surveys.models import Membership, Survey, Team, Version

ORDERINGS = {"created": "pk", "-created": "-pk", "slug": "slug", "-slug": "-slug"}
STATES = Survey.State.values
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="ETag of the definition that was read.",
)
CHANGED: Responses = {(412, CONTENT_TYPE): problem("It was changed since this ETag.")}
STATE = parameter("state", "Only surveys in this state.", enum=STATES)
SEARCH = parameter("search", "Only surveys whose slug contains this text.", maxLength=64)
ORDERING = parameter("ordering", "Sort order; a minus reverses it.", enum=[*ORDERINGS], default="-created")


class TeamsView(View):
    """The teams that one is in, by name."""

    @read("One's teams", TeamSerializer(many=True), about_nothing=True)
    def get(self, request: Request) -> Response:
        mine = Membership.objects.filter(user=user_of(request)).select_related("team").order_by("team__name", "pk")
        return serialized(TeamSerializer, [TeamRole(one.team, Role(one.role)) for one in mine], many=True)


class SurveysView(View):
    """The surveys of one's teams."""

    parameters = paging.NAMES | {"state", "search", "ordering"}

    @read(
        "List surveys",
        page_shape(SurveySerializer),
        name="surveys_list",
        parameters=[*paging.PARAMETERS, STATE, SEARCH, ORDERING],
        about_nothing=True,
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        rows = surveys_of(user).select_related("team")
        if state := paging.one_of(request, "state", STATES):
            rows = rows.filter(state=state)
        if search := request.query_params.get("search", "").replace("\0", ""):
            rows = rows.filter(slug__icontains=search)
        ordering = ORDERINGS[paging.one_of(request, "ordering", [*ORDERINGS], "-created")]
        return page_of(request, rows, SurveySerializer, facts=partial(states_of, user), ordering=ordering)

    @change(
        "Create a survey",
        WholeSurveySerializer,
        body=SurveyBody,
        status=201,
        reply="Creates a draft.",
        about_nothing=True,
    )
    def post(self, request: Request) -> Response:
        user, body = user_of(request), read_body(SurveyBody, request)
        definition = _definition_of(body)
        slug = definition["slug"]
        if Survey.objects.filter(slug=slug).exists():
            raise Conflict(_taken(slug))
        team = team_for(user, slug, team_of(request, body.get("team")))
        try:
            with transaction.atomic():
                written = services.write_survey(definition, team=team, by=user)
        except IntegrityError:
            raise Conflict(_taken(slug)) from None
        return serialized(WholeSurveySerializer, state_of(user, written), status=201)


class SurveyView(View):
    """One survey: where it stands, and where it can go."""

    @read("One survey", WholeSurveySerializer)
    def get(self, request: Request, slug: str) -> Response:
        found = get_survey_or_404(request.user, slug)
        return serialized(WholeSurveySerializer, state_of(user_of(request), found))

    @change("Delete a draft", None, status=204, reply="Deleted.")
    def delete(self, request: Request, slug: str) -> Response:
        found = get_survey_or_404(request.user, slug, Role.OWNER)
        services.delete_survey(found, by=user_of(request))
        return Response(status=204)


class DefinitionView(View):
    """What its author has written: the keys of docs/reference/survey-file.md, complete."""

    @read("A survey's definition", OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str) -> Response:
        return Response(selectors.definition_of(get_survey_or_404(request.user, slug)))

    @change("Replace a draft", OpenApiTypes.OBJECT, body=OpenApiTypes.OBJECT, parameters=[IF_MATCH], others=CHANGED)
    def put(self, request: Request, slug: str) -> Response:
        """All of it is replaced. The slug stays as it is."""
        return self._write(request, slug)

    @change(
        "Change parts of a draft",
        OpenApiTypes.OBJECT,
        body=OpenApiTypes.OBJECT,
        parameters=[IF_MATCH],
        others=CHANGED,
    )
    def patch(self, request: Request, slug: str) -> Response:
        """The keys that are sent replace those of the definition; the others stay."""
        return self._write(request, slug, changes=True)

    @transaction.atomic
    def _write(self, request: Request, slug: str, *, changes: bool = False) -> Response:
        found = get_survey_or_404(request.user, slug, Role.EDITOR)
        current = draft_as_read(request, found)
        sent = serializers.DictField().run_validation(request.data)
        if sent.get("slug", slug) != slug:
            words = f"The slug of a survey cannot be changed, {slug}; a copy can have another one."
            raise Problem(422, words, [error("slug", words, value=sent["slug"])])
        raw = {**(dict(current) if changes else {}), "slug": slug, **sent}
        written = services.write_survey(definitions.take_checked(raw), team=found.team, by=user_of(request))
        return Response(selectors.definition_of(written))


class NextDesignView(View):
    """What opening the draft, or a closed survey again, would freeze; its digest is what opening asks for."""

    @read(
        "Design that opening would freeze",
        NextDesignSerializer,
        others=NOT_YET | {(422, CONTENT_TYPE): problem("It cannot be opened; the detail says why.")},
    )
    def get(self, request: Request, slug: str) -> Response:
        return serialized(NextDesignSerializer, next_design(get_survey_or_404(request.user, slug)))


class VersionsView(View):
    """Each opening of a survey, the newest first."""

    parameters = paging.NAMES

    @read("The versions of a survey", page_shape(VersionSerializer), parameters=paging.PARAMETERS)
    def get(self, request: Request, slug: str) -> Response:
        rows = Version.objects.filter(survey=get_survey_or_404(request.user, slug))
        return page_of(request, rows, VersionSerializer, facts=counted)


class DesignView(View):
    """A design that one of one's surveys froze when it was opened or rehearsed: the document that the digest names."""

    @read("A frozen design", OpenApiTypes.OBJECT)
    def get(self, request: Request, digest: str) -> Response:
        survey = access.surveys_of_runs(digest).first()
        get_survey_or_404(request.user, survey.slug if survey else "")
        return Response(get_design(digest).document)


def draft_as_read(request: Request, survey: Survey) -> Definition:
    """The definition of a draft, whose row is locked until the transaction ends.

    Raises Conflict where it is no draft, and Problem where it is another one than `If-Match` names.
    """
    require_draft(Survey.objects.select_for_update().get(pk=survey.pk))
    definition = selectors.definition_of(survey)
    if "If-Match" in request.headers and tag_of(definition) not in parse_etags(request.headers["If-Match"]):
        raise Problem(412, "The definition has changed since it was read. Read it again and repeat the change.")
    return definition


def team_of(request: Request, pk: int | None) -> Team | None:
    """The requested team, where the user must be an editor. Raises Problem, the same for an unknown team."""
    if pk is None:
        return None
    team, held = Team.objects.filter(pk=pk).first(), role_in_team(request.user, pk)
    if team is None or held is None or held < Role.EDITOR:
        words = "There is no such team in which you have the role editor."
        raise Problem(422, words, [error("team", words, value=pk)])
    return team


def _definition_of(body: dict[str, Any]) -> Definition:
    return definitions.load_checked(body["yaml"]) if "yaml" in body else definitions.take_checked(body["definition"])


def _taken(slug: str) -> str:
    return f"The slug {slug} is already in use. To change a draft, PUT its definition."
