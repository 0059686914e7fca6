"""The page of sharing: links, codes, posters, the sites that may show the survey, results for respondents."""

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import translation

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.errors import InputError
from config.middleware import RESPONDENT_POLICY
from surveys.accounts.teams import home_team
from surveys.lifecycle import links, services
from surveys.lifecycle.embedding import origins_of
from surveys.models import AuditEntry, Page, Survey, Version
from surveys.opening.services import open_survey
from surveys.outreach import qr_codes
from surveys.outreach.poster import render_poster, words
from tests.factories import payloads, translations
from tests.panel.pages import marks, outcome, press
from tests.tools.gate import few
from tests.tools.paper import pdf_content

pytestmark = pytest.mark.django_db

HOST = "http://127.0.0.1:8000"


def share_page(client: Client) -> str:
    response = client.get(reverse("panel:share", args=["campus"]))
    assert response.status_code == 200
    return response.content.decode()


def fault(answer: Any, field: str) -> str:
    """What stands beside a field that was refused."""
    return re.findall(rf'<p class="candor-fault" id="{field}-fault"[^>]*>([^<]+)</p>', answer.content.decode())[0]


def get(client: Client, name: str, query: str = "") -> Any:
    return client.get(reverse(f"panel:{name}", args=["campus"]) + query)


@pytest.fixture
def spoken(alice: User) -> Version:
    """The survey in three languages."""
    return open_survey(services.write_survey(translations.definition("en", "de", "ar"), team=home_team(alice)))


def test_share_page_every_link_holds_digest(spoken: Version, her: Client) -> None:
    html, digest = share_page(her), spoken.design_id
    for path in ("/s/campus/", "/s/campus/de/", "/s/campus/ar/"):
        assert f'value="{HOST}{path}#{digest}"' in html
    for group in ("y1", "y2"):
        assert f'value="{HOST}/s/campus/#{digest}&amp;group={group}"' in html
    assert f'value="{HOST}/s/campus/coin/"' in html
    assert "Deutsch" in html


def test_share_page_draft_closed_rehearsal_have_no_link(survey: Survey, her: Client) -> None:
    assert marks(share_page(her), "unshared") == ["draft"]
    version = open_survey(survey)
    services.close_survey(version.survey)
    assert marks(share_page(her), "unshared") == ["closed"]
    assert get(her, "share-svg").status_code == 404
    Survey.objects.update(rehearsal=True)
    assert marks(share_page(her), "unshared") == ["rehearsal"]


def test_qr_code_svg_has_accessible_name(version: Version, her: Client) -> None:
    answer = get(her, "share-svg")
    assert answer["Content-Type"] == "image/svg+xml"
    drawn = ElementTree.fromstring(answer.content)
    assert drawn.get("role") == "img"
    assert drawn.get("aria-label") == "QR code of the link to Campus: 127.0.0.1:8000/s/campus/"
    assert get(her, "share-svg").content == answer.content
    assert answer.content.decode() in share_page(her)


def test_qr_codes_hold_their_links(version: Version, her: Client) -> None:
    """The modules of the picture are those of the link, of no other."""
    link, groups = links.language_links(version)[0], links.group_links(version)
    assert get(her, "share-png").content == qr_codes.png(link.address)
    assert get(her, "share-png", "?group=y2").content == qr_codes.png(groups[1].address) != qr_codes.png(link.address)
    assert get(her, "share-png")["Content-Type"] == "image/png"
    for wrong in ("?group=y9", "?language=de", "?group=y1&language=en", "?link=https://elsewhere.test"):
        assert [get(her, name, wrong).status_code for name in ("share-svg", "share-png", "share-poster")] == [404] * 3


def test_qr_code_escapes_title() -> None:
    drawn = ElementTree.fromstring(qr_codes.svg(HOST, 'A "title" <script> & more'))
    assert drawn.get("aria-label") == 'A "title" <script> & more'


def test_poster_is_tagged_and_reproducible(spoken: Version, her: Client) -> None:
    for code in ("en", "de", "ar"):
        first, again = (get(her, "share-poster", f"?language={code}") for _ in range(2))
        assert first["Content-Type"] == "application/pdf"
        assert first["Content-Disposition"] == f'attachment; filename="campus-{code}.pdf"'
        assert first.content == again.content
        opened = pdf_content(first.content)
        assert b"/StructTreeRoot" in opened
        assert f"/Lang({code})".encode() in opened


@pytest.mark.parametrize("title", ["Campus", "A title " * 36, "Wirtschafts" * 12])
def test_poster_any_title_fits_one_page(title: str) -> None:
    design = Design.of(payloads.document(title={"en": title.strip()}))
    made = render_poster(design, "en", link=f"{HOST}/s/{'c' * 64}/", address=f"127.0.0.1:8000/s/{'c' * 64}/")
    assert re.findall(rb"/Count (\d+)", pdf_content(made))[0] == b"1"


def test_poster_texts_in_its_language(spoken: Version) -> None:
    design, link = get_design(spoken.design_id), links.language_links(spoken)[1]
    with translation.override("de"):
        said = words(design, "de", link=link.address, address=link.typed)
    assert said["title"] == "Studium"
    assert said["address"] == "127.0.0.1:8000/s/campus/de/"
    assert said["promise"].startswith("Ihre wahre Antwort bleibt auf Ihrem Gerät.")
    assert said["code"].encode() == qr_codes.svg(link.address, said["alt"])


def test_embedding_is_refused_until_origin_is_named(version: Version, her: Client, client: Client) -> None:
    before = client.get("/s/campus/")
    assert "<iframe" not in share_page(her)
    origins = "https://www.example.org\nhttps://sub.example.net:8443/"
    assert outcome(her, "embed", "campus", origins=origins) == "success"
    after = client.get("/s/campus/")
    named = "frame-ancestors https://www.example.org https://sub.example.net:8443"
    assert after["Content-Security-Policy"] == RESPONDENT_POLICY.replace("frame-ancestors 'none'", named)
    assert (before["X-Frame-Options"], "X-Frame-Options" in after) == ("DENY", False)
    assert before.content == after.content, "the page's bytes stay the same"
    for address in ("/s/campus/design.json", "/s/campus/coin/", "/s/other/", "/panel/survey/campus/share/"):
        assert "frame-ancestors 'none'" in her.get(address)["Content-Security-Policy"]
    assert "&lt;iframe src=&quot;http" in share_page(her)
    assert outcome(her, "embed", "campus", origins=" \n") == "success"
    assert client.get("/s/campus/")["Content-Security-Policy"] == RESPONDENT_POLICY


@pytest.mark.parametrize(
    "origin",
    few([
        "http://example.org", "https://*.example.org", "https://example.org/path", "https://example.org; script-src *",
        "https://example.org 'self'", "*", "https:", "'self'", "https://a@example.org", "https://example", "data:",
        "https://example.org:0", "https://exa\u00admple.org", "https://-a.example.org",
    ]),
)  # fmt: skip
def test_embedding_invalid_origin_answers_422(version: Version, her: Client, origin: str) -> None:
    with pytest.raises(InputError):
        origins_of(origin)
    answer = her.post(reverse("panel:embed", args=["campus"]), {"origins": origin})
    assert answer.status_code == 422
    assert "origin" in fault(answer, "origins")
    assert Survey.objects.get().embedded_in == []


def test_embedding_allows_at_most_ten_origins() -> None:
    ten = [f"https://site{number}.example.org" for number in range(10)]
    assert origins_of("\n".join([*ten, ten[0].upper()])) == ten
    with pytest.raises(InputError, match="At most 10"):
        origins_of("\n".join([*ten, "https://more.example.org"]))


def test_respondent_results_are_off_by_default(version: Version, her: Client) -> None:
    assert not Survey.objects.get().results_shown
    assert outcome(her, "show-results", "campus", shown="yes") == "success"
    assert Survey.objects.get().results_shown
    assert outcome(her, "show-results", "campus", shown="no") == "success"
    assert not Survey.objects.get().results_shown


def test_retention_is_set_by_owner(version: Version, her: Client) -> None:
    assert marks(share_page(her), "days") == ["365"]
    assert outcome(her, "keep-reports", "campus", days="30") == "success"
    assert Survey.objects.get().purge_after == 30
    assert marks(share_page(her), "days") == ["30"]
    for wrong in ("0", "-1", "3651", "soon", "9" * 50):
        answer = her.post(reverse("panel:keep-reports", args=["campus"]), {"days": wrong})
        assert answer.status_code == 422
        assert "1 to 3650" in fault(answer, "days")
    assert Survey.objects.get().purge_after == 30
    assert outcome(her, "keep-reports", "campus", days="") == "success"
    assert (Survey.objects.get().purge_after, marks(share_page(her), "days")) == (None, [""])


def test_proof_of_work_is_set_and_logged(version: Version, her: Client) -> None:
    assert marks(share_page(her), "bits") == ["0"]
    assert outcome(her, "ask-for-work", "campus", bits="15") == "success"
    assert Survey.objects.get().work_bits == 15
    page = share_page(her)
    assert marks(page, "bits") == ["15"]
    assert '<option value="15" selected>Usual, 15 bits</option>' in page
    for wrong in ("", "1", "20", "-12", "a lot", "9" * 50):
        answer = her.post(reverse("panel:ask-for-work", args=["campus"]), {"bits": wrong})
        assert answer.status_code == 422
        assert "off, light, usual, heavy" in fault(answer, "work")
    assert Survey.objects.get().work_bits == 15
    assert "is off" in press(her, "ask-for-work", "campus", bits="0")
    entries = AuditEntry.objects.filter(act="changed the proof of work").order_by("pk")
    assert [entry.detail for entry in entries] == ["usual, 15 bits", "off"]


def test_proof_of_work_page_without_script_is_refused(version: Version, her: Client) -> None:
    """It would be refused for ever: a stored page runs the scripts that it was made with."""
    Page.objects.filter(kind=Page.Kind.ANSWER).update(content=b"<html></html>")
    answer = her.post(reverse("panel:ask-for-work", args=["campus"]), {"bits": "12"})
    assert answer.status_code == 422
    assert "made before Candor had proof of work" in fault(answer, "work")
    assert Survey.objects.get().work_bits == 0
    services.close_survey(Survey.objects.get())
    assert "light, 12 bits" in press(her, "ask-for-work", "campus", bits="12")


def test_proof_of_work_page_with_old_script_name(version: Version, her: Client) -> None:
    Page.objects.filter(kind=Page.Kind.ANSWER).update(
        content=b'<script src="/static/surveys/client/work.0123456789ab.js">'
    )
    assert "light, 12 bits" in press(her, "ask-for-work", "campus", bits="12")


def test_proof_of_work_is_in_the_page_as_opened(survey: Survey, her: Client) -> None:
    press(her, "ask-for-work", "campus", bits="18")
    open_survey(Survey.objects.get())
    page = bytes(Page.objects.get(kind=Page.Kind.ANSWER).content).decode()
    assert ' data-work="18">' in page
    press(her, "ask-for-work", "campus", bits="0")
    assert bytes(Page.objects.get(kind=Page.Kind.ANSWER).content).decode() == page, "stored pages stay as they are"
