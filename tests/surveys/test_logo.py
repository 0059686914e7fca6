"""The logo of a survey: part of its look, stored and named as its other pictures are, above the title on every page."""

import copy
import json
import re
from datetime import date
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from collector.designs import Design
from collector.errors import ValidationError
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team
from surveys.definition.changes import Change
from surveys.definition.definitions import complete, design_of, dump, load, take_checked
from surveys.definition.pictures import clean_picture
from surveys.exchange.translations import texts_of
from surveys.lifecycle import drafts, pictures, selectors, services
from surveys.lifecycle.drafts import save_changes
from surveys.models import Survey
from surveys.opening.services import open_survey
from surveys.panel.editor.presentable import presentable
from surveys.panel.editor.problems import texts_of as needed_texts
from surveys.planning import dossier
from surveys.rendering.own_coin.sheet import render_sheet
from surveys.rendering.pages import render_page
from tests.factories import payloads
from tests.panel.forms import change, form_of, save
from tests.tools.paper import pdf_content
from tests.tools.picture_files import SECRET, base64, png, png_with_secret

NAME = "University of Candor"
LOGO = {"file": "seal", "alternative": NAME}
STYLE = b"surveys/style/beside."
ORIGIN = {"origin": "http://127.0.0.1:8000", "host": "127.0.0.1:8000", "sec-fetch-site": "same-origin"}


def definition(content: bytes = b"", **look: Any) -> dict[str, Any]:
    """The campus survey with a logo, which comes as `seal` of its file."""
    return payloads.definition(pictures={"seal": base64(content or png())}, look={"logo": LOGO, **look})


def logo_tag(page: bytes | str) -> str:
    """The image above the title."""
    before, _, _ = (page if isinstance(page, str) else page.decode()).partition("<h1>")
    (tag,) = re.findall(r'<p class="logo"[^>]*>\s*(<img[^>]*>)', before)
    return str(tag)


def opened_tag(survey: Survey, author: User) -> str:
    """Open it. Returns the image of its logo on the page on which it is answered."""
    open_survey(survey, by=author)
    return logo_tag(Client().get("/s/campus/").content)


def marked(fields: dict[str, str]) -> bytes:
    """What the own-coin page answers to its form."""
    body = urlencode(fields)
    return Client().post("/s/campus/coin/", body, "application/x-www-form-urlencoded", headers=ORIGIN).content


@pytest.fixture
def survey(alice: User) -> Survey:
    return services.write_survey(complete(definition()), team=home_team(alice), by=alice)


def test_logo_is_read_written_and_frozen_without_its_metadata() -> None:
    read = complete(definition(png_with_secret(), accent="#7A1F5C"))
    picture = clean_picture(png_with_secret())
    assert SECRET not in picture.content
    assert read["look"] == {"accent": "#7a1f5c", "logo": {**picture.to_dict(), "alternative": {"en": NAME}}}
    assert load(dump(read)) == read
    design = design_of(read, version=1)
    assert [one.name for one in design.pictures] == [f"{picture.digest}.png"]
    assert Design.of(json.loads(design.canonical)).look.logo == design.look.logo


def test_digest_covers_the_logo_and_its_alternative_text() -> None:
    made = [definition(), definition(png(shade=121)), definition(logo={**LOGO, "alternative": "Another"})]
    assert len({design_of(complete(one), version=1).digest for one in made}) == 3


@pytest.mark.parametrize(
    ("content", "logo", "words"),
    [
        (png(), {"file": "house", "alternative": "x"}, "look.logo.file must be one of the file's pictures (seal)"),
        (png(), {"file": "seal", "alternative": ""}, "look.logo.alternative.en must not be empty"),
        (png(), {**LOGO, "link": "x"}, "look.logo has unknown keys: link"),
        (png(801, 20), LOGO, "look.logo.width must be an integer from 1 to 800; got 801"),
        (b"<svg/>", LOGO, "pictures.seal must be PNG, JPEG or WebP; SVG can contain scripts"),
    ],
)
def test_bad_logo_names_place_and_bound(content: bytes, logo: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        take_checked(definition(content, logo=logo))
    assert words in str(caught.value)


def test_logo_stands_above_the_title_in_each_language() -> None:
    made = definition(logo={**LOGO, "alternative": {"en": NAME, "de": "Universität Candor"}})
    design = Design.of(presentable(complete(made) | {"languages": ["en", "de"]}).document)
    for language, words in (("en", NAME), ("de", "Universität Candor")):
        tag = logo_tag(render_page(design, language))
        assert f'alt="{words}"' in tag
        assert f'src="/s/{design.slug}/pictures/{clean_picture(png()).digest}.png"' in tag
    assert b'class="logo"' not in render_page(design_of(complete(payloads.definition()), version=1))


def test_logo_has_a_text_to_translate_and_to_fill_in() -> None:
    made = complete(definition(logo={**LOGO, "alternative": ""}))
    assert [text for path, text, _ in needed_texts(made) if path == ("look", "logo", "alternative")] == [{"en": ""}]
    shown = presentable(made).look.logo
    assert shown is not None
    assert shown.alternative == {"en": "…"}, "the preview shows it meanwhile"
    assert texts_of(complete(definition()))["look/logo/alternative"].text == {"en": NAME}


@pytest.mark.django_db
def test_logo_is_stored_copied_exported_and_kept_while_shown(survey: Survey, alice: User) -> None:
    assert survey.logo["alternative"] == {"en": NAME}
    duplicate = services.duplicate_survey(survey, slug="other", by=alice)
    assert selectors.definition_of(duplicate)["look"] == selectors.definition_of(survey)["look"]
    exported = load(dump(selectors.exported(survey)))
    assert list(exported["pictures"]) == [survey.pictures.get().digest]
    without = copy.deepcopy(selectors.definition_of(survey))
    del without["look"]
    drafts.store(survey, without, before=None, by=alice)
    pictures.delete_unused(survey)
    assert survey.pictures.exists(), "a revision shows it: it can be undone"
    survey.revisions.all().delete()
    pictures.delete_unused(survey)
    assert not survey.pictures.exists()


@pytest.mark.django_db
def test_logo_of_another_survey_is_refused(survey: Survey, alice: User) -> None:
    foreign = copy.deepcopy(selectors.definition_of(survey)) | {"slug": "other"}
    with pytest.raises(ValidationError, match=r"look\.logo\.digest must be a picture of this survey"):
        services.write_survey(foreign, team=home_team(alice), by=alice)


@pytest.mark.django_db
def test_open_survey_shows_and_serves_its_logo_alone(survey: Survey, alice: User) -> None:
    open_survey(survey, by=alice)
    tag = logo_tag(Client().get("/s/campus/").content)
    source = re.search(r'src="([^"]*)"', tag)
    assert source is not None
    response = Client().get(source[1])
    assert (response.status_code, response["Content-Type"]) == (200, "image/png")
    assert not response.cookies
    assert logo_tag(Client().get("/s/campus/coin/").content) == tag


@pytest.mark.django_db
def test_own_coin_pages_after_the_form_show_the_logo(survey: Survey, alice: User) -> None:
    tag = opened_tag(survey, alice)
    digest = survey.versions.get().design_id
    marks = {"design": digest, "stratum": "y1", **{f"item-{number}": "0" for number in (1, 2)}}
    review = marked(marks)
    assert b"Your marks, ready to send" in review
    for page in (review, marked({}), Client().get("/s/campus/coin/sent/").content):
        assert (logo_tag(page), page.count(STYLE)) == (tag, 1)


@pytest.mark.django_db
def test_pages_of_a_closed_survey_show_the_logo(survey: Survey, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimator, "wake", lambda run_id: None)
    tag = opened_tag(survey, alice)
    services.show_results(survey, shown=True)
    final = services.close_survey(survey)
    closed = Client().get("/s/campus/").content
    estimator.execute(final.pk)
    results = Client().get("/s/campus/").content
    assert (b"This survey is closed" in closed, b"Results of this survey" in results) == (True, True)
    for page in (closed, results):
        assert (logo_tag(page), page.count(STYLE)) == (tag, 1)


@pytest.mark.django_db
def test_pages_of_a_survey_without_logo_load_no_style_for_it(alice: User) -> None:
    bare = services.write_survey(complete(payloads.definition()), team=home_team(alice), by=alice)
    open_survey(bare, by=alice)
    for page in (marked({}), Client().get("/s/campus/coin/sent/").content):
        assert STYLE not in page


@pytest.mark.django_db
def test_sheet_and_dossier_have_the_logo(survey: Survey) -> None:
    design, _ = selectors.design_to_open(survey)
    assert b"/Subtype/Image" in pdf_content(render_sheet(design, "en", pictures.contents_of(survey, design)))
    today = date(2026, 11, 25)
    found: Any = dossier.contents(survey, design, expected=1000, today=today, language="en")
    (page,) = found["pages"]
    (image,) = page["screens"][0]["parts"][0]["parts"]
    assert (image["tag"], image["alt"]) == ("img", NAME)
    assert image["name"] in found["pictures"]
    assert dossier.dossier(survey, expected=1000, today=today).startswith(b"%PDF-")


@pytest.mark.long
@pytest.mark.django_db
def test_plain_form_takes_describes_and_removes_a_logo(survey: Survey, alice: User, client: Client) -> None:
    client.force_login(alice)
    fields = form_of(client, change(survey))
    assert fields["logo_alternative"] == NAME
    sent = {"logo_picture": SimpleUploadedFile("p.png", png(10, 10)), "logo_alternative": "A seal"}
    save(client, change(survey), fields | sent)
    logo = {**clean_picture(png(10, 10)).to_dict(), "alternative": {"en": "A seal"}}
    assert Survey.objects.get().logo == logo
    assert Survey.objects.get().pictures.filter(digest=logo["digest"]).exists()
    save(client, change(survey), form_of(client, change(survey)) | {"logo_alternative": "The seal"})
    assert Survey.objects.get().logo == {**logo, "alternative": {"en": "The seal"}}
    large = {"logo_picture": SimpleUploadedFile("p.png", png(801, 10))}
    assert "at most 800 pixels wide" in save(client, change(survey), form_of(client, change(survey)) | large)
    save(client, change(survey), form_of(client, change(survey)) | {"logo_picture_removed": "on"})
    assert Survey.objects.get().logo == {}


@pytest.mark.django_db
def test_editor_changes_the_logo_beside_other_changes(survey: Survey, alice: User) -> None:
    picture = pictures.add_picture(survey, png(10, 10), by=alice)
    before = selectors.definition_of(survey)["look"]["logo"]
    changes = [Change(("look", "logo", name), before[name], value) for name, value in picture.to_dict().items()]
    saved = save_changes(survey, [*changes, Change(("look", "font"), now="serif")], by=alice)
    assert saved.definition["look"] == {"font": "serif", "logo": {**before, **picture.to_dict()}}
