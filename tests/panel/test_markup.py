"""Texts that try to be markup, script, formula or typesetting, on every page and in every file: they stay texts."""

import csv
import io
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import openpyxl
import pytest
from django.contrib.auth.models import User

from estimator.exports.formats import FORMATS
from estimator.models import Run
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Survey, Team
from tests.factories import payloads
from tests.panel.access import Cast
from tests.panel.pages import content, every_page

pytestmark = pytest.mark.django_db
ELEMENT, ATTRIBUTE = "candor-mark", "oncandor"
MARKUP = f"""=1+1 "><{ELEMENT} {ATTRIBUTE}=1>' {ATTRIBUTE}='</script></style></title><{ELEMENT}>{{{{7*7}}}}{{% x %}}"""
TYPESETTING = ' #panic("typeset") $x^2$ *bold* @nobody <label> \\ `raw`'
TEXT = MARKUP + TYPESETTING


class Finder(HTMLParser):
    """Collects the payload where it has become an element or an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag.startswith(ELEMENT) or any(name.startswith(ATTRIBUTE) for name, _ in attrs):
            self.found.append(self.get_starttag_text() or tag)


def became_markup(page: str) -> list[str]:
    finder = Finder()
    finder.feed(page)
    finder.close()
    return finder.found


@pytest.fixture
def alice(db: None) -> User:
    made = User.objects.create_user("alice", password="a long passphrase", is_staff=True, first_name=MARKUP[:140])
    Team.objects.filter(pk=home_team(made).pk).update(name=MARKUP[:80])
    return made


@pytest.fixture
def survey(alice: User) -> Survey:
    return write_survey(hostile(), team=home_team(alice))


def hostile() -> dict[str, Any]:
    """The payloads' survey, in which everything that is read is the payload."""
    definition = payloads.definition()
    for name in ("title", "introduction", "consent"):
        definition[name] = {"en": TEXT}
    definition["strata"]["wording"] = {"en": TEXT}
    for number, group in enumerate(definition["strata"]["groups"]):
        group["label"] = {"en": f"{TEXT} {number}"}
    for item in definition["items"]:
        item["wording"] = {"en": TEXT}
        item["choices"] = [{"en": f"{TEXT} {number}"} for number, _ in enumerate(item["choices"])]
    return definition


@pytest.mark.long
def test_page_hostile_texts_stay_texts(cast: Cast) -> None:
    seen, faults = 0, []
    for name, answer in every_page(cast):
        kind, words = answer.get("Content-Type", ""), content(answer).decode(errors="replace")
        if kind.startswith(("text/html", "image/svg")):
            seen += ELEMENT in words
            faults += [f"{name}: {one}" for one in became_markup(words)]
        else:
            assert answer.get("X-Content-Type-Options") == "nosniff", name
        if answer.status_code >= 500:
            faults.append(f"{name}: {answer.status_code}")
    assert "\n".join(faults) == ""
    assert seen > 30, "the payload is on most pages"


def test_report_hostile_texts_stay_texts(cast: Cast, run: Run) -> None:
    """`#panic` would end the typesetting of a PDF in which it was anything but a text."""
    for name in ("html", "pdf", "codebook", "xlsx", "csv"):
        file = FORMATS[name].whole(run)
        if name in ("html", "codebook"):
            assert became_markup(file.decode()) == []
            assert ELEMENT in file.decode()
        elif name == "pdf":
            assert file.startswith(b"%PDF-")
            assert b"/JavaScript" not in file
        elif name == "xlsx":
            cells = [cell for sheet in openpyxl.load_workbook(io.BytesIO(file)) for row in sheet for cell in row]
            assert any(ELEMENT in str(cell.value) for cell in cells)
            assert [cell.value for cell in cells if cell.data_type == "f"] == []
        else:
            cells = [cell for row in csv.reader(io.StringIO(file.decode("utf-8-sig"))) for cell in row]
            assert any(ELEMENT in cell for cell in cells)
            assert [cell for cell in cells if cell[:1] in ("=", "+", "@")] == []


@pytest.mark.parametrize(
    "leak",
    [
        lambda text: f"<p>{text}</p>",
        lambda text: f'<a title="{text}">x</a>',
        lambda text: f"<a title='{text}'>x</a>",
        lambda text: f"<script>const title = '{text}';</script>",
    ],
)
def test_finder_unescaped_text_is_found(leak: Callable[[str], str]) -> None:
    assert became_markup(leak(TEXT))
