"""The look and the end of a survey: read, refused, stored, in the design, and shown on every page."""

import re
from base64 import b64encode
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs import COLOURS, Design, Look
from collector.errors import ValidationError
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.definition.appearance import (
    FONTS,
    LEAST_CONTRAST,
    TINT,
    contrast,
    mixed,
    require_contrast,
    style_sheet,
    tokens,
)
from surveys.definition.definitions import design_of
from surveys.lifecycle import selectors, services
from surveys.opening.services import open_survey
from surveys.rendering import pages
from tests.factories import payloads
from tests.factories.appearance import ENDING, LOOK, looked


def test_look_and_ending_round_trip_and_freeze() -> None:
    definition = looked()
    assert definitions.load(definitions.dump(definition)) == definition
    design = design_of(definition, version=1)
    assert (design.document["look"], design.document["ending"]) == (LOOK, ENDING)
    assert design.digest != design_of(definitions.complete(payloads.definition()), version=1).digest
    assert design.ending.completion.carry == {"survey_code": "id"}


def test_platform_look_and_empty_ending_are_left_out() -> None:
    empty = {"text": "", "link": {"label": "", "address": ""}, "completion": {"code": ""}}
    made = definitions.complete(payloads.definition(look={"font": "sans", "accent": ""}, ending=empty))
    assert made == definitions.complete(payloads.definition())


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"look": {"accent": "red"}}, ("look", "accent")),
        ({"look": {"background_dark": "#FFF"}}, ("look", "background_dark")),
        ({"look": {"font": "comic"}}, ("look", "font")),
        ({"look": {"surface": "#ffffff"}}, ("look",)),
        ({"ending": {"link": {"label": "Go", "address": "http://example.org"}}}, ("ending", "link", "address")),
        ({"ending": {"link": {"label": "Go", "address": "javascript:alert(1)"}}}, ("ending", "link", "address")),
        ({"ending": {"link": {"label": "Go", "address": "https://a@example.org/"}}}, ("ending", "link", "address")),
        ({"ending": {"link": {"label": "Go", "address": 'https://x/"><b>'}}}, ("ending", "link", "address")),
        ({"ending": {"link": {"label": "", "address": "https://example.org"}}}, ("ending", "link", "label", "en")),
        ({"ending": {"completion": {"code": "a b"}}}, ("ending", "completion", "code")),
        ({"ending": {"completion": {"code": "C1A", "carry": {"a": "b"}}}}, ("ending", "completion", "carry")),
        ({"ending": {"completion": {"address": "https://x", "carry": {"&": "c"}}}}, ("ending", "completion", "carry")),
        ({"ending": {"completion": {"codes": ["C1A"]}}}, ("ending", "completion")),
    ],
)  # fmt: skip
def test_wrong_look_or_ending_is_refused_with_its_place(changes: dict[str, Any], path: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as refused:
        design_of(definitions.complete(payloads.definition(**changes)), version=1)
    assert refused.value.path == path


def test_contrast_is_that_of_the_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # WebAIM's contrast checker
    assert contrast("#0c6661", "#0c6661") == 1
    assert mixed("#ff0000", "#ffffff", 0.5) == "#ff8080"


@pytest.mark.parametrize(
    ("look", "words"),
    [
        ({"accent": "#ffcc00"}, "with the background of questions, #ffffff; #ffcc00 has 1.51:1. #856a00 would do"),
        ({"accent": "#757575"}, "with the background of the page, #f5f4ef; #757575 has 4.18:1. #6"),
        ({"accent_dark": "#7a1f5c"}, "look.accent_dark must have a contrast of at least 4.5:1 with the"),
        ({"background": "#7a1f5c"}, "look.background must have a contrast of at least 4.5:1 with texts, #1a2425"),
        ({"background_dark": "#ffffff"}, "with texts, #e8eeee; #ffffff has 1.17:1. #"),
        ({"background": "#d0d0d0"}, "look.background must have a contrast of at least 4.5:1 with "),
        ({"accent": "#707070", "background": "#f0f0f0"}, "with the background of the page, #f0f0f0; #707070 has 4.3"),
    ],
)  # fmt: skip
def test_weak_contrast_names_pair_ratio_bound_and_advice(look: dict[str, str], words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        design_of(definitions.complete(payloads.definition(look=look)), version=1)
    assert words in str(refused.value)
    assert refused.value.path == ("look", next(iter(look)))


def test_advice_of_weak_contrast_is_taken() -> None:
    """60 looks by chance: the colour that an error names passes wherever it is put."""
    draw, tried = Random(20_261_125), 0
    while tried < 60:
        look = {name: f"#{draw.randrange(2**24):06x}" for name in COLOURS}
        for _ in range(len(COLOURS) + 2):
            try:
                require_contrast(Look(**look))
                break
            except ValidationError as weak:
                advised = re.search(r"; .*\. (#[0-9a-f]{6}) would do", str(weak))
                look[str(weak.path[1])] = advised[1] if advised else "none"
        else:
            pytest.fail(str(look))
        tried += 1


def test_no_text_on_a_tint_of_an_allowed_accent_is_weak() -> None:
    """The background of what explains is made of the accent: the platform's texts can be read on it, too."""
    draw = Random(20_261_126)
    for scheme, key in (("light", "accent"), ("dark", "accent_dark")):
        known, met = tokens()[scheme], 0
        while met < 50:
            accent = f"#{draw.randrange(2**24):06x}"
            try:
                require_contrast(Look(**{key: accent}))
            except ValidationError:
                continue
            met += 1
            tint = mixed(accent, known["surface"], TINT)
            for name in ("ink", "quiet", "other", "stop"):
                assert contrast(known[name], tint) >= LEAST_CONTRAST, (accent, name)


def test_platform_colours_pass_their_own_check() -> None:
    ours = {
        f"{name}{end}": tokens()[scheme][token]
        for name, token in (("accent", "accent"), ("background", "page"))
        for scheme, end in (("light", ""), ("dark", "_dark"))
    }
    assert design_of(definitions.complete(payloads.definition(look=ours)), version=1).look == Look(**ours)


def test_style_sheet_sets_each_scheme_and_nothing_from_elsewhere() -> None:
    light, _, dark = style_sheet(Look(**LOOK)).partition("prefers-color-scheme:dark")  # type: ignore[arg-type]
    assert {"--accent:#7a1f5c", "--page:#fbf3ea"} <= set(re.findall(r"--[a-z-]+:#[0-9a-f]{6}", light))
    assert {"--accent:#f0a6d4", "--page:#1b1118"} <= set(re.findall(r"--[a-z-]+:#[0-9a-f]{6}", dark))
    alone = style_sheet(Look(accent="#7a1f5c", background_dark="#000000"))
    dark = alone.partition("prefers-color-scheme:dark")[2]
    assert f"--accent:{tokens()['dark']['accent']}" in dark
    assert "--page:#000000" in dark
    assert "--page" not in alone.partition("prefers-color-scheme:dark")[0]
    assert style_sheet(Look()) == ""
    for font in FONTS:
        assert not re.search(r"url|@import|@font-face|[<>\\]", style_sheet(Look(font=font)))  # type: ignore[arg-type]


@pytest.mark.django_db
def test_draft_with_look_and_ending_comes_back_as_written(alice: User) -> None:
    assert selectors.definition_of(services.write_survey(looked(), team=home_team(alice))) == looked()


@pytest.mark.django_db
def test_every_page_of_a_survey_has_its_look_admitted_by_hash(alice: User) -> None:
    survey = services.write_survey(looked(), team=home_team(alice))
    alices = Client()
    alices.force_login(alice)
    preview = alices.get("/panel/survey/campus/preview/page")
    open_survey(survey)
    answers = [preview, *(Client().get(f"/s/campus/{page}") for page in ("", "coin/", "coin/sent/"))]
    services.close_survey(survey)
    answers.append(Client().get("/s/campus/"))
    for answer in answers:
        assert answer.status_code == 200, answer.request
        (sheet,) = re.findall(rb"<style>(.*?)</style>", answer.content)
        named = f"'sha256-{b64encode(sha256(sheet).digest()).decode()}'"
        assert f"style-src 'self' {named};" in answer["Content-Security-Policy"]
        assert "unsafe" not in answer["Content-Security-Policy"]


@pytest.mark.django_db
def test_survey_without_a_look_has_the_policy_and_the_page_of_before(alice: User) -> None:
    open_survey(services.write_survey(payloads.definition(), team=home_team(alice)))
    answer = Client().get("/s/campus/")
    assert "style-src 'self';" in answer["Content-Security-Policy"]
    assert b"<style" not in answer.content
    assert b"completion" not in answer.content.partition(b"</main>")[0]


@pytest.mark.django_db
def test_entry_parameters_change_nothing_and_are_logged_nowhere(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    open_survey(services.write_survey(looked(), team=home_team(alice)))
    plain = Client().get("/s/campus/")
    came = Client().get("/s/campus/", {"PROLIFIC_PID": "canary5f7a", "id": "canary77"})
    assert came.content == plain.content
    assert "canary" not in caplog.text
    assert "canary" not in str(came.headers)


def test_end_of_the_page_has_text_code_and_ways_on() -> None:
    page = pages.render_page(design_of(looked(), version=1)).decode()
    end = page.partition('data-stage="sent"')[2].partition("</section>")[0]
    assert "See you next year." in end
    assert '<code data-part="completion-code">C1ABC</code>' in end
    assert 'href="https://uni.sona-systems.com/credit.aspx?a=1" target="_top" rel="noreferrer"' in end
    assert "Go back to uni.sona-systems.com" in end
    assert 'href="https://example.org/study" target="_top" rel="noreferrer">About the study</a>' in end
    assert "client/completion" in page
    without = looked()
    del without["ending"]["completion"]["carry"]
    assert "client/completion" not in pages.render_page(design_of(without, version=1)).decode()
    assert "client/completion" not in pages.render_page(Design.of(payloads.document())).decode()
