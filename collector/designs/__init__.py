"""The frozen design: what it may hold, its canonical bytes, its digest, and what a report of it looks like."""

from collector.designs.design import (
    FEWEST_IN_GROUP,
    FORMAT,
    LONGEST_REASON,
    MOST_GROUPS,
    MOST_SYMBOLS,
    Design,
    Field,
    canonical,
    check,
    check_reason,
    check_released,
    digest,
)

__all__ = [
    "FEWEST_IN_GROUP",
    "FORMAT",
    "LONGEST_REASON",
    "MOST_GROUPS",
    "MOST_SYMBOLS",
    "Design",
    "Field",
    "canonical",
    "check",
    "check_reason",
    "check_released",
    "digest",
]
