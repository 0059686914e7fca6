"""What the client's source must not contain, and what the page must not carry: read from the files themselves."""

import gzip
import html
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

from collector.designs import Design
from surveys.rendering.pages import render_closed, render_page
from surveys.templatetags import assets
from tests.factories import background, kinds, payloads, translations
from tests.tools.client import CLIENT, FORBIDDEN_IN_CLIENT, MARKUP, without_comments
from tests.tools.designs import canonical_and_digest

MODULES = sorted(CLIENT.glob("*.js"))
SPENT = sorted((CLIENT.parent / "spent").glob("*.js"))
"""The page of a person's own ledger."""

PANEL = sorted((CLIENT.parent / "panel").glob("*.js"))
"""The panel's own scripts."""

STYLES = sorted((CLIENT.parent / "style").glob("*.css"))
OWN_STYLES = [Path(str(finders.find(name))) for name in assets.STYLES]


def test_client_page_of_documentation_names_modules_that_exist() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "explanation", "respondent-page.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+\.js)`", text))
    assert named
    assert named <= {path.name for path in MODULES}


@pytest.mark.parametrize("path", [*MODULES, *SPENT], ids=lambda path: path.name)
def test_modules_have_no_forbidden_call(path: Path) -> None:
    assert re.findall(FORBIDDEN_IN_CLIENT, without_comments(path)) == []


@pytest.mark.parametrize("path", PANEL, ids=lambda path: path.name)
def test_panel_scripts_make_no_markup_from_text(path: Path) -> None:
    assert re.findall(rf"{MARKUP}|\beval\b|new Function", without_comments(path)) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_imports_end_in_semicolon_and_are_local(path: Path) -> None:
    """Else the collected file would name the unhashed module, which no `integrity` covers."""
    for line in re.findall(r"^import .*$|^\} from .*$", without_comments(path), re.MULTILINE):
        assert re.search(r' from "\./[a-z]+\.js";$', line), line


def test_sending_drawing_storing_are_in_one_module_each() -> None:
    def holding(pattern: str) -> list[str]:
        return [path.name for path in MODULES if re.search(pattern, without_comments(path))]

    assert holding(r"getRandomValues") == ["random.js"]
    assert holding(r'method: "POST"') == ["transport.js"]
    assert holding(r"encoding\.read\(") == ["practice.js", "report.js"], "the practice has tickets of its own"
    assert holding(r"indexedDB") == ["store.js"]
    assert [path.name for path in SPENT if "indexedDB" in without_comments(path)] == ["unsent.js"]
    assert holding(r"localStorage|sessionStorage") == ["losses.js", "remembered.js"]
    assert holding(r"history") == ["link.js", "steps.js"]
    assert holding(r"replaceState") == ["link.js"], "which takes the invitation out of the address bar"
    assert holding(r"pushState") == ["steps.js"]
    assert holding(r"popstate|beforeunload") == ["steps.js"]
    assert holding(r"HMAC|\.sign\(|importKey") == ["remembered.js"]


def test_stored_values_are_frozen_body_or_secret() -> None:
    def written(name: str) -> list[str]:
        return re.findall(r"(?:setItem|\.put)\(([^)]*)\)", without_comments(CLIENT / name))

    assert written("store.js") == ["body, KEY"]
    assert written("losses.js") == ["name, cost"], "what the design says, and the day"
    assert written("remembered.js") == ["this.#name, secret"]
    assert re.findall(r"(?:push|replace)State\((.*)\)", without_comments(CLIENT / "steps.js")) == ['AHEAD, ""']
    assert 'const AHEAD = "ahead";' in without_comments(CLIENT / "steps.js"), "an entry holds a word, never an answer"
    assert "secret = this.#find() ?? this.#own;" in without_comments(CLIENT / "remembered.js")
    assert "this.#own = drawSecret(source);" in without_comments(CLIENT / "remembered.js")


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_style_sheets_load_nothing(path: Path) -> None:
    """A rule on :checked with an address would be a request that depends on an answer."""
    assert re.findall(r"url\(|@import|@font-face|image-set", path.read_text(encoding="utf-8")) == []


def test_modules_stay_short() -> None:
    assert max(len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES) < 320


@pytest.fixture
def page() -> str:
    document = payloads.document()
    return render_page(Design.of(document)).decode()


def test_inputs_have_no_name_value_or_autofill(page: str) -> None:
    inputs = re.findall(r"<input[^>]*>", page)
    assert len(inputs) == 2 + 2 + 3 + 2 + 3, "the group, two questions, the practice and the check question"
    for tag in inputs:
        assert re.fullmatch(r'<input type="radio" autocomplete="off">', tag), tag


def test_page_has_no_form_link_or_inline_script(page: str) -> None:
    assert re.findall(r"<a [^>]*>", page) == ['<a href="/spent/">'], "the person's own ledger"
    assert re.findall(r"<form|<iframe|<img|<style| style=| on\w+=|javascript:|csrf", page) == []
    assert re.findall(r"<script[^>]*>[^<]", page) == []


BEFORE = {"text": {"en": "Think of the last year."}}


def scripts_of(page: str) -> set[str]:
    return set(re.findall(r"/static/surveys/client/([a-z]+)\.[0-9a-f]{12}\.js", page))


def test_scripts_and_styles_are_hashed_with_integrity(page: str) -> None:
    tags = re.findall(r'<(?:script type="module"|link rel="stylesheet")[^>]*>', page)
    assert len(tags) == len(scripts_of(page)) + len(assets.STYLES), "results.css is the results page's alone"
    for tag in tags:
        assert re.search(r'"/static/[a-z/]+\.[0-9a-f]{12}\.(?:js|css)" integrity="sha384-', tag), tag


def test_each_module_stands_after_all_that_it_imports(page: str) -> None:
    """WebKit refuses an import, under Integrity-Policy, whose address no script before it has named."""
    scripts = re.findall(r'<script type="module" src="/static/surveys/client/([a-z]+)\.', page)
    assert scripts[-1] == "page"
    assert len(scripts) == len(set(scripts)) == len(scripts_of(page))
    for place, name in enumerate(scripts):
        imported = assets.NEIGHBOUR.findall((CLIENT / f"{name}.js").read_text())
        assert {path.removeprefix("./") for path in imported} <= set(scripts[:place]), name


def test_optional_styles_are_only_on_pages_that_need_them(page: str) -> None:
    statements = [{"en": "I agree."}]
    asked = {
        "strata": {"wording": {"en": ""}, "groups": []},
        "background_questions": background.frozen(background.ARMS),
    }
    document = kinds.document(consent_statements=statements, **asked)
    document["items"][0]["before"] = BEFORE
    asking_all = render_page(Design.of(document)).decode()
    for name in ("entry", "beside", "matrix", "arms"):
        assert f"{name}." not in page
        assert re.search(rf'href="[^"]*style/{name}[^"]*\.css"\s+integrity=', asking_all)


def test_optional_modules_are_only_on_pages_that_need_them(page: str) -> None:
    """And no module is on none."""
    statements = [{"en": "I agree."}]
    panel = {"completion": {"address": "https://panel.example/end", "carry": {"id": "id"}}}
    waves = {"repeats": "remember", "spent": "1/1"}
    asked = {
        "strata": {"wording": {"en": ""}, "groups": []},
        "background_questions": background.frozen(background.ARMS, background.AGE),
    }
    document = kinds.document(
        invitations={"kind": "secret"}, waves=waves, consent_statements=statements, ending=panel, **asked
    )
    document["items"][0]["before"] = BEFORE
    asking_all = render_page(Design.of(document)).decode()
    assert scripts_of(asking_all) == {path.stem for path in MODULES}
    extras = [
        *(
            "entry",
            "beside",
            "arms",
            "background",
            "dropdown",
            "multiple",
            "number",
            "invitation",
            "remembered",
            "waves",
        ),
        "completion",
    ]
    assert scripts_of(asking_all) - scripts_of(page) == {*extras, "codes"}
    entries = re.findall(r'<script type="module" src="/static/surveys/client/([a-z]+)', asking_all)
    by_themselves = [name for name in entries if name in {*extras, "page"}]
    assert by_themselves == [*extras, "page"], "page.js finds there what it needs"


def test_rendering_twice_gives_same_bytes(page: str) -> None:
    document = payloads.document()
    assert render_page(Design.of(document)).decode() == page


def test_author_texts_are_escaped() -> None:
    evil = "</div><script>alert(1)</script>\"'&amp;{{ x }}{% y %}"
    document = payloads.document(title={"en": evil}, introduction={"en": evil}, consent={"en": evil})
    document["items"][0]["wording"] = document["items"][0]["choices"][0] = {"en": evil}
    document["strata"]["wording"] = document["strata"]["groups"][0]["label"] = {"en": evil}
    page = render_page(Design.of(document)).decode() + render_closed(Design.of(document)).decode()
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_page_has_canonical_design_and_digest() -> None:
    document = payloads.document()
    canonical, digest = canonical_and_digest(document)
    page = html.unescape(render_page(Design.of(document)).decode())
    assert canonical in page
    assert digest in page


def test_language_not_in_design_raises() -> None:
    document = payloads.document()
    with pytest.raises(ValueError, match="language must be one of en; got de"):
        render_page(Design.of(document), language="de")


@pytest.mark.parametrize("promise", ["anonym", "100 %", "100%", "noise is added", "lying", "guarantee"])
def test_page_avoids_false_promises(page: str, promise: str) -> None:
    assert promise not in page.lower()


@pytest.mark.parametrize("language", translations.CODES)
def test_page_scripts_and_style_together_stay_below_100_kb(language: str) -> None:
    """As they travel: compressed."""
    document = translations.document(*translations.CODES)
    page = render_page(Design.of(document), language, with_coin=True).decode()
    scripts = [path for path in MODULES if path.stem in scripts_of(page)]
    contents = [page.encode(), *(path.read_bytes() for path in (*scripts, *OWN_STYLES))]
    assert sum(len(gzip.compress(content)) for content in contents) < 100_000
    assert sum(map(len, contents)) < 225_000, "nor may they grow unseen"
