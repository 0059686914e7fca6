"""A pile of paper typed in by keyboard alone, by mouse, and without a script."""

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest
import typst
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from collector.designs.selectors import get_design
from collector.models import Report, WaitingReport
from estimator.base.typesetting import fonts, inputs
from surveys.accounts.teams import home_team
from surveys.lifecycle import services
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from surveys.rendering.own_coin import sheet
from tests.browser.accessibility import CLEAN, THEME, on_every_screen
from tests.browser.panel import DESKTOP, PHONE, fits, sign_in
from tests.factories import payloads
from tests.tools.browser import IMAGES, PATIENCE
from tests.tools.paper import sheet_data

PAPER = "/panel/survey/campus/paper/"
WORDINGS = (
    "Have you ever handed in work that somebody else had written?",
    "How have you felt most of the time in the last two weeks?",
)


@pytest.fixture
def ten(alice: User) -> Version:
    """alice's open survey of ten questions: two choices, then three, by turns; and two groups."""
    definition = payloads.definition()
    two = definition["items"]
    for item, channel in zip(two, ({"name": "warner", "truth": "2/3"}, {"name": "k_ary", "truth": "1/4"}), strict=True):
        item["channel"] = channel  # ten of them together stay below the ceiling of epsilon
    definition["items"] = [
        copy.deepcopy(two[number % 2]) | {"key": f"q{number}", "wording": {"en": WORDINGS[number % 2]}}
        for number in range(10)
    ]
    return open_survey(services.write_survey(definition, team=home_team(alice)), reason="It is a test.")


def stored() -> list[str]:
    return sorted(bytes(row.report).hex() for row in WaitingReport.objects.all())


def at(page: Page) -> str:
    """The field in which one types now."""
    return str(page.evaluate("document.activeElement.name || document.activeElement.textContent"))


def count(page: Page, pile: int) -> None:
    expect(page.locator("[data-pile]")).to_have_text(str(pile))


def type_sheet(page: Page, digits: str) -> None:
    for digit in digits:
        page.keyboard.press(digit)


@pytest.mark.long
def test_paper_three_sheets_by_keyboard(page: Page, alice: User, ten: Version) -> None:
    sign_in(page, alice)
    page.goto(PAPER)
    for number, digits in enumerate(("11213121312", "22323232323", "11111111111"), start=1):
        assert at(page) == "stratum"
        type_sheet(page, digits)
        assert at(page) == "Store this sheet"
        assert page.locator("[data-look] b").all_inner_texts() == list(digits)
        assert WaitingReport.objects.count() == number - 1, "a look comes before it is stored"
        page.keyboard.press("Enter")
        count(page, number)
    assert stored() == ["00" * 10, "00010002000100020001", "0102" * 5]
    assert {row.mode for row in WaitingReport.objects.all()} == {Report.Mode.PAPER}
    assert sorted(row.stratum for row in WaitingReport.objects.all()) == [0, 0, 1]


def test_paper_backspace_corrects_a_mark(page: Page, alice: User, ten: Version) -> None:
    sign_in(page, alice)
    page.goto(PAPER)
    type_sheet(page, "112")
    assert at(page) == "item-3"
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    assert at(page) == "item-1"
    type_sheet(page, "2111111111")
    page.keyboard.press("Backspace")
    assert at(page) == "item-10"
    page.keyboard.press("3")
    assert page.locator("[data-look] b").all_inner_texts() == list("12111111113")


def test_paper_impossible_digit_is_named(page: Page, alice: User, ten: Version) -> None:
    sign_in(page, alice)
    page.goto(PAPER)
    fault = page.locator("[data-fault]")
    page.keyboard.press("3")
    expect(fault).to_have_text("There is no 3 here, only 1 to 2.")
    assert at(page) == "stratum"
    type_sheet(page, "11")
    page.keyboard.press("Enter")
    expect(fault).to_have_text("Not all are marked: 2.")
    assert at(page) == "item-2"
    type_sheet(page, "1" * 9)
    page.keyboard.press("2")
    expect(fault).to_contain_text("2 was typed once more")
    assert page.locator("[data-look] b").all_inner_texts() == list("1" * 11)
    assert not WaitingReport.objects.exists()


@pytest.mark.long
def test_paper_enter_twice_stores_one_sheet(page: Page, alice: User, ten: Version) -> None:
    sign_in(page, alice)
    page.goto(PAPER)
    type_sheet(page, "1" * 11)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    count(page, 1)
    page.go_back()
    page.go_forward()
    assert WaitingReport.objects.count() == 1


def test_paper_by_mouse(page: Page, alice: User, version: Version) -> None:
    sign_in(page, alice)
    page.goto(PAPER)
    for label in ("Later", "Yes", "Low"):
        page.locator("label", has_text=label).click()
    assert page.locator("[data-look] b").all_inner_texts() == ["2", "2", "3"]
    page.get_by_role("button", name="Store this sheet").click()
    count(page, 1)
    assert stored() == ["0102"]


@pytest.fixture
def plain(browser: Browser, running_site: str) -> Iterator[Page]:
    context = browser.new_context(base_url=running_site, java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


@pytest.mark.long
def test_paper_without_script(plain: Page, alice: User, version: Version) -> None:
    sign_in(plain, alice)
    plain.goto(PAPER)
    assert plain.get_by_text("Type the small number").count() == 1
    assert not plain.get_by_text("Type the small number").is_visible(), "what only the script can do is not promised"
    plain.get_by_label("First year").check()
    plain.get_by_label("Yes").check()
    plain.get_by_role("button", name="Store this sheet").click()
    assert not WaitingReport.objects.exists(), "the browser asks for what is missing"
    plain.get_by_label("Well").check()
    plain.get_by_role("button", name="Store this sheet").click()
    count(plain, 1)
    assert stored() == ["0100"]


@pytest.mark.long
def test_axe_paper_page_and_width(page: Page, alice: User, ten: Version) -> None:
    sign_in(page, alice)
    page.goto(PAPER)
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        assert fits(page)
    type_sheet(page, "12")
    page.keyboard.press("9")
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN
    services.close_survey(Survey.objects.get())
    page.goto(PAPER)
    assert dict(on_every_screen(page, excused=THEME)) == CLEAN


def test_paper_screenshots(page: Page, alice: User, ten: Version, tmp_path: Path) -> None:
    target = Path(IMAGES) if IMAGES else tmp_path
    sign_in(page, alice)
    page.goto(PAPER)
    type_sheet(page, "11213")
    page.screenshot(path=target / "paper-entry.png")
    typst.compile(
        sheet.TEMPLATE,
        output=str(target / "coin-sheet-{p}.png"),
        root=sheet.TEMPLATE.parent,
        font_paths=fonts(),
        sys_inputs=inputs(sheet_data(get_design(ten.design_id).document)),
        ignore_system_fonts=True,
        format="png",
        ppi=80,
    )
    for more in sorted(target.glob("coin-sheet-[2-9].png")):
        more.unlink()
    assert (target / "coin-sheet-1.png").stat().st_size > 10_000
