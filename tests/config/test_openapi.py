"""The OpenAPI document says what is served, all of it and nothing else."""

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from collector.endpoint import openapi
from config.openapi import document

PAGE = "/api/"
"""For people."""
ROOT = Path(__file__).parents[2]
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def served(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address of the site as a document would write it."""
    for pattern in patterns:
        path = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from served(pattern.url_patterns, path)
        else:
            yield path, pattern


def test_openapi_lists_every_api_address() -> None:
    addresses = {f"/{path}": pattern for path, pattern in served(get_resolver().url_patterns)}
    for_programs = {path for path in addresses if path.startswith("/api/")} - {PAGE} | {openapi.ADDRESS}
    assert set(document()["paths"]) == for_programs
    assert openapi.ADDRESS in addresses
    for path in for_programs - {openapi.ADDRESS}:
        view: Any = addresses[path].callback
        answered = {method for method in METHODS if hasattr(view.view_class, method)} - {"options"}
        assert set(document()["paths"][path]) == answered, path


@pytest.mark.long
def test_openapi_validates_without_warning() -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


def test_openapi_lists_every_report_refusal() -> None:
    sources = [file.read_text() for folder in ("collector", "config") for file in (ROOT / folder).rglob("*.py")]
    kinds = {int(status) for source in sources for status in re.findall(r"RequestRefused\(\s*(\d{3}),", source)}
    said = {int(status) for status in document()["paths"][openapi.ADDRESS]["post"]["responses"]}
    assert kinds | {200, 201} == said


@pytest.mark.django_db
def test_openapi_is_served_without_login() -> None:
    answer = Client().get("/api/schema/")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.json() == document()
    assert answer.json()["openapi"].startswith("3.1")
    assert not answer.cookies


@pytest.mark.django_db
def test_openapi_missing_methods_answer_405(admin_client: Client) -> None:
    for method in ("OPTIONS", "POST", "PUT", "PATCH", "DELETE"):
        assert admin_client.generic(method, "/api/v1/plan/").status_code == 405


def test_openapi_operations_are_described() -> None:
    for path, item in document()["paths"].items():
        for method, said in item.items():
            where = f"{method} {path}"
            assert said["summary"], where
            named = {one["name"] for one in said.get("parameters", []) if one["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path)), where
            assert all(one["schema"] for one in said.get("parameters", [])), where
            statuses = {int(status) for status in said["responses"]}
            assert min(statuses) < 300, where
            if not path.startswith("/api/v1/"):
                continue
            assert {401, 403, 429, 503} <= statuses, where
            assert {415, 422} <= statuses or method == "get", where
            for status, answer in said["responses"].items():
                kinds = set(answer.get("content", {}))
                assert kinds <= ({"application/problem+json"} if int(status) >= 400 else {"application/json", "*/*"}), (
                    where
                )


@pytest.mark.django_db
def test_openapi_page_lists_operations_without_scripts() -> None:
    answer = Client().get(PAGE)
    page = answer.content.decode()
    for path, item in document()["paths"].items():
        assert all(f'>{method.upper()}</span> <code class="path">{path}</code>' in page for method in item), path
    assert not re.search(r"<script|style=|<style", page)
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    loaded = re.findall(r'(?:src|link rel="\w+"[^>]*href)="([^"]*)"', page)
    assert loaded
    assert all(address.startswith("/static/") for address in loaded)
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets <= set(re.findall(r'id="([^"]+)"', page)), "every link within the page leads somewhere"
    assert not answer.cookies
