"""The editor's addresses: what its script asks and gets, and what a stranger gets."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.accounts.access import Role
from surveys.accounts.teams import home_team
from surveys.exchange import translation_files
from surveys.lifecycle import drafts, selectors
from surveys.lifecycle.services import write_survey
from surveys.models import AuditEntry, Membership, Survey
from surveys.opening.services import open_survey
from surveys.planning.draft_prices import channel_at, divided, fitted, price_of
from tests.factories import payloads
from tests.panel.conftest import SignIn
from tests.panel.forms import BILINGUAL

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(alice: User) -> Survey:
    return write_survey(payloads.definition(), team=home_team(alice))


def address(name: str) -> str:
    return reverse(f"panel:{name}", args=["campus"])


def post(client: Client, name: str, **body: Any) -> HttpResponse:
    return client.post(address(name), json.dumps(body), content_type="application/json")


def answer(client: Client, name: str, **body: Any) -> Any:
    response = post(client, name, **body)
    assert response.status_code == 200, response.content
    return json.loads(response.content)


KEY = {"path": ["items", "mood", "key"], "was": "mood"}
TITLE = {"path": ["title", "en"], "was": "Campus", "now": "College"}


def test_editor_page_has_the_draft_and_leads_to_the_plain_form(her: Client, draft: Survey) -> None:
    response = her.get(address("edit"))
    html = response.content.decode()
    state = json.loads(
        html.partition('<script id="editor-state" type="application/json">')[2].partition("</script>")[0]
    )
    assert state["definition"] == payloads.definition()
    assert {kind["name"] for kind in state["kinds"]} >= {"yes_no", "one_choice", "several_choices", "scale", "number"}
    assert set(state["refused"]) == {"Open text", "Ranking", "Files"}
    assert reverse("admin:surveys_survey_change", args=[draft.pk]) in html


def test_editor_of_an_open_survey_leads_to_its_page(her: Client, draft: Survey) -> None:
    open_survey(draft)
    assert her.get(address("edit"))["Location"] == address("survey")
    refused = post(her, "edit-save", changes=[TITLE])
    assert refused.status_code == 409
    assert "only a draft can be changed" in refused.content.decode()


def test_editor_save_answers_with_revision_and_problems(her: Client, draft: Survey, alice: User) -> None:
    choices = payloads.definition()["items"][1]["choices"]
    emptied = {"path": ["items", "mood", "choices"], "was": choices, "now": []}
    saved = answer(her, "edit-save", changes=[TITLE, emptied])
    assert (saved["revision"], saved["definition"]["title"]) == (2, {"en": "College"})
    assert saved["problems"][0] == {
        "level": "stops",
        "path": ["items", "mood", "choices"],
        "text": "At least 2 are needed; there are none.",
        "mark": "",
        "dismissed": "",
    }
    newest = draft.revisions.first()
    assert newest is not None
    assert newest.saved_by == alice


def test_editor_page_leaves_its_problems_to_be_asked_for(her: Client, draft: Survey) -> None:
    html = her.get(address("edit")).content.decode()
    state = html.partition('<script id="editor-state" type="application/json">')[2].partition("</script>")[0]
    assert "problems" not in json.loads(state)
    asked = json.loads(her.get(address("edit-look"), {"tab": "t", "revision": 1, "problems": ""}).content)
    assert (asked["problems"], "definition" in asked) == ([], False)


def test_editor_save_answers_with_the_draft_only_where_it_is_news(her: Client, draft: Survey) -> None:
    assert "definition" not in answer(her, "edit-save", changes=[TITLE], revision=1)
    consent = {"path": ["consent", "en"], "was": payloads.definition()["consent"]["en"], "now": "I agree."}
    late = answer(her, "edit-save", changes=[consent], revision=1)
    assert (late["definition"]["title"], late["definition"]["consent"]) == ({"en": "College"}, {"en": "I agree."})


def test_editor_save_asks_where_both_changed(her: Client, draft: Survey) -> None:
    answer(her, "edit-save", changes=[TITLE])
    refused = post(her, "edit-save", changes=[TITLE | {"now": "School"}])
    assert refused.status_code == 409
    clash = {"path": ["title", "en"], "was": "Campus", "theirs": "College", "yours": "School"}
    assert json.loads(refused.content)["clashes"] == [clash]


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ({}, ["changes"], "must be a list"),
        ({"changes": [KEY | {"now": "No Key"}]}, ["items", "No Key", "key"], "Use a-z"),
        ({"changes": [TITLE | {"now": 5}]}, ["title", "en"], "must be a text; got 5"),
        ({"changes": [{"path": ["items", "new"], "now": 5}]}, ["items", 2], "must be an object"),
    ],
)  # fmt: skip
def test_editor_save_refuses_with_the_field(her: Client, draft: Survey, body: Any, path: list[str], words: str) -> None:
    refused = post(her, "edit-save", **body)
    assert refused.status_code == 422
    found = json.loads(refused.content)
    assert found["path"] == path
    assert words in found["message"]


def test_editor_options_are_classes_in_each_language(her: Client, draft: Survey) -> None:
    classes = {"by": "year", "from": "2024", "to": "2025", "earlier": True}
    assert answer(her, "edit-options", languages=["en", "ar"], classes=classes)["choices"] == [
        {"en": "Before 2024", "ar": "قبل 2024"}, {"en": "2024", "ar": "2024"}, {"en": "2025", "ar": "2025"},
    ]  # fmt: skip
    made = answer(her, "edit-options", languages=["en", "ar"], classes=classes)["choices"]
    assert answer(her, "edit-options", languages=["en", "ar"], choices=made) == {"classes": classes}
    assert answer(her, "edit-options", languages=["en", "ar"], choices=made[:1]) == {"classes": None}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"languages": ["en"]}, ["classes"]),
        ({"languages": ["en"], "classes": {"by": "time", "hours": 5}}, ["classes", "hours"]),
        ({"languages": ["../en"], "classes": {"by": "time", "hours": 6}}, ["languages"]),
        ({"languages": [["en"]], "classes": {"by": "time", "hours": 6}}, ["languages"]),
        ({"classes": {"by": "time", "hours": 6}}, ["languages"]),
        ({"languages": ["en"], "choices": "2024"}, ["choices"]),
        ({"languages": ["en"], "choices": [{"en": "2024"}] * 257}, ["choices"]),
        ({"languages": ["en"], "choices": [{"en": "2024"}, {"en": 2025}]}, ["choices", 1]),
    ],
)
def test_editor_options_refuse_with_the_field(her: Client, draft: Survey, body: Any, path: list[str]) -> None:
    refused = post(her, "edit-options", **body)
    assert refused.status_code == 422
    assert json.loads(refused.content)["path"] == path


def test_editor_refuses_what_is_no_json(her: Client, draft: Survey) -> None:
    for name in ("edit-save", "edit-prices", "edit-protect", "edit-options"):
        refused = her.post(address(name), b"[1", content_type="application/json")
        assert (refused.status_code, json.loads(refused.content)["message"]) == (
            422,
            "the request must be a JSON object",
        )


def test_editor_of_another_team_is_missing(draft: Survey, bob: User, sign_in: SignIn) -> None:
    stranger = sign_in(bob)
    for name in ("edit", "edit-look", "edit-revisions"):
        assert stranger.get(address(name)).status_code == 404
    for name in ("edit-save", "edit-prices", "edit-protect", "edit-options", "preview-page"):
        assert post(stranger, name, changes=[TITLE]).status_code == 404
    Membership.objects.create(team=draft.team, user=bob, role=Role.VIEWER)
    assert post(stranger, "edit-save", changes=[TITLE]).status_code == 403
    assert selectors.definition_of(Survey.objects.get()) == payloads.definition()


def test_editors_see_each_other_and_newer_revisions(her: Client, draft: Survey, bob: User, sign_in: SignIn) -> None:
    Membership.objects.create(team=draft.team, user=bob, role=Role.EDITOR)
    cache.delete(f"editing:{draft.pk}")  # of another test
    his = sign_in(bob)
    his.get(address("edit-look"), {"tab": "b", "at": "item:mood", "revision": 1})
    seen = her.get(address("edit-look"), {"tab": "a", "at": "survey", "revision": 1}).json()
    assert [(one["name"], one["at"]) for one in seen["others"]] == [("bob", "item:mood")]
    assert "definition" not in seen
    answer(his, "edit-save", changes=[TITLE])
    news = her.get(address("edit-look"), {"tab": "a", "revision": 1}).json()
    assert (news["revision"], news["definition"]["title"]) == (2, {"en": "College"})


def test_editor_revisions_can_be_read(her: Client, draft: Survey) -> None:
    answer(her, "edit-save", changes=[TITLE])
    listed = her.get(address("edit-revisions")).json()["revisions"]
    assert [(one["number"], one["by"]) for one in listed] == [(2, "alice"), (1, "")]
    assert her.get(address("edit-revisions"), {"number": 1}).json()["definition"] == payloads.definition()
    for number in ("7", "x", "9" * 30):
        assert her.get(address("edit-revisions"), {"number": number}).status_code == 409


def test_preview_of_an_unfinished_definition_shows_what_is_there(her: Client, draft: Survey) -> None:
    unfinished = payloads.definition(languages=["en", "de"])
    unfinished["items"][0] |= {"choices": [], "asked_if": {"item": "gone", "answers": [0]}, "unasked": 0}
    unfinished["items"][1]["channel"] = {"name": "k_ary", "truth": "7"}
    unfinished["items"].append(
        {"key": "n", "kind": "number", "wording": {}, "choices": [], "channel": {"name": "one_bit"}}
    )
    unfinished["languages"] = ["de"]  # the language that is shown; the others are not sent
    sent = {"definition": json.dumps(unfinished), "languages": "en de xx"}
    page = her.post(address("preview-page"), sent).content.decode()
    assert "How do you feel?" in page
    assert '<html lang="de"' in page
    assert "English" in page
    assert 'id="question-3"' in page
    broken = her.post(address("preview-page"), {"definition": "{"})
    assert "the definition must be JSON" in broken.content.decode()
    assert selectors.definition_of(Survey.objects.get()) == payloads.definition()


def test_preview_above_a_ceiling_has_a_place_for_the_reason(her: Client, draft: Survey) -> None:
    many = payloads.definition()
    many["items"] = [many["items"][1] | {"key": f"q{number}"} for number in range(4)]
    page = her.post(address("preview-page"), {"definition": json.dumps(many)}).content.decode()
    assert "Here stands the reason that you give when you open it." in page


def priced() -> Any:
    return [item | {"wording": ""} for item in payloads.definition()["items"]]


def test_prices_are_those_of_the_planner(her: Client, draft: Survey) -> None:
    found = answer(her, "edit-prices", items=priced(), respondents=300)
    assert found["questions"]["cheated"]["epsilon"] == pytest.approx(1.0986, abs=1e-4)
    assert found["questions"]["cheated"]["width"] == "10.7 points"
    assert found["epsilon"] == pytest.approx(1.0986 + 1.3863, abs=1e-4)
    more = answer(her, "edit-prices", items=priced(), respondents=30_000)
    assert more["questions"]["cheated"]["width"] == "1.1 points"
    assert post(her, "edit-prices", items=priced(), respondents=0).status_code == 422
    unfinished = [{"key": "a", "kind": "number", "channel": {"name": "one_bit"}}]
    assert answer(her, "edit-prices", items=unfinished, respondents=300)["complete"] is False


@pytest.mark.parametrize("kind", ["yes_no", "one_choice", "several_choices", "scale", "number"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("withheld", [False, True])
def test_slider_gives_a_table_within_the_loss(kind: Any, epsilon: float, withheld: bool) -> None:
    item: Any = {"key": "q", "kind": kind, "wording": {}, "choices": [{}, {}], "channel": {"name": "custom"}}
    if kind != "yes_no":
        item["choices"] = [{}] * 4
    if withheld and kind != "number":
        item["prefer_not"] = {"en": "No"}
    channel = channel_at(item, epsilon, choose=True)
    found = price_of([item | {"channel": channel}], 1000).questions["q"]
    assert found.epsilon is not None
    assert 0.85 * epsilon <= found.epsilon <= epsilon + 1e-9


def test_fitted_draft_is_within_the_budget() -> None:
    items: Any = [one | {"key": f"q{n}"} for n in range(4) for one in payloads.definition()["items"]]
    for number, item in enumerate(items):
        item["key"] = f"q{number}"
    assert price_of(items, 1000).epsilon > 9
    channels = fitted(items, 4.0)
    made = [item | {"channel": channels[item["key"]]} for item in items]
    assert 3.9 < price_of(made, 1000).epsilon <= 4.0
    assert fitted(made, 4.0) == {}, "nothing gives way without need"


def test_budget_is_kept_in_each_version_of_the_page() -> None:
    """Two questions, of which the second version asks the first in another way: no version asks all three."""
    items = marked("very", "very", "somewhat")
    for one in items[:2]:
        one |= {"kind": "yes_no", "choices": [{}, {}], "channel": {"name": "forced_response", "truth": "9/10"}}
    versions = ((0, 2), (1, 2))
    for divide in (fitted, divided):
        channels = divide(items, 1.2, versions)
        total, losses = applied(items, channels)
        made = [item | {"channel": channels.get(item["key"], item["channel"])} for item in items]
        assert 1.1 < price_of(made, 1000, versions).epsilon <= 1.2 < total
        assert losses[0] == losses[1]
    assert fitted(made, 1.2, versions) == {}, "nothing gives way without need"


def marked(*sensitivities: str) -> Any:
    """A question of each kind in turn, with what its author says of it; an empty word is a table set by hand."""
    kinds: Any = ("yes_no", "one_choice", "several_choices", "scale", "number")
    items: list[Any] = []
    for number, sensitivity in enumerate(sensitivities):
        kind = kinds[number % len(kinds)]
        item = {"key": f"q{number}", "kind": kind, "wording": {}, "choices": [{}] * (0 if kind == "number" else 4)}
        item |= {"choices": [{}, {}]} if kind == "yes_no" else {}
        item |= {"sensitivity": sensitivity} if sensitivity else {}
        item |= {"channel": channel_at(item | {"channel": {"name": "custom"}}, 1.0, choose=True)}
        items.append(item)
    return items


def applied(items: Any, channels: Any) -> tuple[float, list[float]]:
    """The total loss with these channels, and that of each question."""
    found = price_of([item | {"channel": channels.get(item["key"], item["channel"])} for item in items], 1000)
    return found.epsilon, [found.questions[item["key"]].epsilon or 0 for item in items]


@pytest.mark.parametrize("budget", [1.0, 2.0, 4.0, 8.0])
def test_divided_budget_is_kept_and_less_goes_to_the_very_sensitive(budget: float) -> None:
    items = marked("very", "somewhat", "little", "very", "somewhat", "little", "very", "somewhat")
    total, losses = applied(items, divided(items, budget))
    assert 0.9 * min(budget, 8.5) <= total <= budget
    assert max(losses[n] for n in (0, 3, 6)) < min(losses[n] for n in (1, 4, 7))
    assert max(losses[n] for n in (1, 4, 7)) < min(losses[n] for n in (2, 5))
    assert max(losses) <= 2.0, "no question takes more than is wanted for it, however large the budget"


def test_divided_budget_leaves_alone_what_is_set_by_hand() -> None:
    items = marked("", "very", "somewhat", "little")
    channels = divided(items, 3.0)
    total, losses = applied(items, channels)
    assert "q0" not in channels
    assert 2.8 < total <= 3.0
    assert losses[1] == pytest.approx(losses[3] / 4, rel=0.1)
    assert divided(marked("", "", ""), 1.0) == {}, "nothing is divided where nothing is marked"


def test_divided_budget_that_is_overdrawn_by_hand_is_repaired_by_fitting() -> None:
    items = marked("", "", "", "", "somewhat")
    total, losses = applied(items, divided(items, 2.0))
    assert total > 2.0
    assert losses[4] > 0.3, "four questions by hand leave nothing, but this one is not squeezed to nothing"
    total, losses = applied(items, fitted(items, 2.0))
    assert 1.8 < total <= 2.0
    assert min(losses) > 0.3


def test_divided_budget_keeps_a_table_and_a_mechanism_of_the_authors_own() -> None:
    (item,) = marked("very")
    assert divided([item | {"channel": {"name": "custom", "weights": [[3, 1], [1, 3]]}}], 4.0) == {}
    warner = divided([item | {"channel": {"name": "warner", "truth": "9/10"}}], 4.0)["q0"]
    assert warner["name"] == "warner"
    assert applied([item], {"q0": warner})[0] <= 0.5


def test_editor_divides_a_budget_or_fits_to_it(her: Client, draft: Survey) -> None:
    items = priced()
    items[0]["sensitivity"] = "very"
    channels = answer(her, "edit-protect", items=items, budget=4)["channels"]
    assert list(channels) == ["cheated"]
    assert set(answer(her, "edit-protect", items=items, budget=1, everything=True)["channels"]) == {"cheated", "mood"}
    refused = post(her, "edit-protect", items=[items[0] | {"sensitivity": "extremely"}], budget=4)
    assert refused.status_code == 422
    assert json.loads(refused.content)["path"] == ["items", 0, "sensitivity"]


@pytest.mark.parametrize(
    ("form", "name", "kind"),
    [
        ("csv", "campus-translations.csv", "text/csv; charset=utf-8"),
        ("xlsx", "campus-translations.xlsx", translation_files.FORMATS["xlsx"]),
        ("po", "campus-de.po", "text/x-gettext-translation; charset=utf-8"),
    ],
)
def test_editor_gives_translations_and_reads_them(her: Client, alice: User, form: str, name: str, kind: str) -> None:
    write_survey(BILINGUAL, team=home_team(alice))
    response = her.get(address("edit-translations"), {"format": form, "language": "de"})
    assert (response["Content-Type"], response.status_code) == (kind, 200)
    assert f'filename="{name}"' in response["Content-Disposition"]
    assert AuditEntry.objects.get(act="exported").detail == f"the translations, as {form.upper()}"
    file = SimpleUploadedFile(name, response.content)
    nothing = {"texts": [], "unknown": [], "stale": [], "unfinished": [], "columns": []}
    assert her.post(address("edit-translations-read"), {"file": file}).json() == nothing
    refused = her.get(address("edit-translations"), {"format": form, "language": "fr"})
    assert refused.status_code == (422 if form == "po" else 200)
    assert her.get(address("edit-translations"), {"format": "pdf"}).status_code == 404


def test_editor_reads_a_translation_and_writes_nothing(her: Client, alice: User) -> None:
    survey = write_survey(BILINGUAL, team=home_team(alice))
    file = SimpleUploadedFile("a.csv", b"text,en,de\ntitle,Campus,Hochschule\ngone,x,y\n")
    found = her.post(address("edit-translations-read"), {"file": file}).json()
    assert found["texts"] == [{"place": "title", "language": "de", "words": "Hochschule"}]
    assert found["unknown"] == ["gone"]
    assert selectors.definition_of(survey)["title"]["de"] == "Universität"
    for sent in ({}, {"file": SimpleUploadedFile("a.xlsx", b"PK\x03\x04 nothing")}):
        refused = her.post(address("edit-translations-read"), sent)
        assert (refused.status_code, refused.json()["path"]) == (422, ["file"])


def test_new_survey_begins_with_its_title(her: Client) -> None:
    page = her.post(reverse("panel:new"), {"title": "Über Geld sprechen"})
    survey = Survey.objects.get()
    assert (page["Location"], survey.slug) == (reverse("panel:edit", args=[survey.slug]), "uber-geld-sprechen")
    assert drafts.revision_of(survey) == 1
    assert her.post(reverse("panel:new"), {"title": "<b>"})["Location"] == reverse("panel:new")
    her.post(reverse("panel:new"), {"title": "Über Geld sprechen"})
    assert Survey.objects.filter(slug="uber-geld-sprechen-2").exists()


def test_advice_dismissed_in_english_is_dismissed_in_german(her: Client, draft: Survey) -> None:
    leading = {"path": ["items", "cheated", "wording", "en"], "was": "Have you cheated?", "now": "Surely you cheated?"}
    found = answer(her, "edit-save", changes=[leading])["problems"]
    (advice,) = [one for one in found if one["path"][1:3] == ["cheated", "wording"]]
    answer(her, "edit-dismiss", mark=advice["mark"], reason="It is a quotation.")
    her.cookies["candor_language"] = "de"
    again = leading | {"path": ["title", "en"], "was": draft.title["en"], "now": "Another"}
    (german,) = [one for one in answer(her, "edit-save", changes=[again])["problems"] if one["path"] == advice["path"]]
    assert (german["mark"], german["dismissed"]) == (advice["mark"], "It is a quotation.")
    assert "Das legt eine Antwort nahe." in german["text"]
    assert "It suggests an answer." in advice["text"]


def test_advice_is_dismissed_with_a_reason_until_the_text_changes(her: Client, draft: Survey) -> None:
    leading = {"path": ["items", "cheated", "wording", "en"], "was": "Have you cheated?", "now": "Surely you cheated?"}
    found = answer(her, "edit-save", changes=[leading])["problems"]
    (advice,) = [one for one in found if one["path"][1:3] == ["cheated", "wording"]]
    assert (advice["level"], advice["dismissed"]) == ("advice", "")
    assert post(her, "edit-dismiss", mark=advice["mark"], reason=" ").status_code == 422
    assert post(her, "edit-dismiss", mark="f" * 64, reason="x").status_code == 409
    after = answer(her, "edit-dismiss", mark=advice["mark"], reason="It is a quotation.")["problems"]
    assert advice | {"dismissed": "It is a quotation."} in after
    entry = AuditEntry.objects.get(act="dismissed advice")
    assert "It is a quotation." in entry.detail
    again = {"path": leading["path"], "was": leading["now"], "now": "Surely you have cheated?"}
    changed = answer(her, "edit-save", changes=[again])["problems"]
    assert [one["dismissed"] for one in changed if one["path"] == advice["path"]] == [""]
    back = answer(her, "edit-save", changes=[again | {"was": again["now"], "now": again["was"]}])["problems"]
    assert advice | {"dismissed": "It is a quotation."} in back
    assert advice in answer(her, "edit-dismiss", mark=advice["mark"])["problems"]
