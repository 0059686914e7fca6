"""The preview of a draft, saved or not: the real page, which stores nothing, sends nothing, weakens no other page."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from collector.models import FrozenDesign
from config.middleware import COIN_POLICY, PANEL_POLICY, PREVIEW_POLICY, RESPONDENT_POLICY, headers_for
from surveys.accounts.teams import home_team
from surveys.definition.definitions import design_of
from surveys.lifecycle import preview_links, selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Item, Survey, Version
from surveys.rendering import pages
from tests.factories import background, payloads
from tests.panel.forms import BILINGUAL, change, form_of

pytestmark = pytest.mark.django_db

FORM = "panel:preview-form"


@pytest.fixture
def bilingual(alice: User) -> Survey:
    return write_survey(BILINGUAL, team=home_team(alice))


def shown(client: Client, survey: Survey, **changes: Any) -> str:
    fields = form_of(client, change(survey)) | {"preview-survey": survey.slug} | changes
    answer = client.post(reverse(FORM), fields)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_preview_shows_unsaved_form_and_stores_nothing(bilingual: Survey, her: Client) -> None:
    changed = {"items-0-wording": "Did you ever cheat?", "items-0-wording_de": "Je betrogen?", "items-1-DELETE": "on"}
    html = shown(her, bilingual, **changed)
    assert "Did you ever cheat?" in html
    assert "How are you?" not in html
    assert "Je betrogen?" in shown(her, bilingual, **changed, **{"preview-language": "de"})
    assert selectors.definition_of(Survey.objects.get()) == BILINGUAL
    assert not FrozenDesign.objects.exists()


def test_preview_of_unsaved_survey(her: Client) -> None:
    fields = form_of(her, reverse("admin:surveys_survey_add"))
    fields |= {"title": "New", "items-0-key": "a", "items-0-wording": "Is it so?"}
    assert "Is it so?" in her.post(reverse(FORM), fields).content.decode()
    assert not Survey.objects.exists()


def test_preview_accepts_1500_fields(her: Client) -> None:
    """Fifty questions have more than the thousand fields that Django takes by itself."""
    assert her.post(reverse(FORM), {f"items-{number}-key": "" for number in range(1500)}).status_code == 200


def test_preview_orders_items_by_position(bilingual: Survey, her: Client) -> None:
    html = shown(her, bilingual, **{"items-0-position": "9"})
    assert html.index("How are you?") < html.index("Have you cheated?")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"items-0-truth": "5/4"}, "cheated: Truth probability: Truth must be greater than 0 and less than 1; got 5/4"),
        ({"items-1-key": "cheated"}, "items must have different keys; cheated is used more than once"),
        ({"items-1-wording_de": ""}, "items[1].wording.de must not be empty"),
        ({"title": ""}, "Title: This field is required."),
    ],
)
def test_preview_incomplete_form_names_faults(
    bilingual: Survey, her: Client, changes: dict[str, str], words: str
) -> None:
    html = shown(her, bilingual, **changes)
    assert "Not complete yet" in html
    assert words in html


def test_preview_equals_page_except_sending(bilingual: Survey, her: Client) -> None:
    """Banner, button, address and switch: taken away, the rest is byte for byte what respondents get."""
    preview = her.get(reverse("panel:preview-page", args=["campus"])).content.decode()
    design = design_of(BILINGUAL, version=1)
    real = re.sub(r"--against [^<]+", "--against ", pages.render_page(design).decode())
    assert 'data-part="send-button" disabled>' in preview
    assert 'data-survey=""' in preview
    assert "/s/campus/" not in preview
    plain = re.sub(
        r'\n<link [^>]*preview-note[^>]*>\s*<p class="notice preview-note".*?</p>\n',
        "",
        preview,
        flags=re.S,
    )
    plain = plain.replace('send-button" disabled>', 'send-button">').replace(
        'data-survey=""', 'data-survey="/s/campus/"'
    )
    plain = plain.replace('<details class="fold" hidden>', '<details class="fold">')
    plain = plain.replace('<a lang="de"', '<a href="/s/campus/de/" lang="de"')
    plain = plain.replace("<a>My survey record", '<a href="/spent/">My survey record')
    assert plain == real


def test_preview_above_ceiling_gives_a_reason(bilingual: Survey, her: Client) -> None:
    """Without one the browser refuses the design, and an ethics board would see nothing of the survey."""
    assert '"reason":' not in her.get(reverse("panel:preview-page", args=["campus"])).content.decode()
    Item.objects.filter(survey=bilingual).update(truth="19/20")
    assert '"reason":' in her.get(reverse("panel:preview-page", args=["campus"])).content.decode()


def test_preview_of_rehearsed_survey_is_a_page_to_answer(bilingual: Survey, her: Client) -> None:
    """A browser refuses the design of a survey that only simulated people answer."""
    Survey.objects.update(rehearsal=True)
    secret = preview_links.make(bilingual, 1, by=bilingual.team.memberships.get().user)
    for address in (reverse("panel:preview-page", args=["campus"]), reverse("preview-by-link", args=[secret])):
        page = her.get(address).content.decode()
        assert '"rehearsal":false' in page, address
        assert '"rehearsal":true' not in page, address


def test_preview_headers_allow_panel_frame_only(bilingual: Survey, her: Client) -> None:
    for answer in (
        her.get(reverse("panel:preview-page", args=["campus"])),
        her.post(reverse(FORM), form_of(her, change(bilingual))),
    ):
        policy = answer["Content-Security-Policy"]
        assert policy == PREVIEW_POLICY
        assert "connect-src 'none'" in policy
        assert "form-action 'none'" in policy
        assert "frame-ancestors 'self'" in policy
        assert answer["X-Frame-Options"] == "SAMEORIGIN"
        assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize(
    ("path", "policy"),
    [
        ("/s/campus/", RESPONDENT_POLICY),
        ("/s/preview/page", RESPONDENT_POLICY),
        ("/s/campus/coin/", COIN_POLICY),
        ("/panel/", PANEL_POLICY),
        ("/panel/survey/campus/preview/", PANEL_POLICY),
        ("/panel/survey/campus/preview/page/x", PANEL_POLICY),
        ("/panel/preview/x", PANEL_POLICY),
    ],
)
def test_preview_leaves_other_policies_strict(path: str, policy: str) -> None:
    assert headers_for(path)["Content-Security-Policy"] == policy
    assert "frame-ancestors 'none'" in policy


def test_preview_page_switches_language(bilingual: Survey, her: Client) -> None:
    html = her.get(reverse("panel:preview", args=["campus"]), {"language": "de"}).content.decode()
    assert f'src="{reverse("panel:preview-page", args=["campus"])}?language=de"' in html
    assert (
        "Haben Sie betrogen?"
        in her.get(reverse("panel:preview-page", args=["campus"]), {"language": "de"}).content.decode()
    )
    other = her.get(reverse("panel:preview-page", args=["campus"]), {"language": "xx"})
    assert "Have you cheated?" in other.content.decode()


def test_preview_of_other_survey_answers_404(version: Version, bob: User, sign_in: Any) -> None:
    his: Client = sign_in(bob)
    assert his.post(reverse(FORM), {"preview-survey": "campus", "title": "x"}).status_code == 404
    assert his.get(reverse(FORM)).status_code == 405
    assert payloads.definition() == selectors.definition_of(version.survey)


@pytest.mark.parametrize(("first", "shown"), [(0, 1), (1, 1), (2, 2)])
def test_questions_alone_are_what_the_whole_page_has(
    her: Client, alice: User, bilingual: Survey, first: int, shown: int
) -> None:
    """Two questions, and a grid of two rows: the editor puts the words of one of them into the page that it has."""
    grid = {"kind": "scale", "heading": {"en": "How often?"}, "channel": {"name": "k_ary", "truth": "1/2"}}
    points = [{"en": words} for words in ("Never", "At <times>", "Often & daily")]
    rows = [grid | {"key": key, "wording": {"en": f"To {key}"}, "choices": points} for key in ("swim", "run")]
    one = {"key": "mood", "kind": "one_choice", "wording": {"en": "How are “you”?"}, "choices": points}
    items = [one | {"channel": grid["channel"], "prefer_not": {"en": "No word"}}, one | {"key": "eve"}, *rows]
    items[1] |= {"channel": grid["channel"], "asked_if": {"item": "mood", "answers": [1]}, "unasked": 0}
    whole = {"languages": ["en"], "title": {"en": "Campus"}, "items": items}
    address = reverse("panel:preview-page", args=[bilingual.slug])
    page = her.post(address, {"definition": json.dumps(whole), "languages": "en de"}).content.decode()
    alone = [{k: v for k, v in item.items() if k not in ("asked_if", "unasked")} for item in items]
    sent = {"definition": json.dumps({"languages": ["en"], "items": alone[first : first + shown]})}
    place = {"first": first + 1, "shown": first + 1, "count": len(items), "branching": "on"}
    answer = her.post(address, sent | place)
    assert answer.status_code == 200
    html = answer.content.decode()
    assert f'id="question-{first + 1}"' in html
    assert html.strip() in page


def test_questions_alone_name_what_is_wrong_with_their_place(her: Client, bilingual: Survey) -> None:
    sent = {"definition": json.dumps({"languages": ["en"], "items": []}), "count": "1"}
    answer = her.post(reverse("panel:preview-page", args=[bilingual.slug]), sent | {"first": "-1"})
    assert "first must be a whole number of at most three digits; got" in answer.content.decode()


def test_preview_shows_the_version_that_is_asked_for(her: Client, alice: User) -> None:
    survey = write_survey(background.weaker(), team=home_team(alice))
    page = her.get(reverse("panel:preview", args=[survey.slug]), {"version": "1"}).content.decode()
    assert "A quarter of the tickets" in page
    assert f'{reverse("panel:preview-page", args=[survey.slug])}?language=en&amp;version=1"' in page
    for version, wanted in (("1", 'data-version="1"'), ("0", 'data-version="0"'), ("7", None), ("x", None)):
        answer = her.get(reverse("panel:preview-page", args=[survey.slug]), {"version": version}).content.decode()
        tag = answer[: answer.index("<head>")]
        assert (wanted in tag) if wanted else ("data-version" not in tag)
