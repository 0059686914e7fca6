"""Analyses: request one, follow its progress, read its numbers."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from collector.errors import Conflict
from estimator.analyses import exports, requests
from estimator.analyses.quantities import AnalysisError
from estimator.models import Analysis
from estimator.serializers import AnalysisSerializer
from surveys.accounts.access import Role, get_analysis_or_404, get_survey_or_404
from surveys.accounts.audit_log import record_event
from surveys.api import paging
from surveys.api.base import View, serialized, user_of
from surveys.api.openapi import NOT_YET, change, read
from surveys.api.paging import page_of, page_shape
from surveys.api.problems import Problem, error
from surveys.api.requests import AnalysisBody, KeptAnalysisBody, read_body
from surveys.lifecycle import analyses
from surveys.models import Version


class ResultSerializer(serializers.Serializer[Any]):
    """The numbers of a finished analysis, row by row."""

    analysis = AnalysisSerializer()
    rows = serializers.ListField(
        child=serializers.DictField(),
        help_text="as the rows of its CSV file; docs/reference/analyses.md has the columns",
    )


class AnalysesView(View):
    """The analyses of all versions of a survey, the newest first."""

    parameters = paging.NAMES

    @read("The analyses of a survey", page_shape(AnalysisSerializer), parameters=paging.PARAMETERS)
    def get(self, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug)
        digests = Version.objects.filter(survey=survey).values("design")
        rows = Analysis.objects.filter(design__in=digests).defer("inputs", "result")
        return page_of(request, rows, AnalysisSerializer)

    @change(
        "Ask for an analysis", AnalysisSerializer, body=AnalysisBody, status=202,
        reply="The analysis, which is on its way.",
    )  # fmt: skip
    def post(self, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug, Role.ANALYST)
        body = read_body(AnalysisBody, request)
        kind, fields = body["kind"], body["parameters"]
        try:
            for design in analyses.designs_of(survey)[:1]:
                requests.require_known(kind, fields, design)
            requested = analyses.ask(survey, kind, fields, by=user_of(request))
        except AnalysisError as refusal:
            raise Problem(422, str(refusal), [error("parameters", str(refusal))]) from None
        return serialized(AnalysisSerializer, requested, status=202)


class AnalysisView(View):
    """State, progress and fault of an analysis of one's own survey."""

    @read("How far an analysis is", AnalysisSerializer)
    def get(self, request: Request, key: str) -> Response:
        return serialized(AnalysisSerializer, get_analysis_or_404(request.user, key)[0])

    @change("Name or publish an analysis", AnalysisSerializer, body=KeptAnalysisBody)
    def patch(self, request: Request, key: str) -> Response:
        """What is not sent stays as it is."""
        found, survey = get_analysis_or_404(request.user, key, Role.ANALYST)
        sent = read_body(KeptAnalysisBody, request)
        name, published = sent.get("name", found.name), sent.get("published", found.published)
        try:
            analyses.keep(survey, found, name, published=published, by=user_of(request))
        except AnalysisError as refusal:
            raise Problem(422, str(refusal), [error("published", str(refusal))]) from None
        return serialized(AnalysisSerializer, found)


class ResultView(View):
    """The rows of an analysis. They are an export, so it stands in the log."""

    @read("The numbers of an analysis", ResultSerializer, others=NOT_YET)
    def get(self, request: Request, key: str) -> Response:
        analysis, survey = get_analysis_or_404(request.user, key, Role.ANALYST)
        if analysis.state != Analysis.State.DONE:
            raise Conflict(f"The analysis is {analysis.state}; its numbers are there when it is done.")
        rows = exports.rows_of(analysis)
        record_event(user_of(request), "exported", survey=survey, detail=f"analysis {analysis.key}, by the API")
        return serialized(ResultSerializer, {"analysis": analysis, "rows": rows})
