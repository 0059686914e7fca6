from django.urls import path

from collector.endpoint import views

app_name = "collector"
urlpatterns = [path("s/<slug:slug>/reports", views.reports, name="reports")]
