from django.urls import path

from surveys import views

app_name = "surveys"
urlpatterns = [
    path("s/<slug:slug>/", views.respond, name="respond"),
    path("s/<slug:slug>/design.json", views.design, name="design"),
]
