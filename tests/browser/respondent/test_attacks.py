"""The run of attacks itself: what it takes for an effect, and that its page has what a seed draws."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.attacks import changes, checks, driving, report
from tests.attacks.__main__ import SEED
from tests.attacks.changes import Attack
from tests.attacks.proxy import proxy
from tests.attacks.site import Site, site

CHANGES = {change.what: change for change in changes.CHANGES}


@pytest.fixture
def served(db: None, static_files: None) -> Site:
    return site()


@pytest.fixture
def through() -> Iterator[str]:
    with proxy() as url:
        yield url


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "effect"),
    [
        ("words in the page", True),
        ("the page of the version before", False),
        ("a script in the page", False),
        ("an imported module", False),
        ("an imported module and its hash", True),
        ("a style sheet and its hash", True),
        ("a picture under its name", True),
    ],
)
def test_effect_is_seen_where_there_is_one(browser: Browser, served: Site, what: str, effect: bool) -> None:
    assert driving.takes_effect(browser, served, Attack(CHANGES[what], "everybody"), "") is effect


@pytest.mark.long
def test_browser_that_is_not_attacked_is_told_apart(browser: Browser, served: Site) -> None:
    attack = Attack(CHANGES["words in the page"], "one person")
    assert driving.takes_effect(browser, served, attack, "somebody else") is None


@pytest.mark.long
def test_honest_page_loads(browser: Browser, served: Site) -> None:
    assert driving.honest_loads(browser, served, 3) == []


@pytest.mark.long
def test_check_finds_one_person_s_page_as_it_asks_as_her(served: Site, through: str, tmp_path: Path) -> None:
    seen, hers = tmp_path / "seen", {"User-Agent": "Hers/1.0", "Accept-Language": "fr"}
    assert checks.found(served, None, through, seen, hers={}) == ""
    attack = Attack(CHANGES["words in the page"], "one person")
    assert checks.found(served, attack, through, seen, hers=hers) == ""
    headers = checks.written(hers, tmp_path / "headers")
    said = checks.found(served, attack, through, seen, hers=hers, headers=headers)
    assert said == "/s/campus/ is not what the log says, for this machine, fr."


def test_page_has_the_attacks_of_its_seed_and_all_were_noticed() -> None:
    text = report.PAGE.read_text()
    drawn = changes.attacks(SEED)
    assert len(drawn) == 60
    missing = [one for one in drawn if f"| {one.change.what} | {one.whom} |" not in text]
    assert missing == []
    assert f"drawn by the seed {SEED}" in text
    assert "Of 60 attacks 0 went unnoticed" in text
    assert "**–**" not in text
