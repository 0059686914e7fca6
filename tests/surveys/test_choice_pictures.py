"""Pictures of response options, from the file to the pages and the form."""

import copy
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from collector.errors import ValidationError
from surveys.accounts.teams import home_team
from surveys.definition.definitions import complete, design_of, dump, load, take_checked
from surveys.definition.pictures import clean_picture
from surveys.lifecycle import pictures, selectors, services
from surveys.models import Survey
from surveys.panel.editor.presentable import presentable
from surveys.rendering.own_coin.page import render_page as render_coin_page
from surveys.rendering.own_coin.sheet import render_sheet
from surveys.rendering.pages import render_page
from tests.factories import payloads
from tests.panel.forms import change, form_of, save
from tests.tools.paper import pdf_content
from tests.tools.picture_files import base64, jpeg, png

SAD, GLAD = png(20, 20, shade=10), jpeg()


def definition(**more: Any) -> dict[str, Any]:
    """The campus survey, whose second question has pictures of its first and its last option."""
    made = payloads.definition(pictures={"sad": base64(SAD), "glad": base64(GLAD)})
    shown = [{"file": "glad", "alternative": "A smile"}, None, {"file": "sad", "alternative": "A tear"}]
    made["items"][1] |= {"choice_pictures": shown, **more}
    return made


@pytest.fixture
def survey(alice: User) -> Survey:
    return services.write_survey(complete(definition()), team=home_team(alice), by=alice)


def test_file_round_trip_and_frozen_design() -> None:
    read = complete(definition())
    assert load(dump(read)) == read
    assert [one and one["digest"] for one in read["items"][1]["choice_pictures"]] == [
        clean_picture(GLAD).digest, None, clean_picture(SAD).digest,
    ]  # fmt: skip
    frozen = design_of(read, version=1)
    assert [one and one.type for one in frozen.items[1].choice_pictures] == ["jpg", None, "png"]
    assert [one.type for one in frozen.pictures] == ["jpg", "png"]
    assert "choice_pictures" not in frozen.document["items"][0]  # type: ignore[index]


def test_prefer_not_has_no_picture() -> None:
    frozen = design_of(complete(definition(prefer_not=True)), version=1)
    assert [bool(one) for one in frozen.items[1].choice_pictures] == [True, False, True, False]


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        ([{"file": "sad", "alternative": "x"}], "must have 3 entries, one for each choice; got 1"),
        ([{"file": "sad", "alternative": " "}, None, None], "alternative.en must not be empty"),
        ([{"file": "wide", "alternative": "x"}, None, None], "width must be an integer from 1 to 800; got 801"),
    ],
)
def test_bad_pictures_name_place_and_bound(shown: list[Any], words: str) -> None:
    made = definition(choice_pictures=shown)
    made["pictures"]["wide"] = base64(png(801, 2))
    with pytest.raises(ValidationError) as caught:
        take_checked(made)
    assert words in str(caught.value)


def test_pictures_beside_a_dropdown_are_refused() -> None:
    with pytest.raises(ValidationError, match="choice_pictures is not allowed together with dropdown"):
        take_checked(definition(dropdown=True))


def test_pages_show_pictures_beside_their_options() -> None:
    design = design_of(complete(definition()), version=1)
    page = render_page(design).decode()
    labels = re.findall(
        r'<label class="choice">(?:(?!</label>).)*<img[^>]*alt="([^"]*)"(?:(?!</label>).)*<span>([^<]*)<', page, re.S
    )
    assert labels == [("A smile", "Well"), ("A tear", "Low")]
    assert "loading" not in page
    coin = render_coin_page(design, "en").decode()
    assert re.findall(r'alt="([^"]*)"', coin) == ["A smile", "A tear"]


@pytest.mark.django_db
def test_sheet_of_paper_has_them(survey: Survey) -> None:
    design, _ = selectors.design_to_open(survey)
    pdf = render_sheet(design, "en", pictures.contents_of(survey, design))
    assert pdf_content(pdf).count(b"/Subtype/Image") == 2


def test_preview_has_as_many_pictures_as_options() -> None:
    read = complete(definition())
    read["items"][1]["choices"] = read["items"][1]["choices"][:2]
    design = presentable(read)
    assert [bool(one) for one in design.items[1].choice_pictures] == [True, False]


@pytest.mark.long
@pytest.mark.django_db
def test_plain_form_moves_adds_and_removes_pictures(survey: Survey, alice: User, client: Client) -> None:
    def shown() -> list[str]:
        item = selectors.definition_of(Survey.objects.get())["items"][1]
        return [one["alternative"]["en"] if one else "" for one in item.get("choice_pictures", [])]

    def write(**fields: Any) -> str:
        more = {f"items-1-{name}": value for name, value in fields.items()}
        return save(client, change(survey), form_of(client, change(survey)) | more)

    client.force_login(alice)
    write(choices="Low\nSo-so\nWell")
    assert shown() == ["A tear", "", "A smile"]
    write(choice_place="2", choice_picture=SimpleUploadedFile("p.png", png(9, 9)), choice_alternative="A shrug")
    assert shown() == ["A tear", "A shrug", "A smile"]
    write(choice_place="2", choice_alternative="Shoulders")
    assert shown() == ["A tear", "Shoulders", "A smile"]
    write(choice_place="1", choice_picture_removed="on")
    assert shown() == ["", "Shoulders", "A smile"]
    assert "Enter the number of the option, from 1 to 3." in write(choice_place="4", choice_picture_removed="on")
    big = SimpleUploadedFile("p.png", png(801, 2))
    assert "must be at most 800 pixels" in write(choice_place="1", choice_picture=big)
    assert shown() == ["", "Shoulders", "A smile"]


@pytest.mark.django_db
def test_duplicate_question_and_survey_keep_pictures(survey: Survey, alice: User) -> None:
    copy_ = services.duplicate_survey(survey, slug="other", by=alice)
    assert copy_.pictures.count() == 2
    services.duplicate_item(survey.items.get(key="mood"), by=alice)
    items = selectors.definition_of(Survey.objects.get(slug="campus"))["items"]
    assert copy.deepcopy(items[2]["choice_pictures"]) == items[1]["choice_pictures"]
    survey.revisions.all().delete()
    pictures.delete_unused(survey)
    assert survey.pictures.count() == 2
