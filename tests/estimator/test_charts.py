"""Charts: places, words for those who do not see them, and nothing that could be more than a picture."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from estimator.base import charts
from estimator.base.charts import Axis, ChartRow, axis_for, intervals
from estimator.base.charts.intervals import LINE, NARROW, WIDE, Layout, picture

SVG = "{http://www.w3.org/2000/svg}"
ROW = ChartRow("Yes", "30 % (20 to 40 %)", 0.30, 0.15, 0.45, 0.20, 0.40)


def drawn(*rows: ChartRow, layout: Layout = NARROW, axis: Axis | None = None) -> ElementTree.Element:
    rows = rows or (ROW,)
    return ElementTree.fromstring(
        picture(rows, key="item-0", title="Shares", layout=layout, axis=axis or axis_for(rows))
    )


def per_cent(element: ElementTree.Element, name: str) -> float:
    value = element.get(name)
    assert value is not None
    assert value.endswith("%")
    return float(value[:-1])


def one(root: ElementTree.Element, kind: str) -> ElementTree.Element:
    (found,) = root.iterfind(f".//*[@class='{kind}']")
    return found


@pytest.mark.parametrize("layout", [NARROW, WIDE], ids=lambda layout: layout.name)
def test_chart_marks_stand_at_their_shares(layout: Layout) -> None:
    axis = Axis(0.0, 0.5, 0.1)
    root = drawn(layout=layout, axis=axis)

    def place(share: float) -> float:
        return layout.left + (layout.right - layout.left) * share / 0.5

    whole, noise = one(root, "whole"), one(root, "noise")
    assert per_cent(whole, "x1") == pytest.approx(place(0.15), abs=1e-3)
    assert per_cent(whole, "x2") == pytest.approx(place(0.45), abs=1e-3)
    assert per_cent(noise, "x1") == pytest.approx(place(0.20), abs=1e-3)
    assert per_cent(noise, "x2") == pytest.approx(place(0.40), abs=1e-3)
    (dot,) = (frame for frame in root.iter(f"{SVG}svg") if frame.find(f"{SVG}circle") is not None)
    assert per_cent(dot, "x") == pytest.approx(place(0.30), abs=1e-3)
    ticks = [per_cent(tick, "x") for tick in root.iterfind(".//*[@class='tick']")]
    assert ticks == pytest.approx([place(share) for share in (0, 0.1, 0.2, 0.3, 0.4, 0.5)], abs=1e-3)


def test_chart_known_truth_is_hollow_diamond() -> None:
    assert drawn().find(".//*[@class='truth']") is None
    known = drawn(ChartRow("Yes", "30 %", 0.30, 0.15, 0.45, 0.20, 0.40, truth=0.25))
    assert one(known, "truth").get("fill") == "none"


def test_chart_row_without_numbers_shows_reason() -> None:
    root = drawn(ChartRow("Yes", "Not enough reports yet: 12 of 30"))
    assert "Not enough reports yet: 12 of 30" in [text.text for text in root.iter(f"{SVG}text")]
    assert root.find(f".//{SVG}circle") is None
    assert root.find(".//*[@class='whole']") is None


def test_chart_has_title_and_description() -> None:
    root = drawn(
        ChartRow("Yes", "30 %", 0.3, 0.2, 0.4, 0.2, 0.4, truth=0.25, heading="First"), ChartRow("No", "70 %", 0.7)
    )
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert title.text == "Shares"
    assert desc.text == "First, Yes: 30 %, known truth 25.0 %; First, No: 70 %"


def test_chart_hostile_text_is_escaped() -> None:
    evil = "</text><script>alert(1)</script>\"' & \x00\x1b"
    svg = picture([ChartRow(evil, evil, heading=evil)], key='a"><script>', title=evil, axis=Axis(0.0, 1.0, 0.2))
    root = ElementTree.fromstring(svg)
    assert {element.tag for element in root.iter()} <= {SVG + name for name in ("svg", "title", "desc", "text", "line")}
    assert "<script" not in svg


@pytest.mark.parametrize("layout", [NARROW, WIDE], ids=lambda layout: layout.name)
def test_chart_has_no_style_or_script(layout: Layout) -> None:
    svg = picture([ROW], key="x", title="Shares", axis=axis_for([ROW]), layout=layout)
    svg += "".join(charts.legends().values())
    assert not re.search(r"style|script|href|on\w+=|url\(|#[0-9a-f]{3}", svg)
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg)) <= {"currentColor", "none"}


def test_chart_rows_do_not_overlap() -> None:
    rows = [ChartRow("A choice whose words need more than a single line of text", "x", 0.5, heading="Head")] * 5
    for layout in (NARROW, WIDE):
        root = drawn(*rows, layout=layout)
        dots = [int(str(frame.get("y"))) for frame in root.iterfind(f"{SVG}svg")]
        assert all(second - first >= 40 for first, second in pairwise(dots))
        lowest = max(int(str(text.get("y"))) for text in root.iter(f"{SVG}text"))
        assert lowest <= int(str(root.get("height")))


def test_numbers_stand_below_a_label_that_leaves_them_no_room() -> None:
    for label, below in (("Yes", False), ("No, whatever the coin shows", True)):
        root = drawn(ChartRow(label, "25.5 % (14.0–37.0 %)", 0.255, 0.14, 0.37))
        name, numbers = one(root, "label"), one(root, "value figures")
        assert int(str(numbers.get("y"))) - int(str(name.get("y"))) == (LINE if below else 0)


@pytest.mark.parametrize(
    ("shares", "axis"),
    [
        ((0.0, 0.0), (0.0, 0.1)),
        ((0.30, 0.34), (0.0, 0.4)),
        ((0.05, 1.0), (0.0, 1.0)),
        ((0.6, 0.7), (0.5, 1.0)),
        ((0.5, 0.5), (0.5, 1.0)),
        ((0.49, 0.51), (0.0, 0.6)),
    ],
)
def test_chart_axis_starts_at_zero_or_half(shares: tuple[float, float], axis: tuple[float, float]) -> None:
    found = axis_for([ChartRow("x", "", sum(shares) / 2, *shares)])
    assert (found.start, found.end) == pytest.approx(axis)
    assert 2 <= len(found.ticks) <= 7


def test_chart_axis_without_rows_is_zero_to_one() -> None:
    assert (axis_for([]).start, axis_for([]).end) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("ends", "grain", "ticks"),
    [
        ((1, 5), 1, [1, 2, 3, 4, 5]),
        ((1, 7), 1, [1, 3, 5, 7]),
        ((0, 40), 1, [0, 10, 20, 30, 40]),
        ((0, 10), 0.5, [0, 2, 4, 6, 8, 10]),
        ((-1, 1), 0.1, [-1, -0.5, 0, 0.5, 1]),
        ((0, 37), 1, [0, 37]),
        ((0, 100), 1, [0, 20, 40, 60, 80, 100]),
    ],
)
def test_number_axis_has_tick_at_both_ends(ends: tuple[float, float], grain: float, ticks: list[float]) -> None:
    axis = charts.axis_of_range(*ends, grain)
    assert axis.ticks == pytest.approx(ticks)


def test_number_axis_is_labelled_in_numbers() -> None:
    root = drawn(ChartRow("Mean", "2.5", 2.5, 2.0, 3.0, 2.2, 2.8, truth=2.25), axis=charts.axis_of_range(0, 5000, 1))
    assert [tick.text for tick in root.iterfind(".//*[@class='tick']")] == [
        "0", "1,000", "2,000", "3,000", "4,000", "5,000",
    ]  # fmt: skip
    desc = root.find(f"{SVG}desc")
    assert desc is not None
    assert desc.text == "Mean: 2.5, known truth 2.25"


def test_trend_chart_marks_and_description() -> None:
    points = [
        ROW,
        ChartRow("Later", "Not enough reports yet: 12 of 30"),
        replace(ROW, label="Now", estimate=0.4, high=0.5),
    ]
    root = ElementTree.fromstring(charts.trend(points, key="t", title="Over time", axis=Axis(0.0, 0.5, 0.1)))

    def height(share: float) -> float:
        return intervals.TREND_TOP + intervals.TREND_HEIGHT * (1 - share / 0.5)

    wholes = [(float(line.get("y1", "")), float(line.get("y2", ""))) for line in root.iterfind(".//*[@class='whole']")]
    assert wholes == [pytest.approx((height(0.45), height(0.15))), pytest.approx((height(0.5), height(0.15)))]
    (joined,) = root.iterfind(".//*[@class='joined']")
    assert per_cent(joined, "x1") < per_cent(joined, "x2")
    assert (float(joined.get("y1", "")), float(joined.get("y2", ""))) == pytest.approx((height(0.3), height(0.4)))
    told = root.find(f"{SVG}desc")
    assert told is not None
    assert told.text == "Yes: 30 % (20 to 40 %); Later: Not enough reports yet: 12 of 30; Now: 30 % (20 to 40 %)"
    many = ElementTree.fromstring(charts.trend([ROW] * 12, key="t", title="Over time", axis=axis_for([ROW])))
    assert len(many.findall(".//*[@class='label']")) == 4


def test_every_chart_hostile_text_is_escaped() -> None:
    evil = "</text><script>alert(1)</script>\"' & \x00\x1b"
    scale = charts.linear(5)
    drawn = [
        charts.bars([(evil, evil, [("b", 2.0)])], key="k", title=evil, words=evil, limit=(1.0, evil)),
        charts.columns([(0, 1, 1)], key="k", title=evil, words=evil, most=evil, ends=(evil, evil)),
        charts.curve("k", "n", evil, [(0, 1), (5, 2)], ((1, 1), evil), (scale, scale), evil, evil, (2, evil)).svg,
        charts.trend([ChartRow(evil, evil, 0.5)], key="k", title=evil, axis=Axis(0.0, 1.0, 0.2)),
    ]
    for svg in drawn:
        ElementTree.fromstring(svg)
        assert "<script" not in svg


def test_svg_is_written_by_one_module() -> None:
    root = Path(__file__).parents[2]
    modules = [path for app in ("collector", "config", "estimator", "surveys") for path in (root / app).rglob("*.py")]
    # Bytes are looked for in files that are refused, not written.
    writing = [path.relative_to(root).as_posix() for path in modules if re.search(r'(?<!b")<svg', path.read_text())]
    assert writing == ["estimator/base/charts/svg.py"]
