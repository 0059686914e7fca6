"""The crosswise model by hand: a second question about a birthday in place of a coin, exactly the table, or a toss."""

import html
import re
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.models import WaitingReport
from surveys.accounts.teams import home_team
from surveys.definition.definitions import complete, design_of
from surveys.definition.own_coin.devices import BIRTHDAYS
from surveys.definition.own_coin.instructions import birthdays_for, instructions_for
from surveys.lifecycle import services
from surveys.models import Page
from surveys.opening.services import open_survey
from surveys.rendering.own_coin import page, sheet
from tests.tools.paper import sheet_data, texts

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
DAYS = dict(zip(MONTHS, (31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), strict=True))
ADDRESS = "/s/bribes/coin/"
ORIGIN = {"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000", "sec-fetch-site": "same-origin"}
FORM = "application/x-www-form-urlencoded"
DIFFER, ALIKE = "Yes to one question, no to the other", "Yes to both questions, or no to both"


def definition(*prevalences: str, **changes: Any) -> dict[str, Any]:
    items = [
        {"key": f"q{number}", "wording": "Have you?", "channel": {"name": "crosswise", "prevalence": prevalence}}
        for number, prevalence in enumerate(prevalences)
    ]
    return complete({"slug": "bribes", "title": "Bribes", "items": items} | changes)


def document(*prevalences: str, **changes: Any) -> dict[str, Any]:
    return design_of(definition(*prevalences), version=1).document | changes


def months_of(toss: str) -> list[str]:
    """The months that a question names, both ends with it."""
    found = re.fullmatch(r"And was your (mother|father|best friend) born from (\w+) to (\w+)\?", toss)
    assert found is not None, toss
    first, last = MONTHS.index(found[2]), MONTHS.index(found[3])
    return [MONTHS[place % 12] for place in range(first, last + 1 + 12 * (last < first))]


@pytest.mark.parametrize("twelfths", [2, 3, 4, 5, 7, 8, 9, 10])
def test_birthday_rules_give_exactly_the_channel(twelfths: int) -> None:
    """Who marks what is true of her answer and of the birthday marks by the frozen weights, months being alike."""
    frozen = document(str(Fraction(twelfths, 12)))
    (question,) = sheet_data(frozen)["questions"]
    assert question["choices"] == [DIFFER, ALIKE]
    assert question["rules"] == []
    months = months_of(question["toss"])
    for answer, row in enumerate(frozen["items"][0]["channel"]["weights"]):
        marked = [question["choices"].index(ALIKE if (month in months) == answer else DIFFER) for month in MONTHS]
        assert Fraction(marked.count(1), 12) == Fraction(row[1], sum(row))


@pytest.mark.parametrize("twelfths", [2, 3, 4, 5, 7, 8, 9, 10])
def test_birthday_months_are_near_their_share_of_days(twelfths: int) -> None:
    (question,) = sheet_data(document(str(Fraction(twelfths, 12))))["questions"]
    share = sum(DAYS[month] for month in months_of(question["toss"])) / sum(DAYS.values())
    assert abs(share - twelfths / 12) < 0.0045


def test_birthday_each_question_names_another_person() -> None:
    """Two reports by one birthday would tell whether the two answers are the same."""
    found = instructions_for(Design.of(document("1/4", "1/4", "1/6")))
    assert found is not None
    assert [instruction.device for instruction in found] == list(BIRTHDAYS)
    assert (
        len({question["toss"].split(" born")[0] for question in sheet_data(document("1/4", "1/4"))["questions"]}) == 2
    )


@pytest.mark.parametrize(
    "frozen",
    [
        document("1/4", "1/4", "1/4", "1/4"),
        document("1/12"),
        document("1/4", waves={"repeats": "fresh", "spent": "3/1"}),
    ],
    ids=["more questions than persons", "one month", "asked before"],
)
def test_birthday_impossible_uses_coins_or_dice(frozen: dict[str, Any]) -> None:
    assert birthdays_for(Design.of(frozen)) is None
    found = instructions_for(Design.of(frozen))
    assert found is not None
    assert not {instruction.device for instruction in found} & set(BIRTHDAYS)
    weights = frozen["items"][0]["channel"]["weights"]
    for answer, row in enumerate(weights):
        marked = sum(len(rule.outcomes) for rule in found[0].rules if rule.marks[answer] == 1)
        assert Fraction(marked, len(found[0].device.outcomes)) == Fraction(row[1], sum(row))


def test_birthday_beside_other_mechanism_uses_coins_or_dice() -> None:
    both = definition("1/4")
    both["items"].append(both["items"][0] | {"key": "coins", "channel": {"name": "warner", "truth": "3/4"}})
    frozen = design_of(both, version=1).document
    assert birthdays_for(Design.of(frozen)) is None
    assert "toss" in " ".join(texts(sheet_data(frozen))).lower()


def test_birthday_first_remembered_wave_is_used() -> None:
    assert birthdays_for(Design.of(document("1/4", waves={"repeats": "remember", "spent": "1/1"}))) is not None


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "ar"])
def test_sheet_of_birthdays_is_made_in_every_language(language: str) -> None:
    frozen = document("1/4")
    frozen["languages"] = [language]
    for text in (frozen["title"], frozen["introduction"], frozen["consent"], frozen["strata"]["wording"]):
        text[language] = text.pop("en")
    for item in frozen["items"]:
        item["wording"] = {language: "?"}
        item["choices"] = [{language: "0"}, {language: "1"}]
    assert sheet.render_sheet(Design.of(frozen), language).startswith(b"%PDF-")
    assert f'lang="{language}"'.encode() in page.render_page(Design.of(frozen), language)


@pytest.mark.django_db
def test_birthday_page_to_store_keeps_the_mark(alice: User) -> None:
    """No word of tossing on the page, the look and the sheet; what is stored is what was marked."""
    version = open_survey(services.write_survey(definition("1/4", "1/6"), team=home_team(alice)))
    shown = said(Client().get(ADDRESS))
    assert "And was your mother born from April to June?" in shown
    assert "And was your father born from April to May?" in shown
    look = post(ADDRESS, {"design": version.design_id, "item-1": "1", "item-2": "0"})
    assert look.status_code == 200
    assert said(look).count(DIFFER) == said(look).count(ALIKE) == 2
    inputs = re.findall(r'<input type="(\w+)" name="([\w-]+)" value="(\w*)"([^>]*)>', look.content.decode())
    fields = {name: value for kind, name, value, more in inputs if kind == "hidden" or "checked" in more}
    sent = post(f"{ADDRESS}send/", fields)
    assert sent.status_code == 303
    done = said(Client().get(sent["Location"]))
    assert "Without the birthdays nobody can be sure" in done
    for words in (shown, said(look), done, " ".join(texts(sheet_data(document("1/4", "1/6"))["steps"]))):
        assert not re.search(r"\b(toss|tossed|coins?|dice|die|heads|tails)\b", words, re.I), words
    assert bytes(WaitingReport.objects.get().report) == bytes([1, 0])
    assert version.pages.filter(kind=Page.Kind.SHEET).exists()


@pytest.mark.django_db
def test_birthday_review_follows_the_stored_page(alice: User, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever instructions a later version of Candor has for the design, as here none by birthdays."""
    version = open_survey(services.write_survey(definition("1/4"), team=home_team(alice)))
    monkeypatch.setattr("surveys.definition.own_coin.instructions.birthdays_for", lambda design: None)
    assert b"toss" in page.render_page(get_design(version.design_id), "en").lower()
    look = post(ADDRESS, {"design": version.design_id, "item-1": "1"})
    assert ALIKE in said(look)
    assert "Without the birthdays" in said(Client().get(f"{ADDRESS}sent/"))
    client.force_login(alice)
    assert ALIKE in said(client.get("/panel/survey/bribes/paper/"))


def said(response: Any) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split()))


def post(address: str, fields: dict[str, str]) -> Any:
    return Client().post(address, urlencode(fields), content_type=FORM, headers=ORIGIN)
