from django.urls import path

from collector import views

app_name = "collector"
urlpatterns = [path("s/<slug:slug>/reports", views.reports, name="reports")]
