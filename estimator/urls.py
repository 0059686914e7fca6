from django.urls import path

from estimator import views

app_name = "estimator"
urlpatterns = [
    path("reports/<str:key>/", views.report, name="report"),
    path("reports/<str:key>/estimates.csv", views.estimates, name="report-csv"),
    path("reports/<str:key>/report.json", views.document, name="report-json"),
]
