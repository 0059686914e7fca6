"""The URL patterns of the site."""

from django.contrib import admin
from django.urls import include, path, re_path

from config import api_page, front_page, health, help_site
from config.openapi import SchemaView
from surveys.definition.languages import CODE
from surveys.panel import preview
from surveys.panel.accounts import account, joining, passkeys, sign_in, single_sign_on
from surveys.respondent import token_views as blind

admin.autodiscover()

handler400 = "surveys.api.problems.bad"
handler403 = "surveys.panel.accounts.account.forbidden"
handler404 = "surveys.api.problems.missing"
handler500 = "surveys.api.problems.broken"

urlpatterns = [
    path("", front_page.page, name="front"),
    path("", include("collector.endpoint.urls")),
    path("", include("surveys.respondent.urls")),
    path("", include("surveys.respondent.report_urls")),
    path("log/", include("surveys.respondent.log_urls")),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.expose_metrics, name="metrics"),
    re_path(r"^preview/(?P<secret>[A-Za-z0-9_-]{32})/$", preview.by_link, name="preview-by-link"),
    re_path(r"^preview/(?P<secret>[A-Za-z0-9_-]{32})/pictures/(?P<name>[^/]+)$", preview.picture_by_link),
    re_path(
        rf"^preview/(?P<secret>[A-Za-z0-9_-]{{32}})/(?P<language>{CODE})/$", preview.by_link, name="preview-by-link"
    ),
    path("panel/help/", help_site.page, name="help"),
    path("panel/help/<path:name>", help_site.page, name="help-page"),
    path("panel/sign-in/", sign_in.sign_in, name="sign-in"),
    path("panel/passkey/", passkeys.use, name="passkey"),
    path("panel/institution/", single_sign_on.sign_in, name="institution"),
    path("panel/institution/back/", single_sign_on.come_back, name="institution-back"),
    path("panel/join/", joining.join, name="join"),
    path("panel/fetch/<slug:slug>/", admin.site.admin_view(blind.by_account), name="fetch"),
    path("panel/", include("surveys.panel.urls")),
    path("panel/password_change/", admin.site.admin_view(account.password), name="password-change"),
    path("panel/", admin.site.urls),
    path("api/", api_page.page, name="api-page"),
    path("api/schema/", SchemaView.as_view(), name="schema"),
    path("api/v1/", include("surveys.api.urls")),
]
