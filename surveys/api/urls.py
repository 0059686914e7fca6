"""The addresses for programs."""

from django.urls import path

from estimator import keys  # noqa: F401 - makes <key:...> known
from surveys.api import planning, rehearsals, runs, watching

app_name = "api"

urlpatterns = [
    path("runs/<key:key>/", runs.RunView.as_view(), name="run"),
    path("analyses/<key:key>/", runs.AnalysisView.as_view(), name="analysis"),
    path("plan/", planning.PlanView.as_view(), name="plan"),
    path("surveys/<slug:slug>/rehearsals/<int:number>/", rehearsals.RehearsalView.as_view(), name="rehearsal"),
    path("surveys/<slug:slug>/plan/", planning.SurveyPlanView.as_view(), name="survey-plan"),
    path("surveys/<slug:slug>/watch/", watching.WatchView.as_view(), name="survey-watch"),
]
