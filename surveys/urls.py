from django.urls import path

from surveys import views
from surveys.coin import views as coin

app_name = "surveys"
urlpatterns = [
    path("s/<slug:slug>/", views.respond, name="respond"),
    path("s/<slug:slug>/design.json", views.design, name="design"),
    path("s/<slug:slug>/coin/", coin.answer, name="coin"),
    path("s/<slug:slug>/coin/sent/", coin.sent, name="coin-sent"),
]
