"""The headers of every response, pages of errors and missing files too; and that nothing is left that they forbid."""

from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from config.middleware import COIN_POLICY, DEFAULT_POLICY, PANEL_POLICY, RESPONDENT_POLICY, STATIC_POLICY
from surveys.models import Version
from surveys.panel import views
from tests.tools.html import FORBIDDEN_IN_PAGES

pytestmark = pytest.mark.django_db

EXACT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'"
)


def test_panel_content_security_policy_is_exact() -> None:
    assert PANEL_POLICY == EXACT


@pytest.mark.parametrize("policy", [COIN_POLICY, DEFAULT_POLICY, PANEL_POLICY, RESPONDENT_POLICY, STATIC_POLICY])
def test_content_security_policy_has_no_exception(policy: str) -> None:
    assert "unsafe" not in policy
    assert "*" not in policy
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize("path", ["app.js", "base.css", "picture.png", "a/b/c", "", "../x", "surveys/icon.svg/"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_missing_static_file_has_every_header(method: str, path: str) -> None:
    answer = Client().generic(method, f"/static/{path}")
    assert answer.status_code == 404
    assert answer["Content-Security-Policy"] == DEFAULT_POLICY
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "no-referrer"
    assert answer["Cache-Control"] == "no-store"
    assert FORBIDDEN_IN_PAGES.search(answer.content.decode()) is None


@pytest.mark.parametrize(
    "path", ["/", "/panel/", "/panel/login/", "/panel/none/", "/api/", "/s/none/", "/healthz", "/static/x.js"]
)
def test_no_response_names_the_server(path: str) -> None:
    assert Client().get(path)["Server"] == ""


def test_panel_errors_keep_content_security_policy(
    alice: User, version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing, forbidden, a form without its token, a host that is not ours, and a fault of the program."""

    def broken(*_given: object) -> None:
        raise RuntimeError

    client = Client(raise_request_exception=False)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    careful = Client(enforce_csrf_checks=True)
    monkeypatch.setattr(views, "survey_page", broken)
    answers: list[tuple[int, Any]] = [
        (404, client.get("/panel/survey/none/")),
        (405, client.get("/panel/survey/campus/close")),
        (400, client.get("/panel/", headers={"host": "elsewhere.test"})),
        (403, client.get(reverse("panel:operation"))),
        (403, careful.post("/panel/login/", {"username": "a", "password": "b"})),
        (500, client.get("/panel/survey/campus/")),
    ]
    for status, answer in answers:
        assert (answer.status_code, answer["Content-Security-Policy"]) == (status, EXACT)
        assert FORBIDDEN_IN_PAGES.search(answer.content.decode()) is None


def test_form_without_csrf_token_explains_403() -> None:
    answer = Client(enforce_csrf_checks=True).post(reverse("admin:login"), {"username": "a", "password": "b"})
    assert (answer.status_code, "Reload the page" in answer.content.decode()) == (403, True)


def test_templates_have_no_inline_script_or_style() -> None:
    """Files that are saved and opened by themselves have their styles within them; they are no pages of the site.

    A survey's colours are the one style in a page; the policy admits it by its hash (tests/surveys/test_appearance.py).
    """
    alone, colours = {"codebook.html", "alone.html"}, "{% if look %}<style>{{ look|safe }}</style>\n{% endif %}"
    found = 0
    for path in (settings.ROOT / "templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        found += text.count(colours)
        if path.name not in alone:
            assert FORBIDDEN_IN_PAGES.search(text.replace(colours, "")) is None, path
    assert found == 1
