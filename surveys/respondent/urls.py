from django.urls import path, register_converter

from surveys.definition.languages import LanguageConverter
from surveys.respondent import own_coin_views as coin
from surveys.respondent import token_views as blind
from surveys.respondent import views

register_converter(LanguageConverter, "language")

app_name = "surveys"
urlpatterns = [
    path("spent/", views.spent, name="spent"),
    path("spent/<language:language>/", views.spent, name="spent"),
    path("s/<slug:slug>/", views.respond, name="respond"),
    path("s/<slug:slug>/<language:language>/", views.respond, name="respond"),
    path("s/<slug:slug>/design.json", views.design, name="design"),
    path("s/<slug:slug>/pictures/<str:name>", views.picture, name="picture"),
    path("s/<slug:slug>/token/", blind.fetch, name="token"),
    path("s/<slug:slug>/token/sign", blind.sign, name="token-sign"),
    path("s/<slug:slug>/<language:language>/token/", blind.fetch, name="token"),
    path("s/<slug:slug>/coin/", coin.answer, name="coin"),
    path("s/<slug:slug>/coin/sheet.pdf", coin.sheet, name="coin-sheet"),
    path("s/<slug:slug>/coin/send/", coin.send, name="coin-send"),
    path("s/<slug:slug>/coin/sent/", coin.sent, name="coin-sent"),
    path("s/<slug:slug>/<language:language>/coin/", coin.answer, name="coin"),
    path("s/<slug:slug>/<language:language>/coin/sheet.pdf", coin.sheet, name="coin-sheet"),
    path("s/<slug:slug>/<language:language>/coin/send/", coin.send, name="coin-send"),
    path("s/<slug:slug>/<language:language>/coin/sent/", coin.sent, name="coin-sent"),
]
