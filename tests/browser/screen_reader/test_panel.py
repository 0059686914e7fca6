"""Pages of the panel as Orca reads them."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page

from collector.designs.selectors import get_design
from surveys.models import Version
from tests.browser.panel import DESKTOP, sign_in
from tests.browser.screen_reader.spoken import unspoken
from tests.factories.runs import fill, run_of
from tests.tools.browser import PATIENCE
from tests.tools.orca import Orca

pytestmark = pytest.mark.long

PAGES = ("", "watch/", "share/", "plan/")


@pytest.fixture
def heard_page(browser: Browser, running_site: str) -> Iterator[Page]:
    context = browser.new_context(base_url=running_site, viewport=DESKTOP)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def test_panel_is_read(heard_page: Page, alice: User, version: Version, reader: Orca) -> None:
    design = get_design(version.design_id)
    fill(design)
    run_of(design, published=True)
    sign_in(heard_page, alice)
    missing = {}
    for path in PAGES:
        heard_page.goto(f"/panel/survey/campus/{path}")
        reader.said()
        before = unspoken(heard_page, "")
        assert len(before) > 50, "texts of the page, not of one that says that there is none"
        said = reader.read_all()
        missing[path] = [text for text in unspoken(heard_page, said) if text in before]  # others came meanwhile
        assert "confirmation_number" not in said, "an icon's name"
    assert missing == {path: [] for path in PAGES}
