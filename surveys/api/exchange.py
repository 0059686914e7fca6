"""Questionnaires of other tools: a file becomes a draft with an import report, a survey becomes a file."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.accounts.access import get_survey_or_404
from surveys.accounts.audit_log import record_event
from surveys.accounts.teams import team_for
from surveys.api.base import View, serialized, user_of
from surveys.api.exports import Whatever
from surveys.api.openapi import change, parameter, read
from surveys.api.paging import one_of
from surveys.api.requests import ImportBody, read_body
from surveys.api.survey_serializers import WholeSurveySerializer, state_of
from surveys.api.surveys import team_of
from surveys.exchange import formats as exchange
from surveys.lifecycle import selectors, services

FORMAT = parameter("format", "Target tool of the file.", enum=[*exchange.EXPORTS], default="xlsform")


class EntrySerializer(serializers.Serializer[Any]):
    """An element of the file, and what became of it."""

    place = serializers.CharField(help_text="in the file")
    element = serializers.CharField(help_text="its text or its name and value")
    outcome = serializers.ChoiceField(choices=["imported", "changed", "left out"])
    detail = serializers.CharField(allow_blank=True, help_text="how it was changed or why it was left out")
    suggestion = serializers.CharField(allow_blank=True, help_text="what to ask instead")


class ImportSerializer(serializers.Serializer[Any]):
    """A draft made of another tool's questionnaire."""

    survey = WholeSurveySerializer()
    tool = serializers.CharField()
    missing = serializers.CharField(allow_blank=True, help_text="what is missing before opening")
    report = EntrySerializer(many=True)


class ImportsView(View):
    """Questionnaires of other tools, as docs/how-to/import-a-questionnaire.md describes them."""

    @change(
        "Import a questionnaire",
        ImportSerializer,
        body=ImportBody,
        status=201,
        reply="Creates a draft. A number is added to a slug that is already in use.",
        about_nothing=True,
    )
    def post(self, request: Request) -> Response:
        user, body = user_of(request), read_body(ImportBody, request)
        made = exchange.convert(
            body["content"], filename=body["filename"], form=body["format"], language=body["language"]
        )
        definition = made.definition
        definition["slug"] = selectors.free_slug(definition["slug"])
        team = team_for(user, definition["slug"], team_of(request, body.get("team")))
        written = services.write_survey(definition, team=team, by=user, unfinished=True)
        facts = {"survey": state_of(user, written), "tool": made.tool, "missing": made.missing}
        return serialized(ImportSerializer, facts | {"report": made.report.entries}, status=201)


class QuestionnaireView(View):
    """The questionnaire of a survey as a file of another tool, which asks it openly."""

    parameters = frozenset({"format"})
    content_negotiation_class = Whatever

    @read("Download the questionnaire for another tool", OpenApiTypes.BINARY, parameters=[FORMAT], streams=True)
    def get(self, request: Request, slug: str) -> Any:
        found = get_survey_or_404(request.user, slug)
        form = one_of(request, "format", [*exchange.EXPORTS], "xlsform")
        content = exchange.export(selectors.exported(found), form)
        record_event(user_of(request), "exported", survey=found, detail=f"the definition, for {form}")
        return HttpResponse(
            content,
            content_type="application/octet-stream",
            headers={
                "Content-Disposition": f'attachment; filename="{found.slug}{exchange.EXPORTS[form]}"',
                "Cache-Control": "private, no-store",
            },
        )
