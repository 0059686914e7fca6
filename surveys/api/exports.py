"""Exports: list the formats, request a file of a run, follow its progress, download, cancel and delete it."""

from collections.abc import Iterable
from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from estimator.base.jobs import Job
from estimator.exports import services
from estimator.exports.download import response_of
from estimator.exports.formats import FORMATS
from estimator.models import Export
from surveys.accounts.access import (
    Role,
    get_export_or_404,
    get_run_or_404,
    get_survey_or_404,
    require,
    role_in,
    survey_of,
)
from surveys.api import paging
from surveys.api.base import View, serialized, user_of
from surveys.api.openapi import change, read
from surveys.api.paging import page_of, page_shape
from surveys.api.requests import ExportBody, read_body
from surveys.lifecycle import exports as exporting
from surveys.models import Rehearsal, Version


class LanguagesField(serializers.ListField):
    """The languages in which a file of a format can be written."""

    def get_attribute(self, instance: Any) -> list[str]:
        return list(services.languages()) if instance.translated else []


class ReadyField(serializers.BooleanField):
    """Whether the file of an export is there."""

    def get_attribute(self, instance: Any) -> bool:
        return services.exists(instance)


class FormatSerializer(serializers.Serializer[Any]):
    """A format that a run can be exported in."""

    name = serializers.CharField()
    suffix = serializers.CharField()
    content_type = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    about = serializers.CharField(allow_blank=True)
    microdata = serializers.BooleanField(help_text="whether it has a row for each response, exported by editors only")
    languages = LanguagesField(child=serializers.CharField(), help_text="that it can be written in")


class ExportSerializer(serializers.Serializer[Any]):
    """A file that was asked for, and how far it is."""

    key = serializers.CharField()
    run = serializers.CharField(source="run.key", help_text="key")
    format = serializers.CharField()
    language = serializers.CharField(allow_blank=True)
    microdata = serializers.BooleanField()
    state = serializers.ChoiceField(choices=Job.State.choices)
    progress = serializers.IntegerField(min_value=0, max_value=100, help_text="per cent")
    fault = serializers.CharField(allow_blank=True)
    ready = ReadyField(help_text="whether the file can be taken away")
    size = serializers.IntegerField(allow_null=True, help_text="bytes")
    sha256 = serializers.CharField(allow_blank=True)
    kept_until = serializers.DateTimeField(allow_null=True, help_text="when the file is deleted")


class Whatever(DefaultContentNegotiation):
    """Content negotiation for files, which have one content type whatever is requested."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)


class FormatsView(View):
    """What a run can be exported as."""

    @read("The formats of exports", FormatSerializer(many=True), about_nothing=True)
    def get(self, request: Request) -> Response:
        return serialized(FormatSerializer, list(FORMATS.values()), many=True)


class SurveyExportsView(View):
    """The exports of every version and rehearsal of a survey, the newest first."""

    parameters = paging.NAMES

    @read("The exports of a survey", page_shape(ExportSerializer), parameters=paging.PARAMETERS)
    def get(self, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug)
        designs = {*_designs(Version, survey), *_designs(Rehearsal, survey)}
        rows = Export.objects.filter(run__design__in=designs).select_related("run").defer("run__tallies")
        return page_of(request, rows, ExportSerializer)


class RunExportsView(View):
    """The same file of a run is made once: asked for again, the one that is there is the answer."""

    @change("Export a run", ExportSerializer, body=ExportBody, status=202, reply="The file, made or on its way.")
    def post(self, request: Request, key: str) -> Response:
        run = get_run_or_404(request.user, key, Role.ANALYST)
        body = read_body(ExportBody, request)
        require(role_in(request.user, survey_of(run)), exporting.role_for_format(body["format"]))
        name = body.pop("format")
        export, _made = exporting.request_export(run, name, **body, by=user_of(request))
        return serialized(ExportSerializer, export, status=202)


class ExportView(View):
    """An export of one of one's surveys."""

    @read("How far an export is", ExportSerializer)
    def get(self, request: Request, key: str) -> Response:
        return serialized(ExportSerializer, get_export_or_404(request.user, key)[0])

    @change(
        "Cancel or delete an export", None, status=204, reply="It is gone; where it was being made nothing is left."
    )
    def delete(self, request: Request, key: str) -> Response:
        exporting.delete_export(_for_its_reader(request, key), by=user_of(request))
        return Response(status=204)


class FileView(View):
    """The file, streamed. Whoever may not ask for such a file may not have it either; the log says who took it."""

    content_negotiation_class = Whatever

    @read("Take an exported file away", OpenApiTypes.BINARY, streams=True)
    def get(self, request: Request, key: str) -> Any:
        export = _for_its_reader(request, key)
        answer = response_of(request._request, export)
        if isinstance(answer, FileResponse):
            exporting.record_download(export, by=user_of(request))
        return answer


def _for_its_reader(request: Request, key: str) -> Export:
    export, survey = get_export_or_404(request.user, key)
    require(role_in(request.user, survey), exporting.role_for(microdata=export.microdata))
    return export


def _designs(kind: Any, survey: Any) -> Any:
    return kind.objects.filter(survey=survey).values_list("design", flat=True)
