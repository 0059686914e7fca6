"""URLs of the API."""

from django.urls import path, register_converter

from estimator.base import keys  # noqa: F401 - makes <key:...> known
from surveys.api import (
    analyses,
    converters,
    dossiers,
    exchange,
    exports,
    invitations,
    planning,
    progress,
    rehearsals,
    runs,
    surveys,
    transitions,
    translations,
    waves,
)

app_name = "api"

register_converter(converters.DigestConverter, "digest")

urlpatterns = [
    path("teams/", surveys.TeamsView.as_view(), name="teams"),
    path("imports/", exchange.ImportsView.as_view(), name="imports"),
    path("surveys/", surveys.SurveysView.as_view(), name="surveys"),
    path("surveys/<slug:slug>/", surveys.SurveyView.as_view(), name="survey"),
    path("surveys/<slug:slug>/definition/", surveys.DefinitionView.as_view(), name="definition"),
    path("surveys/<slug:slug>/questionnaire/", exchange.QuestionnaireView.as_view(), name="questionnaire"),
    path("surveys/<slug:slug>/translations/", translations.TranslationsView.as_view(), name="translations"),
    path("surveys/<slug:slug>/next-design/", surveys.NextDesignView.as_view(), name="next-design"),
    path("surveys/<slug:slug>/dossier/", dossiers.DossierView.as_view(), name="dossier"),
    path("surveys/<slug:slug>/versions/", surveys.VersionsView.as_view(), name="versions"),
    path("surveys/<slug:slug>/open/", transitions.OpenView.as_view(), name="open"),
    path("surveys/<slug:slug>/wave/", transitions.WaveView.as_view(), name="wave"),
    path("surveys/<slug:slug>/ledger/", waves.LedgerView.as_view(), name="ledger"),
    path("surveys/<slug:slug>/close/", transitions.CloseView.as_view(), name="close"),
    path("surveys/<slug:slug>/undo-close/", transitions.UndoCloseView.as_view(), name="undo-close"),
    path("surveys/<slug:slug>/revise/", transitions.ReviseView.as_view(), name="revise"),
    path("surveys/<slug:slug>/archive/", transitions.ArchiveView.as_view(), name="archive"),
    path("surveys/<slug:slug>/restore/", transitions.RestoreView.as_view(), name="restore"),
    path("surveys/<slug:slug>/duplicate/", transitions.DuplicateView.as_view(), name="duplicate"),
    path("surveys/<slug:slug>/runs/", runs.RunsView.as_view(), name="runs"),
    path("surveys/<slug:slug>/rehearsals/", rehearsals.RehearsalsView.as_view(), name="rehearsals"),
    path("surveys/<slug:slug>/rehearsals/<int:number>/stop/", rehearsals.StopView.as_view(), name="rehearsal-stop"),
    path("surveys/<slug:slug>/rehearsals/<int:number>/findings/", rehearsals.FindingsView.as_view(), name="findings"),
    path("surveys/<slug:slug>/invitations/", invitations.BatchesView.as_view(), name="batches"),
    path("surveys/<slug:slug>/invitations/<int:number>/", invitations.BatchView.as_view(), name="batch"),
    path("designs/<digest:digest>/", surveys.DesignView.as_view(), name="design"),
    path("runs/<key:key>/estimates/", runs.EstimatesView.as_view(), name="estimates"),
    path("runs/<key:key>/publish/", runs.PublishView.as_view(), name="publish"),
    path("runs/<key:key>/", runs.RunView.as_view(), name="run"),
    path("runs/<key:key>/exports/", exports.RunExportsView.as_view(), name="run-exports"),
    path("surveys/<slug:slug>/exports/", exports.SurveyExportsView.as_view(), name="survey-exports"),
    path("formats/", exports.FormatsView.as_view(), name="formats"),
    path("exports/<key:key>/", exports.ExportView.as_view(), name="export"),
    path("exports/<key:key>/file/", exports.FileView.as_view(), name="export-file"),
    path("surveys/<slug:slug>/analyses/", analyses.AnalysesView.as_view(), name="analyses"),
    path("analyses/<key:key>/", analyses.AnalysisView.as_view(), name="analysis"),
    path("analyses/<key:key>/result/", analyses.ResultView.as_view(), name="analysis-result"),
    path("plan/", planning.PlanView.as_view(), name="plan"),
    path("surveys/<slug:slug>/rehearsals/<int:number>/", rehearsals.RehearsalView.as_view(), name="rehearsal"),
    path("surveys/<slug:slug>/plan/", planning.SurveyPlanView.as_view(), name="survey-plan"),
    path("surveys/<slug:slug>/watch/", progress.WatchView.as_view(), name="survey-watch"),
]
