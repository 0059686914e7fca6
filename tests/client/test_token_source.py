"""The modules and the page with which an invitation is fetched: they may leak no more than the respondents' page."""

import re

import pytest

from collector.designs import Design
from surveys.rendering.token_page import render_page
from surveys.templatetags import assets
from tests.factories import payloads
from tests.tools.client import CLIENT, FORBIDDEN_IN_CLIENT, without_comments

MODULES = sorted((CLIENT.parent / "token").glob("*.js"))


@pytest.fixture(scope="module")
def page() -> str:
    document = payloads.document(invitations={"kind": "blind", "modulus": "f" * 768})
    return render_page(Design.of(document), "en").decode()


def test_modules_have_no_forbidden_call() -> None:
    assert len(MODULES) == 8
    for path in MODULES:
        assert re.findall(FORBIDDEN_IN_CLIENT, without_comments(path)) == [], path.name
        for line in re.findall(r"^import .*$|^\} from .*$", without_comments(path), re.MULTILINE):
            assert re.search(r' from "(\./|\.\./client/)[a-z]+\.js";$', line), line


def test_sending_and_storing_are_in_one_module_each() -> None:
    def holding(pattern: str) -> list[str]:
        return [path.name for path in MODULES if re.search(pattern, without_comments(path))]

    assert holding(r'method: "POST"') == ["signing.js"]
    assert holding(r"localStorage|sessionStorage") == ["pending.js"]
    assert holding(r"getRandomValues") == [], "client/random.js does, which notices a generator that is stuck"
    assert holding(r"history\.") == ["page.js"], "which takes the code out of the address bar"


def test_scripts_and_styles_are_hashed_with_integrity(page: str) -> None:
    tags = re.findall(r'<(?:script type="module"|link rel="stylesheet")[^>]*>', page)
    assert len(tags) == len(assets.token_modules()) + len(assets.STYLES) + 1
    for tag in tags:
        assert re.search(r'"/static/[a-z/]+\.[0-9a-f]{12}\.(?:js|css)" integrity="sha384-', tag), tag
    assert re.findall(r"<form|<iframe|<style| style=| on\w+=|csrf| name=\"(?!viewport|color-scheme|robots)", page) == []


def test_page_avoids_false_promises(page: str) -> None:
    for promise in ("anonym", "100 %", "guarantee", "ticket"):
        assert promise not in page.lower()


def test_author_texts_are_escaped() -> None:
    document = payloads.document(title={"en": "</h1><script>alert(1)</script>"})
    assert "<script>alert" not in render_page(Design.of(document), "en").decode()
