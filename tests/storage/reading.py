"""What a design's readers are given of its reports, to compare before and after its reports are moved."""

from typing import Any

import numpy as np

from collector.models import Report
from collector.reports import selectors
from surveys.maintenance import report_records

KEY = b"key"


def told(digest: str) -> list[Any]:
    """What readers of reports are given."""
    hashed = [
        np.column_stack((hashes, strata, symbols)) for hashes, strata, symbols in selectors.hashed_reports(digest, KEY)
    ]
    return [
        [table.tolist() for table in selectors.recount(digest)],
        sorted(np.concatenate(hashed).tolist()),
        selectors.coin_report_count(digest),
        selectors.sheet_count(digest),
        selectors.report_count(digest),
        sorted((found, b"".join(records)) for found, records in report_records.by_design()),
    ]


def rows() -> list[tuple[Any, ...]]:
    """Every row of the table of reports."""
    return sorted(Report.objects.values_list("design_id", "nonce", "stratum", "mode", "report"))
