"""Runs, their estimates, and how far an analysis is."""

from rest_framework.request import Request
from rest_framework.response import Response

from estimator.serializers import AnalysisSerializer, RunSerializer
from surveys.access import get_analysis_or_404, get_run_or_404
from surveys.api.base import View
from surveys.api.described import read


class RunView(View):
    """State, progress and fault of a run of one's own survey."""

    @read("How far a run is", RunSerializer)
    def get(self, request: Request, key: str) -> Response:
        return Response(RunSerializer(get_run_or_404(request.user, key)).data)


class AnalysisView(View):
    """State, progress and fault of an analysis of one's own survey."""

    @read("How far an analysis is", AnalysisSerializer)
    def get(self, request: Request, key: str) -> Response:
        return Response(AnalysisSerializer(get_analysis_or_404(request.user, key)[0]).data)
