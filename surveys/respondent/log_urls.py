from django.urls import path

from surveys.respondent import log_views as views

app_name = "log"
urlpatterns = [
    path("checkpoint", views.checkpoint, name="checkpoint"),
    path("key", views.key, name="key"),
    path("tile/entries/<path:name>", views.entries, name="entries"),
    path("tile/<int:level>/<path:name>", views.hashes, name="hashes"),
]
