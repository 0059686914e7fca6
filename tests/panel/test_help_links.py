"""Each page of the panel leads to its help page, which there is."""

import re
from collections.abc import Iterator

import pytest
from django.urls import reverse

from surveys.templatetags.help import PAGES
from tests.panel.access import ADMIN, ROWS, Cast, ask
from tests.tools.help_site import ROOT

pytestmark = pytest.mark.django_db

LINK = re.compile(r'<a [^>]*href="(/panel/help/[^"]*)"[^>]*>\s*<span [^>]*>help</span>Help</a>')
WITHOUT_HEADER = {
    "admin:login", "admin:search", "panel:preview-page", "panel:question", "panel:report", "panel:report-html",
}  # fmt: skip
"""What is shown or saved by itself: the sign-in page, the respondent's page, the report, and parts of other pages."""

NAMES = {"admin:password_change": "password-change"}
"""A page of ours that stands at the address of one of Django's."""


def pages(cast: Cast) -> Iterator[tuple[str, str]]:
    """Name and HTML of each page that the panel shows in its frame, to a superuser who owns the surveys."""
    for name, row in (ROWS | ADMIN).items():
        if "GET" not in row.methods or name.startswith("api:") or name in WITHOUT_HEADER:
            continue
        for who in ("owner", "superuser"):
            there, _ = cast.requests(name, row)
            answer = ask(cast.clients[who], "GET", *there)
            if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
                yield name, answer.content.decode()
                break


@pytest.mark.long
def test_every_panel_page_links_to_its_help(cast: Cast) -> None:
    shown = dict(pages(cast))
    assert len(shown) > 30
    links = {name: LINK.findall(page) for name, page in shown.items()}
    expected = {name: [reverse("help-page", args=[PAGES.get(NAMES.get(name, name), "none")])] for name in shown}
    assert links == expected


def test_every_help_link_leads_to_a_page() -> None:
    missing = [page for page in PAGES.values() if not (ROOT / "docs" / page).with_suffix(".md").is_file()]
    assert missing == []
