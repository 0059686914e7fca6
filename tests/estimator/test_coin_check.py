"""Two versions of a page with coins that differ: what the report says of people who do not follow them."""

import numpy as np
import pytest

from collector.designs import Design
from collector.designs.services import close_design, freeze_design
from estimator.analyses.quantities import coins_differ
from estimator.reports import report as reports
from estimator.reports.protection_check import ProtectionCheck
from randomized_response import Channel, cheater_detection, stochastic_lie_detector
from surveys.definition import definitions
from tests.factories import background, simulation
from tests.factories.runs import run_of

pytestmark = pytest.mark.django_db
WHO = {"cheated": 0.3, "disobey": 0.2}


def closed(n: int = 6000, seed: int = 57, mark: int = 0, **shares: float) -> tuple[Design, np.ndarray, np.ndarray]:
    """The survey of two coins over n people, of whom some mark the same whatever their coin shows.

    With it their versions, and the marks of the question of each version.
    """
    design, random = (
        freeze_design(definitions.design_of(background.two_coins(), version=1).document),
        np.random.default_rng(seed),
    )
    arm = random.integers(3, size=n)
    cells = np.array([design.background.cell_of((place,)) for place in arm])
    cheated, disobey = (shares.get(name, usual) for name, usual in WHO.items())
    who, sent = background.tossing(design, (arm, cells), random, cheated, disobey, mark)
    asked = np.where(arm == 2, 1, 0)
    simulation.store(design, who, sent)
    close_design(design.digest)
    return design, arm, sent[np.arange(n), asked]


def check_of(design: Design, language: str = "en") -> ProtectionCheck:
    found = [
        one
        for one in reports.build(run_of(design)).protection
        if one.figure and one.figure.html.count("protection-coins")
    ]
    assert len(found) == 1
    return found[0]


def test_report_says_what_the_library_finds() -> None:
    design, arm, marks = closed()
    tables = tuple(Channel(item.channel.weights) for item in design.items[:2])
    yes, n = zip(*((int(marks[arm == place].sum()), int((arm == place).sum())) for place in (1, 2)), strict=True)
    found = cheater_detection(yes, n, tables)
    assert found.cheaters.low < WHO["disobey"] < found.cheaters.high
    check = check_of(design)
    (sentence,) = check.sentences
    assert f"{found.cheaters.constrained:.0%}".replace("%", " %") in sentence.replace("\xa0", " ")
    assert "more than chance explains" in sentence
    assert [row[1].text for row in check.table.rows] == [
        "Yes, by the coin",
        "No, by the coin",
        "No, whatever it shows",
        "Yes, if true of all of these",
    ]
    lies = stochastic_lie_detector(yes, n, tables).prevalence
    last = check.figure.rows[-1] if check.figure else None
    assert last is not None
    assert (last.estimate, last.low, last.high) == pytest.approx((lies.constrained, lies.low, lies.high), abs=1e-7)
    assert {row[2].text for row in check.table.rows} == {f"{sum(n):,}"}


def test_who_all_follow_the_coin_are_not_suspected() -> None:
    (sentence,) = check_of(closed(disobey=0.0, seed=5)[0]).sentences
    assert "the data do not show that people mark No whatever their coin shows" in sentence


def test_who_mark_yes_whatever_the_coin_shows_are_found_too() -> None:
    (sentence,) = check_of(closed(disobey=0.2, mark=1, n=3000)[0]).sentences
    assert "more people mark Yes whatever their coin shows than chance explains" in sentence
    assert any("lie detector" in one for one in reports.build(run_of(closed(n=600)[0])).references)


def test_versions_with_one_coin_or_with_tickets_have_no_such_check() -> None:
    for asked in (background.OWN_COIN, background.ARMS):
        made = freeze_design(background.design(asked, expected=2000).document)
        random = np.random.default_rng(1)
        arm = random.integers(2, size=500)
        cells = np.array([made.background.cell_of((place,)) for place in arm])
        who = simulation.People(cells, {"cheated": random.integers(2, size=500), "mood": random.choice(3, size=500)})
        simulation.store(made, who, simulation.symbols(made, who, random))
        close_design(made.digest)
        checks = reports.build(run_of(made)).protection
        assert [one.wording for one in checks] == ["Versions of the page"]


def test_methods_say_that_a_coin_was_tossed() -> None:
    text = " ".join(reports.build(run_of(closed(n=600)[0])).methods.paragraphs)
    assert "In the versions “Two coins”, “Two coins, reversed” of the page the device drew nothing" in text


def test_tables_of_one_proportion_tell_nothing_together() -> None:
    """Exactly: as floats 1/3 of 2/3 and 1/6 of 1/3 need not be equal."""
    one, half = Channel(((2, 1), (1, 2))), Channel(((5, 1), (4, 2)))
    assert not coins_differ(one.weights, half.weights)
    assert not coins_differ(one.weights, ((4, 2), (2, 4)))
    assert coins_differ(one.weights, ((1, 2), (2, 1)))
