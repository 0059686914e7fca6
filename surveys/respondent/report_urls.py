from django.urls import path

from estimator.base import keys  # noqa: F401 - makes <key:...> known
from surveys.respondent import report_views as views

app_name = "estimator"
urlpatterns = [
    path("reports/<key:key>/", views.report, name="report"),
    path("reports/<key:key>/report.html", views.file, {"form": "html"}, name="report-html"),
    path("reports/<key:key>/report.pdf", views.file, {"form": "pdf"}, name="report-pdf"),
    path("reports/<key:key>/estimates.csv", views.file, {"form": "csv"}, name="report-csv"),
    path("reports/<key:key>/report.json", views.file, {"form": "json"}, name="report-json"),
]
