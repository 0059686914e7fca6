"""SVG charts for all pages and documents: intervals over one axis or over time, curves, bars."""

from estimator.base.charts.bars import Bar, ChartColumn, bars, columns, spark
from estimator.base.charts.curves import Curve, curve, repetitions
from estimator.base.charts.intervals import ChartRow, as_text, axis_for, legends, pictures, strip, trend
from estimator.base.charts.scales import Axis, Scale, axis_of_range, by_factors, linear, round_step

__all__ = [
    "Axis", "Bar", "ChartColumn", "ChartRow", "Curve", "Scale", "as_text", "axis_for", "axis_of_range", "bars",
    "by_factors", "columns", "curve", "legends", "linear", "pictures", "repetitions", "round_step", "spark", "strip",
    "trend",
]  # fmt: skip
