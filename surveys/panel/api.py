"""The panel's addresses for programs: how far a run is, what is planned, and what is to be watched."""

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from estimator import keys  # noqa: F401 - makes <key:...> known
from estimator.serializers import AnalysisSerializer, RunSerializer
from surveys.access import get_analysis_or_404, get_run_or_404
from surveys.panel.described import described
from surveys.panel.plan_api import PlanView, SurveyPlanView
from surveys.panel.rehearse import RehearsalView
from surveys.panel.watch import WatchView

app_name = "api"


class RunView(APIView):
    """State, progress and fault of a run of one's own survey."""

    @described("How far a run is", RunSerializer)
    def get(self, request: Request, key: str) -> Response:
        return Response(RunSerializer(get_run_or_404(request.user, key)).data)


class AnalysisView(APIView):
    """State, progress and fault of an analysis of one's own survey."""

    @described("How far an analysis is", AnalysisSerializer)
    def get(self, request: Request, key: str) -> Response:
        return Response(AnalysisSerializer(get_analysis_or_404(request.user, key)[0]).data)


urlpatterns = [
    path("runs/<key:key>/", RunView.as_view(), name="run"),
    path("analyses/<key:key>/", AnalysisView.as_view(), name="analysis"),
    path("plan/", PlanView.as_view(), name="plan"),
    path("surveys/<slug:slug>/rehearsals/<int:number>/", RehearsalView.as_view(), name="rehearsal"),
    path("surveys/<slug:slug>/plan/", SurveyPlanView.as_view(), name="survey-plan"),
    path("surveys/<slug:slug>/watch/", WatchView.as_view(), name="survey-watch"),
]
