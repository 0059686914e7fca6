"""Pictures before questions: read, bounded, written anew, stored, shown, copied, and deleted."""

import contextlib
import copy
import random
import re
import struct
from base64 import b64decode
from hashlib import sha256
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from collector.designs import Design
from collector.errors import Conflict, ValidationError
from surveys.accounts.teams import home_team
from surveys.definition.definitions import complete, design_of, dump, load, take_checked
from surveys.definition.pictures import CleanPicture, clean_picture
from surveys.lifecycle import drafts, pictures, selectors, services
from surveys.models import Picture, Survey
from surveys.opening.services import open_survey
from surveys.rendering.own_coin.sheet import render_sheet
from surveys.rendering.pages import render_page
from tests.factories import payloads
from tests.panel.forms import change, form_of, save
from tests.tools.gate import few
from tests.tools.paper import pdf_content
from tests.tools.picture_files import SECRET, base64, jpeg, png, png_chunk, png_with_secret, webp

ALTERNATIVE = {"en": "A lecture hall"}


def shown(picture: CleanPicture, **more: Any) -> dict[str, Any]:
    return {**picture.to_dict(), "alternative": ALTERNATIVE, **more}


def definition(content: bytes = b"") -> dict[str, Any]:
    """The campus survey with a picture before its first question, which comes as `hall` of its file."""
    made = payloads.definition(pictures={"hall": base64(content or png())})
    made["items"][0]["before"] = {"picture": {"file": "hall", "alternative": "A lecture hall"}}
    return made


@pytest.fixture
def survey(alice: User) -> Survey:
    return services.write_survey(complete(definition()), team=home_team(alice), by=alice)


@pytest.mark.parametrize(("content", "type_"), [(png_with_secret(), "png"), (jpeg(), "jpg"), (webp(), "webp")])
def test_clean_picture_keeps_the_picture_alone(content: bytes, type_: str) -> None:
    assert SECRET in content
    picture = clean_picture(content)
    assert picture.type == type_
    assert SECRET not in picture.content
    assert clean_picture(picture.content) == picture, "written anew it is the same"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "must be PNG, JPEG or WebP; SVG can contain scripts"),
        (b"GIF89a" + b"\0" * 20, "must be PNG, JPEG or WebP"),
        (b"\0" * 400_000, "must have at most 307,200 bytes; this one has 400,000"),
        (png(2001, 4), "must be at most 2000 pixels wide and high; this one is 2001 x 4"),
        (png()[:-30], "is damaged"),
        (png(60, 40, png_chunk(b"ABCD", b"x")), "has a part that no PNG has"),
        (png().replace(b"IDAT", b"IDAx"), "is damaged: a checksum is wrong"),
        (jpeg(orientation=6), "is turned only by its metadata"),
        (webp(orientation=8), "is turned only by its metadata"),
        (jpeg()[:200], "is damaged"),
        (webp()[:100], "is damaged"),
        (b"RIFF" + struct.pack("<I", 20) + b"WEBPANIM" + struct.pack("<I", 8) + b"\0" * 8, "must not be animated"),
    ],
)
def test_picture_that_is_none_is_refused_with_the_reason(content: bytes, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        clean_picture(content)
    assert words in caught.value.message


def test_png_that_unpacks_without_end_is_refused_early() -> None:
    """200 kB that unpack to 200 MB: no more is unpacked than the picture's size says."""
    import zlib

    header = struct.pack(">IIBBBBB", 60, 40, 8, 2, 0, 0, 0)
    bomb = zlib.compress(b"\0" * 200_000_000)
    content = png()[:8] + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", bomb) + png_chunk(b"IEND", b"")
    with pytest.raises(ValidationError, match="pixels do not fill its size"):
        clean_picture(content)


@pytest.mark.parametrize("whole", few([png_with_secret(), jpeg(), webp()]), ids=["png", "jpg", "webp"])
def test_damaged_picture_is_taken_or_refused_but_never_a_crash(whole: bytes) -> None:
    chance = random.Random(1)
    for number in range(60):
        content = bytearray(whole[: chance.randrange(20, len(whole))] if number % 2 else whole)
        for _ in range(3):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        with contextlib.suppress(ValidationError):
            assert SECRET not in clean_picture(bytes(content)).content


def test_file_with_picture_is_read_written_and_read_again() -> None:
    read = complete(definition(png_with_secret()))
    picture = clean_picture(png_with_secret())
    assert read["items"][0]["before"] == {"picture": shown(picture)}
    assert read["pictures"] == {picture.digest: base64(picture.content)}
    assert load(dump(read)) == read
    frozen = design_of(read, version=1)
    assert "pictures" not in frozen.document, "the design names them by their digests"
    assert [one.name for one in frozen.pictures] == [f"{picture.digest}.png"]


def test_design_digest_covers_every_byte_of_a_picture() -> None:
    one, other = (design_of(complete(definition(png(shade=shade))), version=1) for shade in (120, 121))
    assert one.digest != other.digest


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        ({"file": "house", "alternative": "x"}, "must be one of the file's pictures (hall); got 'house'"),
        ({"file": "hall", "alternative": ""}, "items[0].before.picture.alternative.en must not be empty"),
        ({"file": "hall", "alternative": "x", "onload": "x"}, "has unknown keys: onload"),
        ({"digest": "0", "type": "png", "width": 1, "height": 1, "alternative": "x"}, "must be a SHA-256"),
        ({"digest": "0" * 64, "type": "svg", "width": 1, "height": 1, "alternative": "x"}, "png, jpg or webp"),
        ({"digest": "0" * 64, "type": "png", "width": 0, "height": 1, "alternative": "x"}, "from 1 to 2000; got 0"),
    ],
)
def test_bad_picture_of_a_question_names_place_and_bound(picture: dict[str, Any], words: str) -> None:
    made = definition()
    made["items"][0]["before"]["picture"] = picture
    with pytest.raises(ValidationError) as caught:
        take_checked(made)
    assert words in str(caught.value)


@pytest.mark.parametrize("content", ["", "not base64!", base64(b"GIF89a"), 3])
def test_file_with_bad_picture_is_refused_by_its_name(content: Any) -> None:
    with pytest.raises(ValidationError, match=r"^pictures\.hall"):
        complete(definition() | {"pictures": {"hall": content}})


@pytest.mark.django_db
def test_picture_is_stored_once_and_must_be_there(survey: Survey, alice: User) -> None:
    (stored,) = Picture.objects.all()
    assert sha256(bytes(stored.content)).hexdigest() == stored.digest
    made = selectors.definition_of(survey)
    foreign = copy.deepcopy(made)
    foreign["items"][0]["before"]["picture"]["digest"] = "0" * 64
    with pytest.raises(ValidationError, match="must be a picture of this survey"):
        services.write_survey(foreign, team=home_team(alice), by=alice)
    resized = copy.deepcopy(made)
    resized["items"][0]["before"]["picture"]["width"] = 61
    with pytest.raises(ValidationError, match="must be a picture of this survey"):
        services.write_survey(resized, team=home_team(alice), by=alice)


@pytest.mark.django_db
def test_copy_and_export_have_the_picture(survey: Survey, alice: User) -> None:
    duplicate = services.duplicate_survey(survey, slug="other", by=alice)
    assert duplicate.pictures.get().digest == survey.pictures.get().digest
    exported = load(dump(selectors.exported(survey)))
    assert b64decode(exported["pictures"].popitem()[1]) == bytes(survey.pictures.get().content)
    services.delete_survey(survey, by=alice)
    assert Picture.objects.get().survey == duplicate


@pytest.mark.django_db
def test_unused_picture_is_deleted_and_used_ones_stay(survey: Survey, alice: User) -> None:
    kept = survey.pictures.get().digest
    pictures.add_picture(survey, jpeg(), by=alice)
    pictures.delete_unused(survey)
    assert survey.pictures.get().digest == kept
    without = copy.deepcopy(selectors.definition_of(survey))
    del without["items"][0]["before"]
    drafts.store(survey, without, before=None, by=alice)
    pictures.delete_unused(survey)
    assert survey.pictures.get().digest == kept, "a revision shows it: it can be undone"
    survey.revisions.all().delete()
    pictures.delete_unused(survey)
    assert not survey.pictures.exists()


@pytest.mark.django_db
def test_pictures_too_big_together_keep_the_survey_from_opening(
    survey: Survey, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MOST_SHOWN_BYTES", 10)
    with pytest.raises(Conflict, match="at most 10 are allowed"):
        open_survey(survey, by=alice)


@pytest.mark.django_db
def test_page_shows_picture_from_this_site_and_everybody_gets_its_bytes(survey: Survey, alice: User) -> None:
    version = open_survey(survey, by=alice)
    page = Client().get("/s/campus/").content.decode()
    (tag,) = re.findall(r"<img[^>]*>", page)
    source = re.search(r'src="([^"]*)"', tag)
    assert source is not None
    assert 'alt="A lecture hall"' in tag
    assert "loading" not in tag, "a lazy one would tell which section was reached"
    response = Client().get(source[1])
    assert (response.status_code, response["Content-Type"]) == (200, "image/png")
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert not response.cookies
    assert sha256(response.content).hexdigest() == source[1].split("/")[-1].split(".")[0]
    assert "check-pictures" in page
    assert f'src="{source[1]}"' in Client().get("/s/campus/coin/").content.decode()
    assert version.design_id


@pytest.mark.django_db
def test_picture_that_is_not_shown_is_not_served(survey: Survey, alice: User) -> None:
    stray = pictures.add_picture(survey, jpeg(), by=alice)
    name = f"{survey.pictures.first().digest}.png"  # type: ignore[union-attr]
    assert Client().get(f"/s/campus/pictures/{name}").status_code == 404, "a draft's"
    open_survey(survey, by=alice)
    assert Client().get(f"/s/campus/pictures/{name}").status_code == 200
    for other in (f"{stray.digest}.jpg", name.replace(".png", ".webp"), "x", f"{'0' * 64}.png"):
        assert Client().get(f"/s/campus/pictures/{other}").status_code == 404


@pytest.mark.django_db
def test_sheet_of_paper_has_the_picture_with_its_words(survey: Survey) -> None:
    design, _ = selectors.design_to_open(survey)
    pdf = render_sheet(design, "en", pictures.contents_of(survey, design))
    assert pdf.startswith(b"%PDF-")
    assert b"/Subtype/Image" in pdf_content(pdf)


def test_preview_takes_pictures_from_the_panel() -> None:
    design = design_of(complete(definition()), version=1)
    page = render_page(Design.of(design.document), preview=True, pictures_address="/panel/survey/campus/pictures/")
    assert b'src="/panel/survey/campus/pictures/' in page


@pytest.mark.django_db
def test_editor_uploads_a_picture_and_shows_it(survey: Survey, alice: User, client: Client) -> None:
    client.force_login(alice)
    address = reverse("panel:edit-pictures", args=["campus"])
    answer = client.post(address, {"picture": SimpleUploadedFile("photo.jpg", jpeg())})
    assert answer.json() == clean_picture(jpeg()).to_dict()
    name = f"{answer.json()['digest']}.jpg"
    assert client.get(reverse("panel:picture", args=["campus", name]))["Content-Type"] == "image/jpeg"
    refused = client.post(address, {"picture": SimpleUploadedFile("photo.svg", b"<svg/>")})
    assert (refused.status_code, refused.json()["path"]) == (422, ["picture"])
    assert client.post(address).status_code == 422
    big = client.post(address, {"picture": SimpleUploadedFile("photo.png", b"\0" * 400_000)})
    assert "at most 307,200 bytes" in big.json()["message"]


@pytest.mark.long
@pytest.mark.django_db
def test_plain_form_takes_and_removes_a_picture(survey: Survey, alice: User, client: Client) -> None:
    client.force_login(alice)
    fields = form_of(client, change(survey))
    assert fields["items-0-before_alternative"] == "A lecture hall"
    uploaded = {"items-1-before_picture": SimpleUploadedFile("p.png", png(10, 10)), "items-1-before_alternative": "A"}
    save(client, change(survey), fields | uploaded)
    items = selectors.definition_of(Survey.objects.get())["items"]
    assert items[1]["before"] == {"picture": clean_picture(png(10, 10)).to_dict() | {"alternative": {"en": "A"}}}
    fields = form_of(client, change(survey)) | {"items-0-before_picture_removed": "on"}
    save(client, change(survey), fields)
    items = selectors.definition_of(Survey.objects.get())["items"]
    assert "before" not in items[0]
    bad = {"items-0-before_picture": SimpleUploadedFile("p.svg", b"<svg/>")}
    assert "must be PNG, JPEG or WebP" in save(client, change(survey), form_of(client, change(survey)) | bad)
