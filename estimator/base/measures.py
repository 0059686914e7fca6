"""The measures of estimates, and their possible flags."""

SHARE, MEAN = "share", "mean"
"""The measure of an estimate: the share of one answer, or the mean of the numbers that answers stand for."""

TOO_FEW = "too_few_reports"
CLIPPED = "estimate_outside_0_1"
CLIPPED_MEAN = "mean_outside_range"
TOO_FEW_VALUES = "too_few_gave_a_value"
IMPOSSIBLE = "reports_outside_table"
WEIGHTED = "weighted_by_known_shares"
COLLAPSED = "small_groups_weighted_as_one"
