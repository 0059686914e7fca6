"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from config import health

urlpatterns = [
    path("", include("collector.urls")),
    path("healthz", health.healthz, name="healthz"),
    path("panel/", admin.site.urls),
]
