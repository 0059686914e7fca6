"""SVG charts for all pages and documents: intervals over one axis or over time, curves, bars."""

from estimator.base.charts.bars import Bar, ChartColumn, bars, columns
from estimator.base.charts.curves import Curve, curve, repetitions
from estimator.base.charts.intervals import (
    NARROW,
    WIDE,
    ChartRow,
    Layout,
    as_text,
    axis_for,
    legends,
    picture,
    pictures,
    trend,
)
from estimator.base.charts.scales import Axis, Scale, axis_of_range, by_factors, linear, round_step

__all__ = [
    "NARROW",
    "WIDE",
    "Axis",
    "Bar",
    "ChartColumn",
    "ChartRow",
    "Curve",
    "Layout",
    "Scale",
    "as_text",
    "axis_for",
    "axis_of_range",
    "bars",
    "by_factors",
    "columns",
    "curve",
    "legends",
    "linear",
    "picture",
    "pictures",
    "repetitions",
    "round_step",
    "trend",
]  # fmt: skip
