"""The planner: its numbers are the library's, every bound is named, and only a draft of one's own is changed."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from randomized_response import (
    SubsetSelection,
    discrete_laplace,
    epsilon_total,
    forced_response,
    k_ary,
    one_bit,
    plan,
    warner,
)
from surveys.accounts.teams import home_team
from surveys.definition.mechanisms import MECHANISMS
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.models import Survey, Version
from surveys.planning.draft_prices import price_of
from surveys.planning.parameters import PlanParameters
from surveys.planning.presentation import present
from surveys.planning.question import PlannedQuestion
from tests.factories import payloads
from tests.tools.gate import few

pytestmark = pytest.mark.django_db

COINS = {"name": "forced_response", "truth": "1/5", "yes": "1/2"}
TABLE = {"name": "custom", "weights": [[4, 1, 1], [1, 4, 1], [1, 1, 4]]}
GRID = {"minimum": "0", "maximum": "40", "step": "1"}
KINDS: dict[str, Any] = {
    "tried": {"kind": "several_choices", "choices": 4, "channel": COINS, "most": 1},
    "mood": {"kind": "scale", "choices": 5, "channel": {"name": "k_ary", "truth": "1/5"}},
    "place": {"kind": "one_choice", "choices": 8, "channel": {"name": "subset", "epsilon": "1"}},
    "drinks": {"kind": "number", "channel": {"name": "one_bit", "truth": "1/3"}, **GRID},
    "feel": {"kind": "one_choice", "choices": 3, "channel": TABLE},
}


@pytest.fixture
def every_kind(alice: User) -> Survey:
    """A draft with a question of each kind, one of them with a table of its own."""
    items = []
    for key, said in KINDS.items():
        choices = [{"en": f"Choice {number}"} for number in range(said.get("choices", 0))]
        items.append(said | {"key": key, "wording": {"en": f"About {key}?"}, "choices": choices})
    return write_survey(payloads.definition(items=items), team=home_team(alice))


def ask(client: Client, **query: Any) -> dict[str, Any]:
    response = client.get(reverse("api:plan"), query)
    assert response.status_code == 200, response.content
    return dict(response.json())


def ask_survey(client: Client, **query: Any) -> dict[str, Any]:
    response = client.get(reverse("api:survey-plan", args=["campus"]), query)
    assert response.status_code == 200, response.content
    return dict(response.json())


@pytest.mark.parametrize(
    ("query", "mechanism", "shares", "options"),
    few([
        ({"truth": "1/3"}, forced_response(truth="1/3"), [0.9, 0.1], {}),
        ({"mechanism": "warner", "truth": "0.7"}, warner(truth="7/10"), [0.9, 0.1], {}),
        ({"kind": "one_choice", "choices": 4, "truth": "1/2"}, k_ary(4, truth="1/2"), [0.1, *[0.3] * 3], {"answer": 0}),
        (
            {"kind": "one_choice", "choices": 40, "truth": "1/2"}, k_ary(40, truth="1/2"), [0.1, *[0.9 / 39] * 39],
            {"answer": 0},
        ),
        (
            {"kind": "one_choice", "choices": 10, "mechanism": "subset", "epsilon": "1.1"},
            SubsetSelection.optimised(10, epsilon=1.1), [0.1, *[0.1] * 9], {"answer": 0},
        ),
        (
            {"kind": "scale", "mechanism": "discrete_laplace", "epsilon": "1", "mean": "2", "spread": "1"},
            discrete_laplace(5, epsilon=1.0), plan.shares_around(5, mean=1, deviation=1), {"values": [1, 2, 3, 4, 5]},
        ),
        (
            {"kind": "number", "maximum": "40", "step": "0.5", "truth": "1/2", "mean": "3", "spread": "5"},
            one_bit(81, truth="1/2"), plan.shares_around(81, mean=6, deviation=10),
            {"values": [number / 2 for number in range(81)]},
        ),
    ]),
)  # fmt: skip
def test_plan_numbers_equal_library(her: Client, query: Any, mechanism: Any, shares: Any, options: Any) -> None:
    numbers = ask(her, share="10", respondents="700", confidence="90", margin="3", **query)["numbers"]
    ahead = plan.forecast(700, mechanism, shares, confidence=0.9, **options)
    assert numbers["epsilon"] == pytest.approx(mechanism.epsilon, rel=1e-12)
    assert numbers["odds_exact"] == str(mechanism.ratio)
    found = [numbers[name] for name in ("standard_error", "interval_width", "chance_below", "chance_above", "direct_n")]
    expected = [ahead.standard_error, ahead.width, ahead.below, ahead.above, ahead.direct_n]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    margin = 3 if "values" in options else 0.03
    values = options.get("values")
    needed = plan.respondents_needed(mechanism, shares, margin=margin, confidence=0.9, values=values)
    assert numbers["respondents_for_margin"] == needed


def test_plan_power_equals_library(her: Client) -> None:
    numbers = ask(her, truth="1/2", share="30", against="20", respondents="800", second="600")["numbers"]
    coins = forced_response(truth="1/2")
    assert numbers["power"] == pytest.approx(plan.power(800, coins, 0.3, 0.2, against_n=600))
    assert numbers["respondents_for_power"] == plan.respondents_for_power(coins, 0.3, 0.2)
    assert ask(her, share="30", against="30")["numbers"]["respondents_for_power"] is None


@pytest.mark.parametrize(
    ("kind", "mechanism", "choices"),
    few([
        ("yes_no", "forced_response", 2), ("yes_no", "warner", 2), ("one_choice", "k_ary", 7), ("scale", "k_ary", 5),
        ("several_choices", "forced_response", 6), ("number", "one_bit", 2), ("one_choice", "unary", 9),
    ], slice(2)),
)  # fmt: skip
@pytest.mark.parametrize("epsilon", ["1.1", *(pytest.param(one, marks=pytest.mark.long) for one in ("0.4", "3"))])
def test_plan_by_epsilon_nearly_reaches_it(her: Client, kind: str, mechanism: str, choices: int, epsilon: str) -> None:
    """The truth is the largest in parts of 10,000: a part changes no epsilon here by more than 2 %."""
    query = {"kind": kind, "mechanism": mechanism, "choices": choices, "by": "epsilon", "epsilon": epsilon}
    found = ask(her, **query, truth="1/2")["numbers"]["epsilon"]
    assert 0.98 * float(epsilon) <= found <= float(epsilon)


def test_plan_curves_hold_the_chosen_point(her: Client) -> None:
    answer = ask(her, truth="1/2", respondents="1000")
    at_half = next(point for point in answer["curves"]["setting"] if point["x"] == 0.5)
    at_thousand = next(point for point in answer["curves"]["respondents"] if point["x"] == 1000)
    numbers = answer["numbers"]
    for point in (at_half, at_thousand):
        assert point["width"] == pytest.approx(numbers["interval_width"])
        assert point["below"] == pytest.approx(numbers["chance_below"])
        assert point["cost"] == pytest.approx(numbers["reports_per_direct_answer"])
    assert at_thousand["power"] == pytest.approx(numbers["power"])
    widths = [point["width"] for point in answer["curves"]["setting"]]
    assert widths == sorted(widths, reverse=True)
    assert len(answer["curves"]["setting"]) == len(answer["curves"]["respondents"]) == 19


@pytest.mark.parametrize(
    ("query", "field", "message"),
    few(
        [
            ({"truth": "1"}, "truth", "truth must be greater than 0 and less than 1; got 1"),
            ({"truth": "1e9999999"}, "truth", "truth must be a fraction such as 1/2 or 0.35; got 1e9999999"),
            ({"truth": "1/0"}, "truth", "truth must be a fraction such as 1/2 or 0.35; got 1/0"),
            ({"truth": "1/٠"}, "truth", "truth must be a fraction such as 1/2 or 0.35; got 1/0"),
            ({"mechanism": "warner", "truth": "1/2"}, "truth", "truth must differ from 1/2"),
            ({"epsilon": "nan"}, "epsilon", "epsilon must be a number from 0.01 to 16; got nan"),
            ({"share": "101"}, "share", "share must be a percentage from 0 to 100; got 101"),
            ({"respondents": "9"}, "respondents", "respondents must be a whole number from 10 to 10,000,000; got 9"),
            ({"respondents": "1000.5"}, "respondents", "whole number"),
            ({"confidence": "100"}, "confidence", "from 50 to 99.9; got 100"),
            ({"kind": "essay"}, "kind", "kind must be one of yes_no"),
            ({"kind": "yes_no", "mechanism": "subset"}, "mechanism", "forced_response or warner"),
            ({"mechanism": "custom"}, "mechanism", "mechanism must be one of"),
            ({"kind": "one_choice", "choices": "257"}, "choices", "from 2 to 256; got 257"),
            ({"kind": "several_choices", "choices": "3", "most": "3"}, "most", "most must be less than the 3 choices"),
            ({"kind": "number", "maximum": "-5"}, "maximum", "maximum must be greater than minimum"),
            ({"kind": "number", "step": "0.001"}, "minimum", "at most 256 points"),
            ({"kind": "number", "mean": "11"}, "mean", "mean must be greater than 0 and less than 10; got 11"),
            ({"kind": "number", "mean": "5", "spread": "9"}, "spread", "spread must be from 1.581 to 5"),
            ({"kind": "scale", "against": "5"}, "against", "against must be a number from 1 to 5; got 5"),
            ({"against": "-1"}, "against", "against must be a number from 0 to 100; got -1"),
            ({"answer": "yes"}, "answer", "answer is not a parameter"),
            ({"share": ["10", "20"]}, "share", "share must be given once; got it 2 times"),
        ],
        slice(None, None, 3),
    ),
)
def test_plan_invalid_parameter_is_named(her: Client, query: Any, field: str, message: str) -> None:
    for name in ("api:plan", "panel:plan"):
        response = her.get(reverse(name), query)
        assert response.status_code == 400, name
        if name == "api:plan":
            assert response.json()["errors"][0]["field"] == field
            assert message in response.json()["errors"][0]["message"]
        else:
            assert 'role="alert" data-fault>' in response.content.decode()


def test_plan_page_without_script_equals_api(her: Client) -> None:
    """Without a script the page is complete: every tile, caution, curve and row of the tables."""
    query = {"kind": "one_choice", "choices": "10", "truth": "0.6", "share": "5", "respondents": "300"}
    html = her.get(reverse("panel:plan"), query).content.decode()
    answer = ask(her, **query)
    words = re.sub(r"[ \n]+", " ", html.replace("&#x27;", "'").replace("&quot;", '"'))
    for tile in answer["tiles"]:
        for text in (tile["name"], tile["value"], tile["note"], *tile["cautions"]):
            assert text in words
    assert answer["summary"] in words
    assert answer["advice"]["sentence"] in words
    assert html.count("<svg xmlns") == len(answer["pictures"]) == 7
    for picture in answer["pictures"]:
        line = next(part for part in picture["parts"] if part["tag"] == "polyline")
        assert line["attributes"]["points"] in html
    assert all(cell in words for table in answer["tables"] for row in table["rows"] for cell in row)


@pytest.mark.parametrize(
    ("query", "about", "sentence"),
    few(
        [
            ({"truth": "0.8"}, "epsilon", "Weak protection: epsilon is above 2, so one response can multiply the odds"),
            ({"truth": "0.8"}, "epsilon", "by up to 9. With truth probability 76\xa0% it stays at 2."),
            (
                {"kind": "one_choice", "choices": 8, "truth": "0.3"},
                "epsilon",
                "protects less with more choices: with 8",
            ),
            (
                {"kind": "several_choices", "choices": 4},
                "epsilon",
                "differ in 4 options, so the privacy loss is 4 times the 1.10 of one",
            ),
            (
                {"respondents": "30"},
                "width",
                "Too imprecise to report. An estimate that is rough needs about 197 responses.",
            ),
            ({"respondents": "800"}, "width", "Rough. An estimate that is usable needs about 844 responses."),
            ({"share": "1", "respondents": "200"}, "below", "About one survey in 2 will have"),
            ({"against": "21"}, "power", "Less than 80 %"),
        ]
    ),
)
def test_plan_caution_stands_at_its_number(her: Client, query: Any, about: str, sentence: str) -> None:
    said = {tile["key"]: " ".join(tile["cautions"]) for tile in ask(her, **query)["tiles"]}
    assert sentence in said[about]


def test_plan_sound_has_no_caution(her: Client) -> None:
    tiles = ask(her, truth="1/2", share="20", respondents="5000")["tiles"]
    assert [tile["cautions"] for tile in tiles] == [[]] * 6


def test_plan_caution_names_enough_respondents(her: Client) -> None:
    query = {"truth": "1/2", "share": "3"}
    said = ask(her, **query, respondents=500)["tiles"][1]["cautions"][0]
    enough = int(re.search(r"about ([\d,]+) responses", said)[1].replace(",", ""))  # type: ignore[index]
    (rough,) = ask(her, **query, respondents=enough)["tiles"][1]["cautions"]
    usable = int(re.search(r"^Rough. An estimate that is usable needs about ([\d,]+)", rough)[1].replace(",", ""))  # type: ignore[index]
    assert ask(her, **query, respondents=usable)["tiles"][1]["cautions"] == []


@pytest.mark.parametrize(
    "query",
    few(
        [
            {"truth": "1/2", "share": "3"},
            {"kind": "number", "mechanism": "one_bit", "truth": "1/3"},
            {"kind": "several_choices", "truth": "1/5", "share": "50"},
        ]
    ),
)
def test_plan_caution_names_fewest_reports(her: Client, query: dict[str, str]) -> None:
    def caution(respondents: int) -> str:
        return " ".join(ask(her, **query, respondents=respondents)["tiles"][1]["cautions"])

    said = caution(10)
    assert said.startswith("Too imprecise to report.")
    enough = int(re.search(r"about ([\d,]+) responses", said)[1].replace(",", ""))  # type: ignore[index]
    assert "Too imprecise" not in caution(enough)
    assert "Too imprecise" in caution(enough * 9 // 10)


@pytest.mark.parametrize(
    ("query", "best", "why"),
    few(
        [
            (
                {"kind": "one_choice", "choices": 10, "by": "epsilon", "epsilon": "1.1"},
                "subset",
                "it is the most precise",
            ),
            (
                {"kind": "one_choice", "choices": 4, "by": "epsilon", "epsilon": "1.1"},
                "k_ary",
                "it is the most precise",
            ),
            ({"kind": "one_choice", "choices": 6, "by": "epsilon", "epsilon": "1.1"}, "k_ary", "would save only 2.4 %"),
            ({"kind": "yes_no"}, "forced_response", "as Warner’s mirror, crosswise model, k-ary"),
            ({"kind": "number", "maximum": "40", "mean": "3", "spread": "5"}, "one_bit", "38 % more respondents"),
        ]
    ),
)
def test_plan_recommends_best_mechanism_with_reason(her: Client, query: Any, best: str, why: str) -> None:
    advice = ask(her, **query)["advice"]
    assert advice["name"] == best
    assert why in advice["sentence"]


def test_plan_crosswise_calls_its_probability_prevalence(her: Client) -> None:
    answer = ask(her, kind="yes_no", mechanism="crosswise", truth="1/4")
    assert answer["summary"].startswith("Prevalence 25\xa0%, ")
    assert answer["tables"][0]["head"][0] == "Prevalence"
    assert "truth probability" not in json.dumps(answer).lower()
    across = [point["x"] for point in answer["curves"]["setting"]]
    assert min(across) < 0.25 < max(across) < 0.5, "the chosen point is on the curve"
    weak = ask(her, kind="yes_no", mechanism="crosswise", truth="1/20")["tiles"][0]["cautions"][0]
    assert "With prevalence 12\xa0% it stays at 2." in weak
    assert ask(her, kind="yes_no", mechanism="crosswise", truth="0.12")["numbers"]["epsilon"] <= 2
    page = her.get(reverse("panel:plan"), {"kind": "yes_no", "mechanism": "crosswise"}).content.decode()
    labels = re.findall(r"<label for=\"plan-truth\">(.*?)</label>", page, re.DOTALL)[0]
    assert re.findall(r"<span[^>]*?( hidden)?>\s*([^<]*?)\s*</span>", labels) == [
        (" hidden", "Truth probability"),
        ("", "Prevalence"),
    ]


def test_plan_yes_no_compares_every_mechanism_that_fits(her: Client) -> None:
    """At one epsilon all but the triangular model have the same table; that one covers a yes with a harmless yes."""
    candidates = ask(her, kind="yes_no", truth="1/2")["advice"]["candidates"]
    assert [one["name"] for one in candidates][:4] == ["forced_response", "warner", "crosswise", "k_ary"]
    assert {one["name"] for one in candidates} == set(MECHANISMS["yes_no"]) - {"custom"}
    assert [one["times"] for one in candidates[:4]] == [1, 1, 1, 1]


def test_plan_discrete_laplace_scale_is_a_mean(her: Client) -> None:
    query = {"kind": "scale", "mechanism": "discrete_laplace", "epsilon": "1"}
    advice = ask(her, **query)["advice"]
    assert advice["name"] == "discrete_laplace"
    assert advice["sentence"].endswith("A report then shows only the mean, no shares.")
    texts = [{"en": f"Choice {number}"} for number in range(5)]
    item = {"kind": "scale", "choices": texts, "channel": {"name": "discrete_laplace", "epsilon": "1"}}
    said = [
        present(PlannedQuestion(item | more), PlanParameters()).tiles[1].cautions
        for more in ({}, {"prefer_not": {"en": "No word"}})
    ]
    assert [any("only the mean of this scale" in text for text in one) for one in said] == [False, True]


def test_plan_recommendation_equals_library_comparison(her: Client) -> None:
    query = {"kind": "one_choice", "choices": 10, "mechanism": "subset", "epsilon": "1.1", "share": "10"}
    answer = ask(her, **query)
    rows = plan.compare_mechanisms(10, epsilon=answer["numbers"]["epsilon"])
    found = {row["name"]: row["times"] for row in answer["advice"]["candidates"]}
    assert list(found) == ["subset", "unary", "k_ary"]
    assert list(found.values()) == pytest.approx([row.variance / rows[0].variance for row in rows])


def test_plan_survey_by_question_and_total(survey: Survey, her: Client) -> None:
    answer = ask_survey(her, respondents="500")
    assert answer["item"] == "cheated"
    assert [line["key"] for line in answer["questions"]] == ["cheated", "mood"]
    both = epsilon_total([forced_response(truth="1/2"), k_ary(3, truth="1/2")])
    assert answer["total"]["epsilon"] == both
    assert (answer["total"]["text"], answer["total"]["written"]) == ("2.49", "2.49")
    assert (answer["total"]["fresh"], answer["total"]["remember"]) == ("3", "3")
    assert ask_survey(her, item="cheated", truth="1/10")["total"]["remember"] == "more than 100"
    assert answer["plan"]["numbers"]["respondents"] == 500


def test_plan_slider_changes_total_not_draft(survey: Survey, her: Client) -> None:
    answer = ask_survey(her, item="cheated", truth="0.9")
    total = epsilon_total([forced_response(truth="9/10"), k_ary(3, truth="1/2")])
    assert answer["total"]["epsilon"] == total
    assert answer["total"]["written"] == "2.49"
    assert "more than 4" in answer["total"]["caution"]
    assert "opens no survey" in ask_survey(her, item="cheated", truth="0.9999")["total"]["caution"]
    assert survey.items.get(key="cheated").truth == "1/2"


def test_plan_small_group_is_warned_of_with_its_size(survey: Survey, her: Client) -> None:
    first, second = survey.groups.all()
    for group, share in ((first, "1/100"), (second, "99/100")):
        group.share = share
        group.save()
    assert f"{first.label['en']} (about 10)" in ask_survey(her, respondents="1000")["total"]["caution"]
    assert ask_survey(her, respondents="19600")["total"]["caution"] != ""
    assert ask_survey(her, respondents="19700")["total"]["caution"] == ""
    first.share = "half"
    first.save()
    assert ask_survey(her, respondents="1000")["total"]["caution"] == ""


@pytest.mark.parametrize("key", few(list(KINDS)))
def test_plan_every_kind_as_written_in_draft(every_kind: Survey, her: Client, key: str) -> None:
    answer = ask_survey(her, item=key)
    assert answer["total"]["text"] == answer["total"]["written"]
    assert answer["plan"]["numbers"]["kind"] == KINDS[key]["kind"]
    assert bool(answer["plan"]["curves"]["setting"]) == (KINDS[key]["channel"]["name"] != "custom")
    page = her.get(reverse("panel:survey-plan", args=["campus"]), {"item": key})
    assert page.status_code == 200
    assert answer["plan"]["summary"] in page.content.decode()
    json.dumps(answer, allow_nan=False)


def use(client: Client, **said: str) -> str:
    response = client.post(reverse("panel:use", args=["campus"]), said, follow=True)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("key", "said", "fields"),
    few(
        [
            ("tried", {"truth": "0.35"}, {"truth": "0.35"}),
            ("tried", {"by": "epsilon", "epsilon": "2", "truth": "1/2"}, {"truth": "0.4621"}),
            ("place", {"epsilon": "0.75"}, {"epsilon": "0.75", "truth": "", "size": None}),
            ("drinks", {"truth": "2/3"}, {"truth": "2/3"}),
        ]
    ),
)
def test_plan_use_writes_slider_into_draft(
    every_kind: Survey, her: Client, key: str, said: dict[str, str], fields: dict[str, Any]
) -> None:
    assert f"{key} now has " in use(her, item=key, **said)
    item = every_kind.items.get(key=key)
    assert {name: getattr(item, name) for name in fields} == fields
    total = ask_survey(her, item=key)["total"]
    assert total["text"] == total["written"], "what was shown is what is written"


class Controls(HTMLParser):
    """The fields and buttons of a page, each with the form that it belongs to, and where each form is posted to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.form, self.actions = "", {"": ""}
        self.fields: list[tuple[str, dict[str, str]]] = []
        self.buttons: list[tuple[str, dict[str, str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.form = has.get("id", f"form {len(self.actions)}")
            self.actions[self.form] = has.get("action", "")
        elif tag == "input" and (has.get("type") != "radio" or "checked" in has):
            self.fields.append((has.get("form", self.form), has))
        elif tag == "button":
            self.buttons.append((has.get("form", self.form), has | {"says": ""}))

    def handle_data(self, data: str) -> None:
        if (self.get_starttag_text() or "").startswith("<button"):
            self.buttons[-1][1]["says"] += data

    def pressed(self, words: str, typed: dict[str, str]) -> tuple[str, dict[str, str]]:
        """Where a browser posts to, and what, after somebody typed into fields, by their id, and pressed a button."""
        owner, button = next(one for one in self.buttons if words in one[1]["says"])
        fields = [has for form, has in self.fields if form == owner and "name" in has]
        said = {has["name"]: typed.get(has.get("id", ""), has.get("value", "")) for has in fields}
        own = {button["name"]: button["value"]} if "name" in button else {}
        return button.get("formaction", self.actions[owner]), said | own


@pytest.mark.parametrize(
    ("key", "typed", "fields"),
    few(
        [
            ("tried", {"plan-truth": "0.35"}, {"truth": "0.35"}),
            ("tried", {"plan-truth": "7/9", "plan-share": "3", "plan-respondents": "400"}, {"truth": "7/9"}),
            ("place", {"plan-epsilon": "0.75"}, {"epsilon": "0.75"}),
        ]
    ),
)
def test_plan_use_writes_the_number_shown(
    every_kind: Survey, alice: User, key: str, typed: dict[str, str], fields: dict[str, str]
) -> None:
    """Also where the button is pressed before the script has answered, or there is no script."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    page = Controls(client.get(reverse("panel:survey-plan", args=["campus"]), {"item": key}).content.decode())
    action, said = page.pressed("in the draft", typed)
    answer = client.post(action, said, follow=True)
    assert f"{key} now has " in answer.content.decode()
    item = every_kind.items.get(key=key)
    assert {name: getattr(item, name) for name in fields} == fields


def test_plan_form_enter_computes_without_csrf_in_url(every_kind: Survey, her: Client) -> None:
    """Enter presses a form's first button; what is asked for by address are the fields alone."""
    page = Controls(her.get(reverse("panel:survey-plan", args=["campus"])).content.decode())
    owner, use_it = next(one for one in page.buttons if "in the draft" in one[1]["says"])
    first = next(button for form, button in page.buttons if form == owner)
    assert (first["says"].strip(), "formaction" in first) == ("Compute", False)
    assert use_it["formmethod"] == "post"
    names = [has["name"] for form, has in page.fields if form == owner and "name" in has]
    assert len(names) == len(set(names))
    assert "csrfmiddlewaretoken" not in names


@pytest.mark.parametrize(
    ("said", "fault"),
    few(
        [
            (
                {"item": "feel", "truth": "1/3"},
                "item must be a question whose randomisation method has a slider; got feel",
            ),
            ({"item": "gone", "truth": "1/3"}, "item must be one of tried"),
            ({"item": "tried"}, "truth or epsilon must be given for the slider"),
            ({"item": "tried", "truth": "2"}, "truth must be greater than 0 and less than 1; got 2"),
            ({"item": "tried", "truth": "1/3", "owner": "bob"}, "owner is not a parameter"),
        ]
    ),
)
def test_plan_use_invalid_value_changes_nothing(
    every_kind: Survey, her: Client, said: dict[str, str], fault: str
) -> None:
    before = list(every_kind.items.values())
    assert fault in use(her, **said)
    assert list(every_kind.items.values()) == before


def test_plan_fits_the_draft_to_its_budget(survey: Survey, her: Client) -> None:
    plan, fit = f"/panel/survey/{survey.slug}/plan/", f"/panel/survey/{survey.slug}/plan/fit"
    assert "data-budget" not in her.get(plan).content.decode(), "nothing is over it, and nothing is marked"
    survey.items.filter(key="cheated").update(sensitivity="very")
    assert "data-budget" in her.get(plan).content.decode()
    assert her.post(fit).status_code == 302
    found = price_of(selectors.definition_of(survey)["items"], 1000)
    assert found.questions["cheated"].epsilon == pytest.approx(0.5, abs=0.01)
    assert found.questions["mood"].epsilon == pytest.approx(1.386, abs=0.001), "set by hand, and within the budget"
    Survey.objects.update(privacy_budget="1")
    her.post(fit)
    found = price_of(selectors.definition_of(Survey.objects.get())["items"], 1000)
    assert 0.95 < found.epsilon <= 1
    revisions = survey.revisions.count()
    her.post(fit)
    assert survey.revisions.count() == revisions, "nothing has to change"
    use = {"item": "cheated", "truth": "1/3"}
    her.post(f"/panel/survey/{survey.slug}/plan/use", use)
    assert survey.items.get(key="cheated").sensitivity == "", "its protection is set by hand now"


def test_plan_use_open_survey_is_refused(version: Version, her: Client) -> None:
    assert "only a draft can be changed" in use(her, item="cheated", truth="1/3")
    assert version.survey.items.get(key="cheated").truth == "1/2"
    html = her.get(reverse("panel:survey-plan", args=["campus"])).content.decode()
    assert ">Use in the draft</button>" not in html
    assert "Truth probability" in html


def test_plan_use_draft_of_other_answers_404(survey: Survey, bob: User, sign_in: Any) -> None:
    response = sign_in(bob).post(reverse("panel:use", args=["campus"]), {"item": "cheated", "truth": "1/3"})
    assert response.status_code == 404
    assert survey.items.get(key="cheated").truth == "1/2"


def test_plan_survey_without_or_with_invalid_question(survey: Survey, her: Client) -> None:
    survey.items.filter(key="mood").update(truth="nonsense")
    answer = ask_survey(her)
    assert (answer["item"], answer["total"]["epsilon"]) == ("cheated", None)
    assert answer["questions"][1]["fault"] == "Its randomisation method is not complete."
    page = her.get(reverse("panel:survey-plan", args=["campus"]), {"item": "mood"})
    assert "cannot be planned before" in page.content.decode()
    survey.items.all().delete()
    assert ask_survey(her)["plan"] is None
    assert her.get(reverse("panel:survey-plan", args=["campus"])).status_code == 200


def test_plan_texts_are_escaped(survey: Survey, her: Client) -> None:
    survey.items.filter(key="mood").update(wording={"en": "<script>alert(1)</script>"})
    html = her.get(reverse("panel:survey-plan", args=["campus"]), {"item": "mood"}).content.decode()
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html
