"""Texts before questions: shown where their question is asked, those before a grid where its first row is."""

from typing import Any

import pytest

from tests.browser.visit import Visit
from tests.factories import kinds
from tests.tools.webkit import expect

pytestmark = pytest.mark.django_db  # for making the pages; no test here uses the database


@pytest.fixture
def document() -> dict[str, Any]:
    made = kinds.document()
    for key in ("often", "mood"):
        made["items"][kinds.PLACE_OF[key]]["before"] = {
            "heading": {"en": f"Before {key}"},
            "text": {"en": "Take your time."},
        }
    return made


def test_text_is_shown_where_its_question_is_asked(visit: Visit) -> None:
    text = visit.open().stage("questions").page.get_by_role("heading", name="Before often")
    expect(text).to_be_hidden()
    visit.choose(1, "Yes")
    expect(text).to_be_visible()
    visit.choose(1, "No")
    expect(text).to_be_hidden()


def test_text_before_a_grid_stands_above_it(visit: Visit) -> None:
    page = visit.open().stage("questions").choose(1, "No").page
    visit.choose(3, "None").choose(4, "Home").press("Next")
    above = page.get_by_role("heading", name="Before mood").bounding_box()
    grid = page.locator("[data-part=matrix]").bounding_box()
    assert above is not None
    assert grid is not None
    assert above["y"] + above["height"] <= grid["y"]


def test_page_with_another_text_than_the_design_is_refused(visit: Visit) -> None:
    visit.page.route(
        "**/s/kinds/",
        lambda route: route.fulfill(
            response=(fetched := route.fetch()), body=fetched.text().replace("Take your time.</p>", "Hurry.</p>")
        ),
    )
    visit.open().stage("refused")
